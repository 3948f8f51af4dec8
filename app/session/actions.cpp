// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/actions.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QWidget>
#include <algorithm>
#include <stdexcept>

namespace ridge::app {
namespace {

bool isPlainKey(const QKeyEvent& event)
{
    const auto modifiers = event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier);
    return modifiers == Qt::NoModifier && !event.text().isEmpty() && event.text().at(0).isPrint();
}

bool takesText(const QWidget& widget)
{
    return widget.testAttribute(Qt::WA_InputMethodEnabled) && !widget.inputMethodQuery(Qt::ImReadOnly).toBool();
}

} // namespace

ActionRegistry::ActionRegistry(QObject* parent) : QObject(parent)
{
    if (auto* application = QCoreApplication::instance())
        application->installEventFilter(this);
}

QAction* ActionRegistry::add(const ActionSpec& spec, std::function<void()> run)
{
    if (spec.id.isEmpty() || m_actions.contains(spec.id))
        throw std::logic_error("ActionRegistry: the id '" + spec.id.toStdString() + "' is empty or taken");
    auto* action = new QAction(spec.text, this);
    action->setObjectName(spec.id);
    action->setStatusTip(spec.help);
    action->setWhatsThis(spec.help);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    m_actions.insert(spec.id, action);
    m_specs.push_back(spec);
    m_defaults.insert(spec.id, spec.shortcuts);
    apply(spec);
    Q_EMIT added(spec.id);
    return action;
}

QAction* ActionRegistry::find(const QString& id) const
{
    return m_actions.value(id, nullptr);
}

void ActionRegistry::apply(const ActionSpec& spec)
{
    QAction* action = m_actions.value(spec.id);
    action->setShortcuts(spec.plainKey && !m_plainKeys ? QList<QKeySequence>() : spec.shortcuts);
    action->setToolTip(spec.shortcuts.isEmpty()
                           ? spec.help
                           : tr("%1 (%2)").arg(spec.help, spec.shortcuts.first().toString(QKeySequence::NativeText)));
}

Result<void> ActionRegistry::setShortcuts(const QString& id, const QList<QKeySequence>& shortcuts)
{
    const auto found =
        std::find_if(m_specs.begin(), m_specs.end(), [&](const ActionSpec& spec) { return spec.id == id; });
    if (found == m_specs.end())
        return Error{"unknown-action", "There is no command of this name.", id.toStdString(), ""};
    for (const ActionSpec& other : m_specs)
        for (const QKeySequence& keys : shortcuts)
            if (other.id != id && other.shortcuts.contains(keys))
                return Error{"shortcut-taken",
                             keys.toString(QKeySequence::NativeText).toStdString() + " belongs to \"" +
                                 QString(other.text).remove(QLatin1Char('&')).toStdString() + "\".",
                             "", "Choose other keys, or give that command others first."};
    if (found->shortcuts == shortcuts)
        return {};
    found->shortcuts = shortcuts;
    apply(*found);
    Q_EMIT shortcutsChanged();
    return {};
}

QList<QKeySequence> ActionRegistry::defaultShortcuts(const QString& id) const
{
    return m_defaults.value(id);
}

void ActionRegistry::resetShortcuts()
{
    for (ActionSpec& spec : m_specs) {
        spec.shortcuts = m_defaults.value(spec.id);
        apply(spec);
    }
    Q_EMIT shortcutsChanged();
}

void ActionRegistry::setPlainKeys(bool on)
{
    if (m_plainKeys == on)
        return;
    m_plainKeys = on;
    for (const ActionSpec& spec : m_specs)
        apply(spec);
    Q_EMIT shortcutsChanged();
}

QStringList ActionRegistry::conflicts() const
{
    QHash<QKeySequence, QString> owner;
    QStringList found;
    for (const ActionSpec& spec : m_specs)
        for (const QKeySequence& keys : spec.shortcuts) {
            if (owner.contains(keys))
                found << QStringLiteral("%1: %2, %3").arg(keys.toString(), owner.value(keys), spec.id);
            owner.insert(keys, spec.id);
        }
    return found;
}

// A text field must get its letters even where its class does not claim them itself (WCAG 2.1.4).
bool ActionRegistry::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* widget = qobject_cast<QWidget*>(watched);
        if (widget && isPlainKey(*static_cast<QKeyEvent*>(event)) && takesText(*widget)) {
            event->accept();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace ridge::app

#include "moc_actions.cpp"
