// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/core.h>
#include <string>

namespace ridge::gpu {

Result<TemporaryFolder> TemporaryFolder::make()
{
    std::error_code ignored;
    auto base = std::filesystem::temp_directory_path(ignored);
    if (ignored)
        base = "/tmp";
    std::string pattern = (base / "ridge-compile-XXXXXX").string();
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
