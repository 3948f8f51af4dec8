// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QWidget>

namespace ridge::app {

/// The 32 lanes of a warp in one row: those that execute are filled, those whose guard is false hatched, those on
/// another path empty, those that have exited crossed. Its sentence says the same.
class LaneStrip : public QWidget {
    Q_OBJECT
public:
    explicit LaneStrip(Theme& theme, QWidget* parent = nullptr);
    void setMasks(std::uint32_t executed, std::uint32_t active, std::uint32_t live);
    QString sentence() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    std::uint32_t m_executed = 0, m_active = 0, m_live = 0;
};

} // namespace ridge::app
