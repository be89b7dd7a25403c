#!/bin/sh
# Compiler launcher for CUDA: runs the command it is given and keeps what ptxas said about the object in OBJECT.ptxas.
# Everything else the compiler says goes through.
object=
previous=
for word in "$@"; do
    [ "$previous" = -o ] && object=$word
    previous=$word
done
[ -n "$object" ] || exec "$@"
said=$object.ptxas.tmp
"$@" 2>"$said"
status=$?
ours='^ptxas info|^    [0-9]+ bytes stack frame|^ *[0-9]+ bytes cumulative stack'
grep -E "$ours" "$said" >"$object.ptxas"
grep -vE "$ours" "$said" >&2
rm -f "$said"
exit $status
