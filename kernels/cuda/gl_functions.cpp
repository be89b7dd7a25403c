#include "kernels/cuda/gl_functions.h"

#include <dlfcn.h>

namespace ondo::kernels::cuda {

namespace {

// What the program itself uses comes first; else the system's dispatch library, which serves GLX and EGL contexts alike.
void* symbol(const char* name)
{
    if (void* found = dlsym(RTLD_DEFAULT, name)) {
        return found;
    }
    for (const char* library : {"libGL.so.1", "libOpenGL.so.0"}) {
        if (void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
            // Kept open: the pointers are used for as long as the module lives.
            if (void* found = dlsym(handle, name)) {
                return found;
            }
        }
    }
    return nullptr;
}

} // namespace

std::string GlFunctions::load()
{
    std::string missing;
    const auto get = [&]<class F>(F& function, const char* name) {
        function = reinterpret_cast<F>(symbol(name));
        if (function == nullptr && missing.empty()) {
            missing = name;
        }
    };
    get(getString, "glGetString");
    get(getIntegerv, "glGetIntegerv");
    get(getError, "glGetError");
    get(genTextures, "glGenTextures");
    get(deleteTextures, "glDeleteTextures");
    get(bindTexture, "glBindTexture");
    get(texParameteri, "glTexParameteri");
    get(texImage2D, "glTexImage2D");
    get(getTexImage, "glGetTexImage");
    get(bindBuffer, "glBindBuffer");
    return missing.empty() ? std::string() : "no OpenGL library has " + missing;
}

} // namespace ondo::kernels::cuda
