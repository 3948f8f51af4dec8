// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/page.h"

namespace ridge::app {

/// The page that serves a place: "learn" for "lesson/2.4" and "module/1", "portfolio" for "artifact/<id>".
QString destinationOf(const QString& place);

/// Where the rail stands on a page that is no destination of its own; coming back leads to the destination.
QString railOf(const QString& destination);

/// The page of a destination; null for a name that is none.
Page* makePage(const QString& destination, AppContext& context, QWidget* parent);

} // namespace ridge::app
