// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QWidget>

namespace ridge::app {

/// Lies over a page while something is dragged across it, and says what letting go does.
class DropVeil : public QWidget {
    Q_OBJECT
public:
    DropVeil(Theme& theme, QWidget* over);
    void showFor(const QString& words);

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    QString m_words;
};

} // namespace ridge::app
