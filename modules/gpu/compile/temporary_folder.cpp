// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/temporary_folder.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fmt/core.h>
#include <mutex>
#include <string>
#include <string_view>

namespace ridge::gpu {

namespace {

constexpr std::string_view kPrefix = "ridge-compile-";
constexpr std::chrono::hours kKept{24};

/// What processes left that were killed. Folders of other people stay: they cannot be removed.
void sweep(const std::filesystem::path& base)
{
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(base, ignored)) {
        const bool ours = entry.path().filename().string().starts_with(kPrefix);
        if (ours && std::filesystem::file_time_type::clock::now() - entry.last_write_time(ignored) > kKept && !ignored)
            std::filesystem::remove_all(entry.path(), ignored);
    }
}

} // namespace

Result<TemporaryFolder> TemporaryFolder::make()
{
    std::error_code ignored;
    auto base = std::filesystem::temp_directory_path(ignored);
    if (ignored)
        base = "/tmp";
    static std::once_flag once;
    std::call_once(once, sweep, base);
    std::string pattern = (base / (std::string(kPrefix) + "XXXXXX")).string();
    if (!::mkdtemp(pattern.data()))
        return Error{"cannot-write", fmt::format("no temporary folder: {}", std::strerror(errno)), base.string(),
                     "free space there, or name another folder in TMPDIR"};
    return TemporaryFolder(pattern);
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    if (!m_path.empty())
        std::filesystem::remove_all(m_path, ignored);
}

} // namespace ridge::gpu
