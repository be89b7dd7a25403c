#include "engine/selftest/groups.h"
namespace ondo {
void addPeerCases(std::vector<SelftestCase>&) {}
} // namespace ondo
