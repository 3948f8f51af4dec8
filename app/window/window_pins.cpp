// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/window_pins.h"

#include "app/runs/compare/pin_sources.h"

namespace ridge::app {

WindowPins::WindowPins(AppContext& context, QObject* parent) : QObject(parent), m_context(context)
{
    connect(&context, &AppContext::catalogueReady, this, &WindowPins::pinWaiting);
    connect(&context.feedback(), &FeedbackWatch::changed, this, &WindowPins::readAgain);
}

void WindowPins::pin(std::vector<record::RunRow> runs)
{
    if (runs.empty())
        return;
    Pin pin = pinOf(m_context, std::move(runs));
    const QString key = pin.key;
    if (auto pinned = m_context.pins().add(std::move(pin)); !pinned) {
        Q_EMIT m_context.notice(QString::fromStdString(toText(pinned.error())), true);
        return;
    }
    for (const Pin& each : m_context.pins().pins())
        if (each.key == key)
            Q_EMIT m_context.notice(tr("Pinned as %1; Ctrl+Shift+C compares.").arg(each.letter), false);
}

void WindowPins::restore(const QStringList& keys)
{
    m_waiting = keys;
    pinWaiting();
}

QStringList WindowPins::keys() const
{
    return m_waiting + pinKeys(m_context.pins());
}

void WindowPins::pinWaiting()
{
    if (!m_context.hasCatalogue())
        return;
    for (const QString& key : std::exchange(m_waiting, {}))
        (void)pinByKey(m_context, key); // what is gone is gone
}

/// What a policy keeps back of them, or no longer does, is another than when they were pinned.
void WindowPins::readAgain()
{
    QStringList keys;
    for (const Pin& each : m_context.pins().pins())
        if (!each.fromFile())
            keys << each.key;
    for (const QString& key : std::as_const(keys))
        (void)pinByKey(m_context, key);
}

} // namespace ridge::app

#include "moc_window_pins.cpp"
