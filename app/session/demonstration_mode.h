// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace ridge::app {

class AppContext;

/// Whether an instructor demonstrates: lessons then run without a prediction, and what they run is stored as such
/// (modules/evidence/demonstration.h). Off whenever the program starts. There is one for each context, which owns it.
class DemonstrationMode : public QObject {
    Q_OBJECT
public:
    static DemonstrationMode& of(AppContext& context);

    bool isOn() const { return m_on; }
    void set(bool on);
    /// Whether it holds for a lesson. One that belongs to an accepted assignment is a learner's: there the prediction
    /// comes first, whoever sits before it.
    bool holdsFor(const std::string& lesson) const;

Q_SIGNALS:
    void changed();

private:
    explicit DemonstrationMode(AppContext& context);

    AppContext& m_context;
    bool m_on = false;
};

} // namespace ridge::app
