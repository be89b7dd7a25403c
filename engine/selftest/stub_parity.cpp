#include "engine/selftest/groups.h"
namespace ondo {
void addParityCases(std::vector<SelftestCase>&) {}
} // namespace ondo
