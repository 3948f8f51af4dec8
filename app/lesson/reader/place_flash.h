// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QPointer>
#include <QWidget>

class QVariantAnimation;

namespace ridge::app {

/// Says "here": a tinted box with a bar at its left edge over the place one has jumped to. It fades; with reduced
/// motion it stands for as long and goes.
class PlaceFlash : public QWidget {
    Q_OBJECT
public:
    PlaceFlash(Theme& theme, QWidget* parent);
    /// `area` in coordinates of the parent.
    void flash(const QRect& area);
    bool isFlashing() const { return isVisible(); }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    QVariantAnimation* m_fade;
    double m_strength = 0;
};

} // namespace ridge::app
