#include "kernels/host/density_host_impl.h"

namespace ondo::kernels {

ONDO_DENSITY_HOST(, float, 3)

} // namespace ondo::kernels
