// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace ridge::app {

/// While it lives, no widget hears that its style changed where it has the application's style before and after.
///
/// A page is built from its leaves: each time a part joins what holds it, Qt 6.4 sends QEvent::StyleChange to every
/// widget of the part, because the application has a style sheet (QWidgetPrivate::inheritStyle). Each then updates its
/// size and lays out its parents anew, which took a third of the time that a page needs to be made. GUI thread.
class BuildingScope : public QObject {
public:
    BuildingScope();
    ~BuildingScope() override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace ridge::app
