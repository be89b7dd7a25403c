// Reads what nvcc packed into a shared library: the device code of each architecture, as ELF images in section .nv_fatbin.
// The layout is nvcc's own and undocumented; as seen in CUDA 12 and 13.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct DeviceImage {
    bool ptx = false;                 // for the driver to compile; otherwise machine code
    int architecture = 0;             // 90 for sm_90
    int object = 0;                   // of the module: images compiled together have one number
    std::size_t bytes = 0;            // in the library, packed
    std::size_t unpacked = 0;         // bytes of code
    bool opened = false;              // entries is filled: not packed, or unpacked here
    std::vector<std::string> entries; // mangled names of the entry functions; machine code only
};

// `library`: the bytes of a 64-bit little-endian ELF file. Empty if there is no device code in it.
[[nodiscard]] std::vector<DeviceImage> deviceImages(std::string_view library);
