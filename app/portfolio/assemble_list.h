// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "record/rows.h"

#include <QListWidget>

namespace ridge::app {

/// The artifacts with a tick each, in the order in which they are to appear. Ticked ones go first; they are ordered by
/// dragging or with Alt+Up and Alt+Down. Space ticks.
class AssembleList : public QListWidget {
    Q_OBJECT
public:
    explicit AssembleList(Theme& theme, QWidget* parent = nullptr);

    /// Keeps ticks and order of those that were there.
    void setArtifacts(const std::vector<record::ArtifactRow>& rows);
    std::vector<std::string> chosen() const; ///< ids, in order
    bool moveCurrent(int by);                ///< false at either end

Q_SIGNALS:
    void choiceChanged(); ///< ticks or order

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void startDrag(Qt::DropActions actions) override;
    void dropEvent(QDropEvent* event) override;
};

} // namespace ridge::app
