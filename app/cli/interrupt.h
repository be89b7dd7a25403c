// Ctrl-C and SIGTERM: the first asks the run to stop and keep what it has, the second ends the program at once.
#pragma once

namespace ondo::cli {

void watchInterrupts();
[[nodiscard]] bool interrupted();

} // namespace ondo::cli
