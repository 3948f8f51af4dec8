// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ridge::gpu {

/// Where a compiler may be on this machine. Nothing is started or opened here.

/// The value of an environment variable; empty when unset.
std::string environment(const char* name);

/// Splits "a:b:c"; empty parts are left out.
std::vector<std::filesystem::path> foldersOf(const std::string& list);

/// Where the headers of a person's file are looked for, behind those of the compiler: `beside` first unless it is
/// empty, then the folders of RIDGE_INCLUDE.
std::vector<std::filesystem::path> includeFolders(const std::string& beside);

/// Installed toolkits (/usr/local/cuda, /usr/local/cuda-*), the default one first, then newest first.
std::vector<std::filesystem::path> toolkitFolders();

/// Folders that hold the libraries of NVIDIA's Python wheels (nvidia/cu13/lib, nvidia/cuda_nvrtc/lib): below
/// build/cuda of the project (where set-up puts them), the active virtual environment and the usual site-packages.
std::vector<std::filesystem::path> wheelLibraryFolders();

/// The first executable called `name` in each of `folders`, without duplicates after links are followed.
std::vector<std::filesystem::path> executables(const std::vector<std::filesystem::path>& folders,
                                               const std::string& name);

/// What tells one build of a tool from the next without starting it: its real path, size and time of change.
std::string identityOf(const std::filesystem::path& file);

/// The same of everything below a folder, as a hash; of CUDA's 2000 headers in 26 to 91 ms, as busy as the machine is.
/// Empty where it is not there.
std::string identityOfTree(const std::filesystem::path& folder);

} // namespace ridge::gpu
