// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/still_scroll.h"

namespace ridge::app {

/// A scroll area that takes `body` and shows nothing of itself but its vertical bar: where large text in a small window
/// has no room, a page scrolls instead of squeezing its parts.
inline QScrollArea* scrolled(QWidget* body, const QString& accessibleName)
{
    auto* scroll = new StillScroll;
    scroll->setAccessibleName(accessibleName);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(body);
    scroll->viewport()->setAutoFillBackground(false);
    body->setAutoFillBackground(false);
    return scroll;
}

} // namespace ridge::app
