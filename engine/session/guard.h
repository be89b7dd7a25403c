// The one boundary where exceptions become errors (architecture: a BackendError or bad_alloc in the middle of a run).
#pragma once

#include "engine/core/result.h"
#include "kernels/backend.h"

#include <exception>
#include <new>
#include <utility>

namespace ondo {

template<class Work>
[[nodiscard]] Result<> guarded(Work&& work)
{
    try {
        return std::forward<Work>(work)();
    } catch (const kernels::BackendError& e) {
        switch (e.failure()) {
        case kernels::BackendFailure::OutOfMemory:
            return fail(ErrorKind::OutOfMemory, e.what(), "use fewer shots at once, a coarser grid or another device");
        case kernels::BackendFailure::Lost:
            return fail(ErrorKind::NoDevice, e.what(),
                        "the device cannot be used any more in this process: restart the program");
        default: return fail(ErrorKind::Internal, e.what());
        }
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::OutOfMemory, "the machine's memory is used up", "use a coarser grid or fewer receivers");
    } catch (const std::exception& e) {
        return fail(ErrorKind::Internal, e.what());
    }
}

} // namespace ondo
