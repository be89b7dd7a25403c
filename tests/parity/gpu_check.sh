#!/usr/bin/env bash
# tests/parity/gpu_check.sh [BUILD_FOLDER]   On a machine with an NVIDIA GPU and a CUDA toolkit: builds the kernels alone
# (CMake, compilers, nothing else), in release and in parity, checks the CUDA module against the host and the display path
# against OpenGL, under compute-sanitizer too, and prints the time of a step. Ends with the number of parts that failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${1:-build/gpu}
failed=0

part() {
    local title=$1
    shift
    echo "== $title"
    "$@"
    local status=$?
    case $status in
    0) ;;
    77) echo "-- skipped" ;;
    *) echo "-- FAILED ($status)"; failed=$((failed + 1)) ;;
    esac
}

make_one() { # FOLDER OPTION...
    local folder=$1
    shift
    local generator=()
    command -v ninja >/dev/null && generator=(-G Ninja)
    cmake "${generator[@]}" -S . -B "$folder" -DONDO_KERNELS_ONLY=ON -DONDO_CUDA=ON "$@" >"$folder.log" 2>&1 &&
        cmake --build "$folder" -j "$(nproc)" >>"$folder.log" 2>&1 || { tail -30 "$folder.log"; return 1; }
}

mkdir -p "$build"
part "build, release" make_one "$build/release" || exit 1
part "build, parity" make_one "$build/parity" -DONDO_PARITY=ON
module=$(echo "$build"/release/lib/ondoscope/libondo_cuda*.so)
parity=$(echo "$build"/parity/lib/ondoscope/libondo_cuda*.so)
ls -l "$module"

part "CUDA against host, release" "$build/release/cuda_kernel_check" "$module"
part "CUDA against host, parity" "$build/parity/cuda_kernel_check" "$parity"
part "time of a step" "$build/release/cuda_kernel_check" "$module" --bench
part "CUDA into OpenGL textures" "$build/release/cuda_gl_check" "$module"
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck initcheck racecheck; do
        extent=--quick
        [ $tool = racecheck ] && extent=--races
        part "$tool" compute-sanitizer --tool $tool --error-exitcode 9 "$build/release/cuda_kernel_check" "$module" $extent
    done
else
    echo "== compute-sanitizer is not on the PATH: skipped"
fi
echo "$failed part(s) failed"
exit $((failed > 0))
