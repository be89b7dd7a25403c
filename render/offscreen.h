// An OpenGL context with no display, for pictures made by the command line and by tests.
#pragma once

#include "engine/core/result.h"

#include <memory>

namespace ondo {

// EGL: surfaceless first, then a device. libEGL is opened at run time; without it, or without a usable driver, an Error
// tells what was tried. Thread-bound while current.
class OffscreenContext {
public:
    [[nodiscard]] static Result<std::unique_ptr<OffscreenContext>> open();
    ~OffscreenContext();
    OffscreenContext(const OffscreenContext&) = delete;
    OffscreenContext& operator=(const OffscreenContext&) = delete;

    void makeCurrent();
    void doneCurrent();
    [[nodiscard]] bool isCurrent() const;

private:
    class Impl;
    explicit OffscreenContext(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace ondo
