# Warnings, sanitizers, contraction and version for every target of ours, through one interface target.
find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

add_library(ondo_options INTERFACE)
target_include_directories(ondo_options INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
target_compile_definitions(ondo_options INTERFACE ONDO_VERSION="${PROJECT_VERSION}")
target_compile_options(ondo_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Woverloaded-virtual>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${ONDO_WERROR}>>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 sees overlapping copies in std::string where there are none (its bug 105651).
  target_compile_options(ondo_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# On a GPU the code says where a product and a sum round once: kernels/core/hd.h, mulAdd.
target_compile_options(ondo_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>)
if(ONDO_PARITY)
  target_compile_options(ondo_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
  target_compile_definitions(ondo_options INTERFACE ONDO_PARITY_BUILD=1)
endif()
if(ONDO_SANITIZE)
  target_compile_options(ondo_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${ONDO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(ondo_options INTERFACE -fsanitize=${ONDO_SANITIZE})
endif()
