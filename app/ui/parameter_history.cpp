// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/parameter_history.h"

#include "app/ui/parameter_form.h"

#include <QUndoCommand>

namespace ridge::app {
namespace {

/// The one parameter in which they differ; empty: none or several.
std::string onlyChange(const ParamSet& before, const ParamSet& after)
{
    std::string name;
    for (const auto& [each, value] : after) {
        const auto was = before.find(each);
        if (was != before.end() && was->second == value)
            continue;
        if (!name.empty())
            return {};
        name = each;
    }
    return name;
}

} // namespace

class ParameterStep : public QUndoCommand {
public:
    ParameterStep(ParameterHistory& history, ParamSet before, ParamSet after, bool goesOn)
        : m_history(&history), m_before(std::move(before)), m_after(std::move(after)), m_goesOn(goesOn)
    {
    }
    int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto& next = *static_cast<const ParameterStep*>(other);
        const std::string name = onlyChange(m_before, m_after);
        if (next.m_history != m_history || !next.m_goesOn || name.empty() ||
            name != onlyChange(next.m_before, next.m_after))
            return false;
        m_after = next.m_after;
        setObsolete(m_before == m_after);
        return true;
    }
    void undo() override { show(m_before); }
    void redo() override { show(m_after); }

private:
    void show(const ParamSet& values)
    {
        if (m_history) // its form may have been closed
            m_history->show(values);
    }
    QPointer<ParameterHistory> m_history;
    ParamSet m_before, m_after;
    bool m_goesOn;
};

ParameterHistory::ParameterHistory(QUndoStack& stack, QObject* parent) : QObject(parent), m_stack(stack) {}

void ParameterHistory::watch(ParameterForm* form, bool fresh)
{
    if (fresh)
        m_stack.clear();
    m_form = form;
    m_now = form->values();
    settle();
    connect(form, &ParameterForm::changed, this, &ParameterHistory::note);
}

void ParameterHistory::note()
{
    if (m_showing || !m_form)
        return;
    auto* step = new ParameterStep(*this, m_now, m_form->values(), m_goesOn);
    m_now = m_form->values();
    m_goesOn = true;
    m_showing = true; // pushing does it, and it is done
    m_stack.push(step);
    m_showing = false;
}

void ParameterHistory::show(const ParamSet& values)
{
    if (!m_form || m_showing)
        return;
    m_showing = true;
    for (const auto& [name, value] : values)
        m_form->setValue(name, value);
    m_showing = false;
    m_now = m_form->values();
    settle();
}

} // namespace ridge::app

#include "moc_parameter_history.cpp"
