// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace ridge::app {

/// Something about a line of the source that the learner should see where it stands.
struct SourceNote {
    enum class Kind { Error, Warning, Report };
    Kind kind = Kind::Error;
    int line = 0; ///< 1-based; 0: of no line
    int column = 0;
    QString title;     ///< "Error", "Shared-memory race, 64 times"
    QString text;      ///< what happened, for a person
    QString advice;    ///< what to look for; empty: none
    int otherLine = 0; ///< the second side of a race; 0: none
};

/// What a compiler said, in the order in which it said it: NVIDIA's "file(6): error: …" and clang's "file:6:23: error:
/// …". Notes about other files (headers) have line 0 and name the file.
std::vector<SourceNote> compileMessages(const QString& log, const QString& file);

/// What Icarus Verilog said of a design, each line once: "array.sv:6: syntax error", "array.sv:6: error: …".
std::vector<SourceNote> verilogMessages(const QString& log, const QString& file);

} // namespace ridge::app
