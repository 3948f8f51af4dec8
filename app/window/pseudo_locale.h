// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTranslator>

namespace ridge::app {

/// A language that nobody speaks, for finding what cannot be translated: every word of the program comes back with
/// accents, a third longer and between « and ». What reads as English then is content, or was never given to tr().
class PseudoLocale : public QTranslator {
public:
    using QTranslator::QTranslator;
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* disambiguation, int n) const override;
};

/// Tags, entities, places for values (%1, %L1, %n) and mnemonics stay as they are.
QString pseudoText(const QString& text);

} // namespace ridge::app
