// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/search.h"

#include "base/hash.h"
#include "base/paths.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/core.h>
#include <unistd.h>

namespace ridge::gpu {
namespace fs = std::filesystem;
namespace {

/// Subfolders whose name begins with `prefix`, newest (largest) name first.
std::vector<fs::path> subfolders(const fs::path& folder, const std::string& prefix)
{
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().filename().string().starts_with(prefix) && entry.is_directory(ignored))
            found.push_back(entry.path());
    std::ranges::sort(found, std::greater<>{});
    return found;
}

std::vector<fs::path> sitePackages()
{
    std::vector<fs::path> roots;
    if (const auto data = dataFolder(); data.ok())
        roots.push_back(*data / "build" / "cuda");
    std::vector<fs::path> prefixes;
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const auto prefix = environment(name); !prefix.empty())
            prefixes.emplace_back(prefix);
    if (const auto home = environment("HOME"); !home.empty())
        prefixes.push_back(fs::path(home) / ".local");
    prefixes.emplace_back("/usr/local");
    prefixes.emplace_back("/usr");
    for (const auto& prefix : prefixes)
        for (const auto& python : subfolders(prefix / "lib", "python3"))
            for (const char* packages : {"site-packages", "dist-packages"})
                roots.push_back(python / packages);
    return roots;
}

} // namespace

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::vector<fs::path> foldersOf(const std::string& list)
{
    std::vector<fs::path> folders;
    std::size_t start = 0;
    while (start <= list.size()) {
        const auto end = std::min(list.find(':', start), list.size());
        if (end > start)
            folders.emplace_back(list.substr(start, end - start));
        start = end + 1;
    }
    return folders;
}

std::vector<fs::path> includeFolders(const std::string& beside)
{
    std::vector<fs::path> folders = foldersOf(environment("RIDGE_INCLUDE"));
    if (!beside.empty())
        folders.insert(folders.begin(), beside);
    return folders;
}

std::vector<fs::path> toolkitFolders()
{
    std::vector<fs::path> folders;
    std::error_code ignored;
    if (fs::is_directory("/usr/local/cuda", ignored))
        folders.emplace_back("/usr/local/cuda");
    for (auto& folder : subfolders("/usr/local", "cuda-"))
        folders.push_back(std::move(folder));
    return folders;
}

std::vector<fs::path> wheelLibraryFolders()
{
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (const auto& root : sitePackages()) {
        const fs::path nvidia = root / "nvidia";
        std::vector<fs::path> packages = subfolders(nvidia, "cu1");
        packages.push_back(nvidia / "cuda_nvrtc");
        for (const auto& package : packages)
            if (fs::is_directory(package / "lib", ignored))
                folders.push_back(package / "lib");
    }
    return folders;
}

std::vector<fs::path> executables(const std::vector<fs::path>& folders, const std::string& name)
{
    std::vector<fs::path> found, real;
    for (const auto& folder : folders) {
        const fs::path file = folder / name;
        std::error_code code;
        if (!fs::is_regular_file(file, code) || ::access(file.c_str(), X_OK) != 0)
            continue;
        const auto resolved = fs::canonical(file, code);
        if (code || std::ranges::find(real, resolved) != real.end())
            continue;
        real.push_back(resolved);
        found.push_back(file);
    }
    return found;
}

std::string identityOf(const fs::path& file)
{
    std::error_code code;
    const auto real = fs::canonical(file, code);
    const auto size = fs::file_size(real, code);
    const auto time = fs::last_write_time(real, code).time_since_epoch().count();
    return fmt::format("{}|{}|{}", real.string(), size, time);
}

std::string identityOfTree(const fs::path& folder)
{
    std::error_code code;
    const auto root = fs::canonical(folder, code);
    if (code)
        return {};
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(root, code)) {
        std::error_code problem; // of a link that leads nowhere
        if (entry.is_regular_file(problem))
            files.push_back(fmt::format("{}|{}|{}", entry.path().string(), entry.file_size(problem),
                                        entry.last_write_time(problem).time_since_epoch().count()));
    }
    std::ranges::sort(files);
    std::string all = root.string();
    for (const auto& file : files)
        all += '\n' + file;
    return sha256Hex(all);
}

} // namespace ridge::gpu
