#!/usr/bin/env bash
# packaging/scripts/tidy.sh BUILD_FOLDER [PATTERN...]   clang-tidy over our files in BUILD_FOLDER's compile_commands.json.
# PATTERN: regular expressions for paths from the project's root; without one, every .cpp of the five code folders, but of
# the host's instantiations, four of one body, that of three dimensions and single precision alone.
# ONDO_ANALYZE=1 in the environment adds clang's path analyzer, which takes as long again.
# Sources of the same flags are read together: joint_tidy.py says how.
# Exit 77 (skipped) without clang-tidy-16.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
command -v clang-tidy-16 >/dev/null || { echo "SKIP: clang-tidy-16 is not installed"; exit 77; }
build=$(cd "$1" && pwd) || exit 1
shift
[ $# -gt 0 ] || set -- '(kernels|engine|render|ui|app)/(?!host/\w+_host_(2d_f32|2d_f64|3d_f64)\.).*\.cpp$'
# From the root: tests/render and what moc writes below build/ are no part of it.
set -- "${@/#/^$PWD/}"
checks=()
[ -z "${ONDO_ANALYZE:-}" ] || checks=('-checks=clang-analyzer-*,-clang-analyzer-cplusplus.NewDeleteLeaks')
# A database of our own, in which precompiled headers are plain ones: clang cannot read gcc's.
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT
(cd "$build" && find . -name cmake_pch.hxx -exec cp --parents -t "$database" {} +)
sed "s#-include $build/#-include $database/#g" "$build/compile_commands.json" >"$database/compile_commands.json"
# gcc's flags that clang does not know are no finding of ours.
packaging/scripts/joint_tidy.py "$database" "$(nproc)" "${checks[@]}" "-config-file=$PWD/.clang-tidy" \
    -extra-arg=-Wno-unknown-warning-option -extra-arg=-Wno-ignored-optimization-argument -- "$@"
