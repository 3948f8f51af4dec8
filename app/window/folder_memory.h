// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace ridge::app {

/// Every file dialog of the program begins in the folder that a dialog of the same title ended in, else in the last
/// folder that any of them ended in, where the dialog names none itself. Settings: folders/<title>, folders/last.
class FolderMemory : public QObject {
public:
    explicit FolderMemory(QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace ridge::app
