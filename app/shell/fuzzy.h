// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVector>

namespace ridge::app {

/// How well `pattern` fits `text`: every letter in order, better at the start of words and in unbroken runs. −1: it
/// does not fit. Several words of the pattern may come in any order. Case does not matter.
int fuzzyScore(const QString& pattern, const QString& text);

} // namespace ridge::app
