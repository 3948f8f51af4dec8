// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does with pinned runs.
#include "app/compare/compare_page.h"
#include "app/compare/pin_sources.h"
#include "app/shell/main_window.h"

namespace ridge::app {

void MainWindow::pinRunsInView()
{
    std::vector<record::RunRow> runs = page() ? page()->runsInView() : std::vector<record::RunRow>();
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

void MainWindow::comparePinned()
{
    (void)open(QStringLiteral("compare"));
}

void MainWindow::restorePins()
{
    // Pins are called by the titles of the catalogue.
    if (!m_context.hasCatalogue())
        return;
    for (const QString& key : std::exchange(m_pinsToCome, {}))
        (void)pinByKey(m_context, key); // what is gone is gone
}

/// What a policy keeps back of them, or no longer does, is another than when they were pinned.
void MainWindow::readPinsAgain()
{
    QStringList keys;
    for (const Pin& each : m_context.pins().pins())
        if (!each.fromFile())
            keys << each.key;
    for (const QString& key : std::as_const(keys))
        (void)pinByKey(m_context, key);
}

} // namespace ridge::app
