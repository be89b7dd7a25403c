#!/usr/bin/env bash
# packaging/test.sh [CTEST ARGUMENT...]   Installs what is missing, builds, runs every test that this machine can run.
# Non-interactive. Tests that need a GPU are skipped by name where there is none. Exit code: that of the first failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packaging/install-packages.sh build test style

# make(1)'s habit: as many jobs as cores, but a compiler of VTK or CUDA code wants about 2 GB.
memory=$(awk '/^MemAvailable/ {print int($2 / 2097152)}' /proc/meminfo)
jobs=$(nproc)
[ "$memory" -ge 1 ] && [ "$memory" -lt "$jobs" ] && jobs=$memory

cmake --preset ci
cmake --build build/ci --parallel "$jobs"

# One test at a time: several of them measure time, or use all cores.
cd build/ci
export QT_QPA_PLATFORM=xcb LIBGL_ALWAYS_SOFTWARE=1
exec xvfb-run --auto-servernum --server-args='-screen 0 1600x1000x24 +extension GLX' \
    ctest --output-on-failure --no-tests=error "$@"
