// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVector>

namespace ridge::app {

/// How well `pattern` fits `text`, −1: not at all. Each word of the pattern, in any order, stands there as it is, or as
/// beginnings of words ("gpg" for "go to page"), or as one word with letters left out ("clsc" for "coalescing").
/// Letters merely strewn in order do not fit: they would find what nobody meant. Case does not matter.
int fuzzyScore(const QString& pattern, const QString& text);

/// Whether every word of the pattern stands in the text as it is.
bool containsWords(const QString& pattern, const QString& text);

} // namespace ridge::app
