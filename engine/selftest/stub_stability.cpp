#include "engine/selftest/groups.h"
namespace ondo {
void addStabilityCases(std::vector<SelftestCase>&) {}
} // namespace ondo
