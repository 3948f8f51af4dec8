// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"

#include <QPointer>
#include <QUndoStack>

namespace ridge::app {

class ParameterForm;

/// What was changed in a form, to be taken back. A slider that is dragged is one step, until something runs with the
/// value it came to. Forms of one document share its stack, which outlives them.
class ParameterHistory : public QObject {
    Q_OBJECT
public:
    explicit ParameterHistory(QUndoStack& stack, QObject* parent = nullptr);

    /// The form from now on. `fresh`: of another experiment, whose past is none; empties the stack.
    void watch(ParameterForm* form, bool fresh);
    /// What is in the form is kept as it is: the next change is a step of its own.
    void settle() { m_goesOn = false; }

private:
    friend class ParameterStep;
    void note();
    void show(const ParamSet& values);

    QPointer<ParameterForm> m_form;
    ParamSet m_now;
    bool m_goesOn = false, m_showing = false;
    QUndoStack& m_stack;
};

} // namespace ridge::app
