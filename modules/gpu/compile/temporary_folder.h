// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <filesystem>

namespace ridge::gpu {

/// A fresh folder below the system's temporary folder, gone with everything in it when this value is.
class TemporaryFolder {
public:
    /// Errors: "cannot-write" with the folder and the reason.
    static Result<TemporaryFolder> make();
    TemporaryFolder(TemporaryFolder&& other) noexcept : m_path(std::move(other.m_path)) { other.m_path.clear(); }
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder();
    const std::filesystem::path& path() const { return m_path; }

private:
    explicit TemporaryFolder(std::filesystem::path path) : m_path(std::move(path)) {}
    std::filesystem::path m_path;
};

} // namespace ridge::gpu
