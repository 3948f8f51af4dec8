#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the .deb and the tarball, unpacks each somewhere else and opens it there. packages.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "$1")
command -v dpkg-shlibdeps > /dev/null || { echo "dpkg-shlibdeps (package dpkg-dev) is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cpack --config "$build/CPackConfig.cmake" -G "DEB;TGZ" -B "$work/out" > cpack.log || { cat cpack.log; exit 1; }
deb=$(echo out/*.deb) tarball=$(echo out/*.tar.gz)
unset RIDGE_DATA RIDGE_BIN RIDGE_WORKER
export RIDGE_HOME=$work/home QT_QPA_PLATFORM=offscreen

fail() { echo "packages.sh: $*" >&2; exit 1; }
opens() { # the folder that holds bin/
  "$1/bin/ridge" lessons | grep -q "GPU vs CPU architecture" || fail "$1/bin/ridge lists no lessons"
  "$1/bin/ridge" run coalescing --target sim:h100-sxm --set stride=8 > run.txt || fail "$1/bin/ridge runs nothing"
  grep -q SIMULATED run.txt || fail "the run of $1 does not say where its numbers are from"
  "$1/bin/ridgepoint" --screenshot window.png --open lesson/2.4 --size 1000x700 > window.txt 2>&1 || fail "$(cat window.txt)"
  [ "$(stat -c %s window.png)" -gt 20000 ] || fail "the window of $1 is empty"
  rm -f window.png
}

dpkg-deb -x "$deb" installed
opens "$work/installed/usr"
dpkg-deb -f "$deb" Depends | grep -q libqt6widgets6 || fail "the .deb does not ask for Qt"
dpkg-deb -c "$deb" | grep -q "usr/share/applications/ridgepoint.desktop" || fail "the .deb tells no desktop of itself"
mkdir elsewhere
tar -xzf "$tarball" -C elsewhere --strip-components=1
opens "$work/elsewhere"
echo "$(basename "$deb") $(du -h "$deb" | cut -f1), $(basename "$tarball") $(du -h "$tarball" | cut -f1): both open"
