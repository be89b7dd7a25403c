// An OpenGL context without a window or a display server, on the given EGL device; libEGL is opened at run time.
#pragma once

#include <string>

namespace ondo::check {

class EglContext {
public:
    // Current in this thread if why() is empty.
    explicit EglContext(int device);
    ~EglContext();
    EglContext(const EglContext&) = delete;
    EglContext& operator=(const EglContext&) = delete;

    [[nodiscard]] static int devices();
    [[nodiscard]] const std::string& why() const { return m_why; }
    [[nodiscard]] void* function(const char* name) const;

private:
    void* m_display = nullptr;
    void* m_context = nullptr;
    std::string m_why;
};

} // namespace ondo::check
