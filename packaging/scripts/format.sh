#!/usr/bin/env bash
# packaging/scripts/format.sh [--check]   Formats our C++ and CUDA files; with --check, only says which are not formatted.
# Exit 77 (skipped) without clang-format-16: another version formats otherwise.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v clang-format-16 >/dev/null || { echo "SKIP: clang-format-16 is not installed"; exit 77; }
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
find kernels engine render ui app tests \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    xargs -0 -n 20 clang-format-16 --style=file "${mode[@]}"
