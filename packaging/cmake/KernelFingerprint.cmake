# cmake -DROOT=... -DHEADER=... -P KernelFingerprint.cmake
# Writes the header that names the sources which program and CUDA module must share: two builds of one release whose
# kernels differ must not be taken for each other. Written only when it changes.
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
