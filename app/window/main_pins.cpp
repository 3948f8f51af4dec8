// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does with pinned runs, and with what was opened last.
#include "app/runs/compare/compare_page.h"
#include "app/runs/compare/pin_sources.h"
#include "app/window/main_window.h"
#include "app/window/recent_places.h"

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

void MainWindow::addRecentMenu()
{
    auto* menu = new RecentMenu(this);
    m_menus.value(tr("Go"))->addSeparator();
    m_menus.value(tr("Go"))->addMenu(menu);
    connect(menu, &RecentMenu::chosen, this, [this](const QString& page) {
        if (const auto opened = open(page); !opened) {
            forgetRecentPlace(page);
            Q_EMIT m_context.notice(QString::fromStdString(toText(opened.error())), true);
        }
    });
    connect(this, &MainWindow::pageShown, this, [this](const QString& shown) {
        if (m_options.remember)
            noteRecentPlace(shown, page()->title());
    });
}

} // namespace ridge::app
