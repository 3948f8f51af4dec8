// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/paths.h"

#include <cstdlib>

namespace ridge {
namespace {

std::filesystem::path fromEnvironment(const char* name)
{
    const char* value = std::getenv(name);
    return value && *value ? std::filesystem::path(value) : std::filesystem::path();
}

bool hasData(const std::filesystem::path& folder)
{
    std::error_code ec;
    return std::filesystem::is_directory(folder / "assets", ec) &&
           std::filesystem::is_directory(folder / "kernels", ec) &&
           std::filesystem::is_directory(folder / "curriculum", ec);
}

std::filesystem::path userFolder(const char* xdg, const char* below)
{
    if (auto base = fromEnvironment(xdg); !base.empty())
        return base / "ridgepoint";
    if (auto home = fromEnvironment("HOME"); !home.empty())
        return home / below / "ridgepoint";
    return std::filesystem::temp_directory_path() / "ridgepoint";
}

} // namespace

std::filesystem::path executableFolder()
{
    std::error_code ec;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
    return ec ? std::filesystem::current_path() : self.parent_path();
}

Result<std::filesystem::path> dataFolder()
{
    if (auto given = fromEnvironment("RIDGE_DATA"); !given.empty()) {
        if (hasData(given))
            return given;
        return Error{"no-data", "has no assets, kernels and curriculum", given.string(),
                     "point RIDGE_DATA at the folder that holds them, or unset it"};
    }
    const auto installed = executableFolder().parent_path() / "share" / "ridgepoint";
    if (hasData(installed))
        return installed;
    for (auto folder = executableFolder(); folder.has_relative_path(); folder = folder.parent_path())
        if (hasData(folder))
            return folder;
    return Error{"no-data",
                 "no assets, kernels and curriculum were found in " + installed.string() +
                     " or in any folder above the program",
                 executableFolder().string(), "set RIDGE_DATA to the folder that holds them"};
}

std::filesystem::path homeFolder()
{
    if (auto given = fromEnvironment("RIDGE_HOME"); !given.empty())
        return given;
    return userFolder("XDG_DATA_HOME", ".local/share");
}

std::filesystem::path cacheFolder()
{
    if (auto given = fromEnvironment("RIDGE_CACHE"); !given.empty())
        return given;
    return userFolder("XDG_CACHE_HOME", ".cache");
}

} // namespace ridge
