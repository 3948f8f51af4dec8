#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what the project needs to build, run and test. Idempotent; a second call only asks dpkg.
# tools/setup.sh [--tests]: with it also what only tests need.
set -euo pipefail

packages=(
  # build
  g++ cmake ninja-build ccache clang lld clang-format git
  # the program
  qt6-base-dev libqt6opengl6-dev qt6-charts-dev qt6-svg-dev libqt6sql6-sqlite libqt6sql6-psql libqt6svg6
  nlohmann-json3-dev libfmt-dev libcli11-dev libyaml-cpp-dev libsodium-dev libarchive-dev libminizip-dev zlib1g-dev
  libprotobuf-dev
  # fonts, software OpenGL
  fonts-inter fonts-jetbrains-mono libgl1-mesa-dri libegl1 libopengl0 libxkbcommon-x11-0
  # tests without a screen
  xvfb xauth dbus-daemon python3
)

# Tests of remote targets and of a school start servers of their own, with keys, data and ports of their own; the services
# that these packages bring are switched off again.
test_packages=(
  openssh-client openssh-server slurm-wlm munge postgresql
  # what a portfolio is held against; chromium is used where it is installed, and too large to ask for
  tidy poppler-utils python3-html5lib python3-jsonschema
  # the array in SystemVerilog: without it tests look at the message alone
  iverilog
  # tests under a locale with decimal commas, which they make themselves
  locales
  # tools/check-pages: the Nu HTML checker, which comes from PyPI
  default-jre-headless python3-pip
)
test_services=(ssh munge slurmctld slurmd postgresql)
[ "${1:-}" != --tests ] || packages+=("${test_packages[@]}")

# Not asked for: openmpi-bin, for `ridge run collective --target mpi`, and yosys, for `ridge run rtl_cells`. The worker says
# so where one is missing.

# Builds in four fifths of clang 14's time (docs/benchmarks.md, Build); in Debian 12's security updates, not everywhere.
# Without it clang builds. Kernels are compiled by the system's own clang either way.
quick_compiler=clang-22

say() { printf '\033[1m==>\033[0m %s\n' "$*"; }

supported=no
if [ -r /etc/os-release ]; then
  . /etc/os-release
  case "${ID:-}:${VERSION_ID:-}" in debian:12|debian:13|ubuntu:24.04|ubuntu:24.10|ubuntu:25.*) supported=yes ;; esac
fi
if [ "$supported" = no ] || ! command -v dpkg-query >/dev/null; then
  if command -v cmake >/dev/null && command -v ninja >/dev/null && [ -n "${RIDGE_SKIP_SETUP:-}" ]; then
    exit 0
  fi
  echo "This system (${PRETTY_NAME:-unknown}) is not one whose packages this script knows. Install the equivalents of"
  echo "these Debian 12 packages, then run again with RIDGE_SKIP_SETUP=1:"
  printf '  %s\n' "${packages[@]}"
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  say "installing ${#missing[@]} packages: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Not root, and there is no sudo. Ask someone who may to run:"
      echo "  apt-get install --no-install-recommends ${missing[*]}"
      exit 1
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  [ -z "$(apt-cache show "$quick_compiler" 2>/dev/null || true)" ] || missing+=("$quick_compiler")
  before=$(systemctl list-unit-files --no-legend "${test_services[@]/%/.service}" 2>/dev/null || true)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
  if [ -d /run/systemd/system ]; then
    for service in "${test_services[@]}"; do
      case "$before" in *"$service.service"*) continue ;; esac
      "${as_root[@]}" systemctl disable --now --quiet "$service.service" 2>/dev/null || true
    done
  fi
fi

if [ "${1:-}" = --tests ]; then
  tools/check-pages --setup || say "the checkers of pages could not be fetched; tst_pages_valid is skipped"
fi

# A GPU without a toolkit: the run-time compiler comes as wheels into the build folder, nothing is installed.
if [ -e /dev/nvidiactl ] && ! compgen -G '/usr/local/cuda*/lib64/libnvrtc.so.*' >/dev/null \
   && ! ldconfig -p | grep -q libnvrtc.so && ! compgen -G 'build/cuda/nvidia/*/lib/libnvrtc.so.*' >/dev/null; then
  say "a GPU is here and no CUDA toolkit: fetching NVRTC into build/cuda"
  tools/fetch-nvrtc build/cuda || say "NVRTC could not be fetched; kernels compile with clang instead"
fi
