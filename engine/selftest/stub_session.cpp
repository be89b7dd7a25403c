#include "engine/selftest/groups.h"
namespace ondo {
void addSessionCases(std::vector<SelftestCase>&) {}
} // namespace ondo
