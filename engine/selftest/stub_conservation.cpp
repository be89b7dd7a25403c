#include "engine/selftest/groups.h"
namespace ondo {
void addConservationCases(std::vector<SelftestCase>&) {}
} // namespace ondo
