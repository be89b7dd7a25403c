#include "kernels/host/density_host_impl.h"

namespace ondo::kernels {

ONDO_DENSITY_HOST(, float, 2)

} // namespace ondo::kernels
