// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QStringList>

namespace ridge::record {

/// Splits a command line as a POSIX shell does (blanks, 'single' and "double" quotes, backslash), and expands nothing.
/// Errors: "bad-launcher" for an open quote, and for what only a shell could carry out ($, `, ;, |, &, <, >,
/// parentheses).
Result<QStringList> splitShellWords(const QString& text);

/// The word as a POSIX shell has to read it to get it back; plain words stay as they are.
QString shellQuoted(const QString& word);
QString shellQuoted(const QStringList& words);

} // namespace ridge::record
