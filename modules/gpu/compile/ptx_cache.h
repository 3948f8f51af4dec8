// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/compile/backend.h"

namespace ridge::gpu {

/// Compiled PTX and machine code below cacheFolder()/ptx, so that the second run of a kernel starts no compiler.
/// Everything in it can be made again: an entry that is missing, damaged or cannot be written only costs time.

/// Whether a source can be kept at all: what it includes beside itself, or from the folder that is searched first, is
/// in no key.
bool isCacheable(const KernelSource& source, const CompileOptions& options);

/// The name under which this compilation is kept: source, compiler, its build, options and architecture, and where the
/// source includes any, the headers that come with the compiler.
std::string cacheKey(const Backend& backend, const std::filesystem::path& tool, const KernelSource& source, int sm,
                     const CompileOptions& options);

/// No value when there is no entry, or one whose checksum does not fit.
std::optional<Program> cachedProgram(const std::string& key);

void keepProgram(const std::string& key, const Program& program);

} // namespace ridge::gpu
