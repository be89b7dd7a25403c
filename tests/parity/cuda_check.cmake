# The check of the CUDA module that needs nothing but the kernels: also for a GPU machine without our other libraries
# (configure with -DONDO_KERNELS_ONLY=ON).
add_executable(cuda_kernel_check ${CMAKE_CURRENT_LIST_DIR}/cuda_kernel_check.cpp)
target_link_libraries(cuda_kernel_check PRIVATE ondo_options ondo_kernels ${CMAKE_DL_LIBS})
add_executable(cuda_gl_check ${CMAKE_CURRENT_LIST_DIR}/cuda_gl_check.cpp ${CMAKE_CURRENT_LIST_DIR}/egl_context.cpp)
target_link_libraries(cuda_gl_check PRIVATE ondo_options ondo_kernels ${CMAKE_DL_LIBS})
if(ONDO_TESTS)
  foreach(check kernel gl)
    add_test(NAME cuda_${check}_check COMMAND cuda_${check}_check $<TARGET_FILE:${ONDO_CUDA_MODULE}>)
    set_tests_properties(cuda_${check}_check PROPERTIES LABELS "gpu;parity" SKIP_RETURN_CODE 77 TIMEOUT 600)
  endforeach()
endif()
# The profiler that counts copies from outside (its top comment says how).
find_package(CUDAToolkit REQUIRED)
if(TARGET CUDA::cupti AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13)
  add_library(ondo_copy_watch MODULE ${CMAKE_CURRENT_LIST_DIR}/copy_watch.cpp)
  target_link_libraries(ondo_copy_watch PRIVATE ondo_options CUDA::cupti CUDA::cudart_static)
  set_target_properties(ondo_copy_watch PROPERTIES AUTOMOC OFF)
endif()
