// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace ridge::app {

/// Keeps an empty clipboard out of views of text: there is nothing to insert, and Qt 6.4 looks at the first format of
/// what it inserts without asking whether there is one. For keys and the middle button; menus ask before they offer it.
class PasteGuard : public QObject {
public:
    explicit PasteGuard(QObject& owner); ///< for the whole application; GUI thread

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace ridge::app
