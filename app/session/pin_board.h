// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

#include <QObject>
#include <QString>
#include <vector>

namespace ridge::app {

/// Runs put aside to be compared: one run, or all runs of one sweep, from the store or from a file that another machine
/// wrote.
struct Pin {
    QString key;    ///< "run:<id>", "sweep:<id>" or "file:<path>": equal keys are the same pin
    QString letter; ///< "A" … "H", kept for as long as it is pinned
    QString name;   ///< what it is called: "coalescing, stride 1 … 128"
    std::vector<record::RunRow> runs;

    bool fromFile() const { return key.startsWith(QLatin1String("file:")); }
};

/// The pins of this window, in the order in which they are compared: the first is the baseline. GUI thread.
class PinBoard : public QObject {
    Q_OBJECT
public:
    static constexpr std::size_t kMaxPins = 8; ///< as many series as the palette tells apart

    using QObject::QObject;

    const std::vector<Pin>& pins() const { return m_pins; }
    bool contains(const QString& key) const;
    /// Pins what `pin.key` names, with a letter of its own. Pinned already: replaces its runs (a sweep that has grown).
    /// Errors: "pins-full", "nothing-to-pin" (no finished run in it).
    Result<void> add(Pin pin);
    void remove(const QString& key);
    void clear();
    /// Makes it the first, what the others are compared with.
    void setBaseline(const QString& key);

Q_SIGNALS:
    void changed();

private:
    QString freeLetter() const;

    std::vector<Pin> m_pins;
};

} // namespace ridge::app
