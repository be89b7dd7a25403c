#include "engine/selftest/groups.h"
namespace ondo {
void addSymmetryCases(std::vector<SelftestCase>&) {}
} // namespace ondo
