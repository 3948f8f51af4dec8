#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is shipped is what tools/make-ptx makes: a family's PTX is taken out of a copy of the archive, made again and
# compared with what was there, to the byte. check_ptx.sh [FAMILY]; "all" makes every kernel again.
# Ends with 77 (skipped) where the compilers are missing or are not those of the manifest.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
family=${1:-coalescing}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc here"; exit 77; }
version="nvcc $("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
grep -qF "\"compiler\": \"$version\"" "$root/assets/ptx.json" || { echo "the archive was not made by $version"; exit 77; }
grep -qF "\"compiler\": \"clang $(clang --version | sed -n 's/.*clang version \([0-9.]*\).*/\1/p')\"" "$root/assets/ptx.json" ||
    { echo "the archive was made by another clang"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files" "$work/assets"
if [ "$family" != all ]; then
    python3 "$root/tools/ptx-archive" unpack "$root/assets" "$work/files"
    rm -r "${work:?}/files/$family"
    python3 "$root/tools/ptx-archive" pack "$work/files" "$work/assets"
fi
"$root/tools/make-ptx" "$work/assets"
cmp "$work/assets/ptx.json" "$root/assets/ptx.json"
