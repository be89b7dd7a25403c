// `ondo bench --view`: the window, which is another program, is started for each run and tells what it measured. Main thread.
#pragma once

#include "engine/bench/view_report.h"

#include <string>

namespace ondo::cli {

struct ViewRequest {
    std::string device = "auto";
    std::string only; // as for the solver's cases; empty: 1000^2, 4096^2 and planes of 256^3
    bool quick = false;
};

// Refused without a display (NoDevice), without ondoscope beside this program or on the PATH (NotFound), and for cases that
// a window cannot show (BadInput).
[[nodiscard]] Result<ViewReport> runViewBench(const ViewRequest& request);

} // namespace ondo::cli
