#!/usr/bin/env bash
# packaging/install-packages.sh GROUP...   Installs what packaging/packages.txt lists for the groups and is missing.
# Debian 12, Ubuntu 24.04 or later; root, or sudo. Says what it does; does nothing if nothing is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -gt 0 ] || set -- build

say() { printf '[packages] %s\n' "$*" >&2; }
have() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "this is no Debian or Ubuntu: install the equivalents of packaging/packages.txt by hand; going on"
    exit 0
fi

wanted=()
while read -r group names _; do
    case "$group" in '' | '#'*) continue ;; esac
    for asked in "$@"; do
        [ "$group" = "$asked" ] && wanted+=("$names")
    done
done <"$here/packages.txt"

missing=()
for names in "${wanted[@]}"; do
    found=no
    for name in ${names//|/ }; do
        if have "$name"; then found=yes; fi
    done
    [ $found = yes ] || missing+=("$names")
done
if [ ${#missing[@]} -eq 0 ]; then
    say "all ${#wanted[@]} packages for '$*' are installed"
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        say "missing: ${missing[*]}"
        say "run this as root, or install sudo"
        exit 1
    fi
    as_root=(sudo)
fi

known() { apt-cache show --no-all-versions "$1" >/dev/null 2>&1; }
all_known() {
    local names name found
    for names in "${missing[@]}"; do
        found=no
        for name in ${names//|/ }; do
            if known "$name"; then found=yes; fi
        done
        [ $found = yes ] || return 1
    done
}
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@"; }

fresh=no
update() {
    say "apt-get update"
    apt -qq update
    fresh=yes
}
all_known || update

resolve() {
    packages=()
    local names name
    for names in "${missing[@]}"; do
        for name in ${names//|/ }; do
            if known "$name"; then
                packages+=("$name")
                continue 2
            fi
        done
        say "no such package here: $names (is the 'universe' or 'main' part of the archive enabled?)"
        exit 1
    done
}
resolve
log=$(mktemp)
trap 'rm -f "$log"' EXIT
say "installing ${packages[*]} and what they need"
if ! apt -qq -y --no-install-recommends install "${packages[@]}" >"$log" 2>&1; then
    # A list older than the archive points at files that are gone.
    if [ $fresh = no ]; then
        update
        resolve
    fi
    apt -qq -y --no-install-recommends install "${packages[@]}" >"$log" 2>&1 || {
        status=$?
        tail -n 30 "$log" >&2
        say "apt-get install failed ($status)"
        exit 1
    }
fi
say "installed ${#packages[@]} packages"
