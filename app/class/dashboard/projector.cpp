// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/projector.h"

#include <QFontInfo>
#include <QWidget>

namespace ridge::app {

Result<void> followTheme(Theme& large, const Theme& own, bool projector)
{
    if (large.name() != own.name())
        if (auto loaded = large.load(own.name()); !loaded)
            return loaded;
    large.setTextScale(own.textScale() * (projector ? kProjectorScale : 1));
    large.setReducedMotion(own.reducedMotion());
    return {};
}

void dressControls(QWidget& root, const Theme& large, bool projector)
{
    const QFont font = large.font(TextStyle::Body);
    root.setFont(font);
    root.setStyleSheet(
        projector ? large.styleSheet() +
                        QStringLiteral("QTabBar, QPushButton, QComboBox, QComboBox QAbstractItemView, "
                                       "QSpinBox, QToolButton, QHeaderView, QTableView, QTreeView { font-size: %1px; }")
                            .arg(QFontInfo(font).pixelSize())
                  : QString());
}

} // namespace ridge::app
