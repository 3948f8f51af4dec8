// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QObject>

namespace ridge::app {

/// Keeps the board of pinned runs as it was last time, and as a policy lets it be seen. GUI thread.
class WindowPins : public QObject {
    Q_OBJECT
public:
    WindowPins(AppContext& context, QObject* parent);

    /// Pins runs and says under which letter; none: nothing.
    void pin(std::vector<record::RunRow> runs);
    /// Pins these again as soon as the catalogue is there, by whose titles pins are called.
    void restore(const QStringList& keys);
    QStringList keys() const; ///< for the next time

private:
    void pinWaiting();
    void readAgain();

    AppContext& m_context;
    QStringList m_waiting; ///< for the catalogue
};

} // namespace ridge::app
