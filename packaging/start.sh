#!/usr/bin/env bash
# packaging/start.sh [MODEL [KEY=VALUE...]]   From a fresh clone to a shot running: installs what is missing, builds, runs.
#   MODEL       a velocity model (.mat .npy .sgy .rsf ...); without it, the model that comes with the program
#   KEY=VALUE   of the run, where there is no display: model.dx=10 model.dz=10 for a file that does not say its spacing
# With a display the shot runs in a window. Without one, the command line computes it and leaves, in the current folder,
# first-light.h5 (everything), first-light.png (a picture) and first-light.sgy (the gather).
# Debian 12, Ubuntu 24.04 or later; root, or sudo. Exit code: 0, or that of the step that failed.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '[start] %s\n' "$*" >&2; }

model=${1:-}
case "$model" in
-h | --help)
    sed -n '2,8s/^# \{0,1\}//p' packaging/start.sh
    exit 0
    ;;
esac
if [ -n "$model" ]; then
    case "$model" in /*) ;; *) model=$caller/$model ;; esac
    if [ ! -r "$model" ]; then
        say "cannot read the model $model"
        exit 2
    fi
fi

packaging/install-packages.sh build

# For the GPU that is here; with a compiler and no GPU, for one architecture and, through PTX, every later one.
arch=()
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || [ -n "${CUDACXX:-}" ]; then
    if command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; then
        arch=(-DCMAKE_CUDA_ARCHITECTURES=native)
    else
        arch=(-DCMAKE_CUDA_ARCHITECTURES=80)
    fi
    say "CUDA compiler found: the GPU module is built too"
else
    say "no CUDA compiler here: the program is built for the CPU alone"
fi

memory=$(awk '/^MemAvailable/ {print int($2 / 2097152)}' /proc/meminfo)
jobs=$(nproc)
[ "$memory" -ge 1 ] && [ "$memory" -lt "$jobs" ] && jobs=$memory

say "building in build/start (the first time takes minutes)"
mkdir -p build/start
log=build/start/build.log
if ! { cmake --preset release -B build/start -DONDO_TESTS=OFF "${arch[@]}" &&
    cmake --build build/start --parallel "$jobs"; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    say "the build failed; the whole story is in $log"
    exit 1
fi
grep -A3 -E '^-- Ondoscope ' "$log" | sed 's/^-- /[start] /' >&2 || true

program() { # where the build put it
    find build/start -maxdepth 4 -type f -name "$1" -perm -u+x -print -quit
}

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    desktop=$PWD/$(program ondoscope)
    say "starting the desktop program"
    cd "$caller"
    if [ -n "$model" ]; then exec "$desktop" --run "$model"; else exec "$desktop" --run; fi
fi

ondo=$PWD/$(program ondo)
cd "$caller"
say "no display: computing the shot here (set DISPLAY or WAYLAND_DISPLAY for the window)"
settings=()
[ -z "$model" ] || settings=(--set "model.path=$model")
for pair in "${@:2}"; do settings+=(--set "$pair"); done
"$ondo" run "${settings[@]}" --out first-light.h5 --png first-light.png --gather first-light.sgy
for file in first-light.h5 first-light.png first-light.sgy; do
    [ -s "$file" ] || { say "$PWD/$file was not written"; exit 3; }
done
