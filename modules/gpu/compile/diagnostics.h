// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace ridge::gpu {

/// One message of a compiler about a place in a kernel.
struct Diagnostic {
    enum class Level { Error, Warning, Note };
    Level level = Level::Error;
    std::string file;
    int line = 0;
    int column = 0; ///< 1-based; 0 where the compiler did not say
    std::string text;
};

/// Reads the logs of NVRTC and nvcc ("file(3): error: …", the column from the caret below) and of clang
/// ("file:3:22: error: …"). Lines that are neither are passed over.
std::vector<Diagnostic> parseDiagnostics(std::string_view log);

/// Whether every error of NVIDIA's front end in `log` is about punctuation or quotes, so that no declaration of a
/// further header could clear it. False where there is no error, or where the log was cut.
bool onlySyntaxErrors(std::string_view log);

/// "compile-failed" at the first error of `log`, with the compiler's own text.
Error compileFailed(std::string_view compiler, std::string_view version, const std::string& name, std::string_view log);

} // namespace ridge::gpu
