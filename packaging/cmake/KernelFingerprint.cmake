# cmake -DROOT=... -DHEADER=... -DSOURCES=... -P KernelFingerprint.cmake
# Writes the header that names the sources which program and CUDA module must share: two builds of one release whose
# kernels differ must not be taken for each other. And the one that names all kernels, whose speed is measured and kept.
# Written only when they change.
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE sources RELATIVE ${ROOT}
     ${ROOT}/kernels/backend.h ${ROOT}/kernels/common/* ${ROOT}/kernels/core/* ${ROOT}/kernels/equations/*
     ${ROOT}/kernels/cuda/*)
list(SORT sources)
set(all "")
foreach(source ${sources})
  file(SHA256 ${ROOT}/${source} hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 fingerprint "${all}")
string(SUBSTRING ${fingerprint} 0 12 fingerprint)
file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT
"// Written by packaging/cmake/KernelFingerprint.cmake.
#pragma once
// What a program and its backend module must have in common: the release, and the sources of the kernels.
#define ONDO_MODULE_RELEASE ONDO_VERSION \"+@fingerprint@\"
")

file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/kernels/host/*)
list(SORT sources)
foreach(source ${sources})
  file(SHA256 ${ROOT}/${source} hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 kernels "${all}")
string(SUBSTRING ${kernels} 0 12 kernels)
file(CONFIGURE OUTPUT ${SOURCES} @ONLY CONTENT
"// Written by packaging/cmake/KernelFingerprint.cmake.
#pragma once
// The sources of all kernels, the host's too.
#define ONDO_KERNEL_SOURCES \"@kernels@\"
")
