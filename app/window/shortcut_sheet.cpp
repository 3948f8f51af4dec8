// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/shortcut_sheet.h"

#include "app/ui/panels.h"
#include "app/ui/still_scroll.h"

#include <QGridLayout>
#include <QVBoxLayout>

namespace ridge::app {

std::vector<ActionSpec> byMenu(const std::vector<ActionSpec>& specs)
{
    QStringList menus;
    for (const ActionSpec& spec : specs)
        if (!menus.contains(spec.menu))
            menus << spec.menu;
    std::vector<ActionSpec> sorted = specs;
    std::stable_sort(sorted.begin(), sorted.end(), [&](const ActionSpec& a, const ActionSpec& b) {
        return menus.indexOf(a.menu) < menus.indexOf(b.menu);
    });
    return sorted;
}

ShortcutSheet::ShortcutSheet(Theme& theme, ActionRegistry& actions, QWidget* window)
    : Overlay(theme, tr("Keyboard shortcuts"), QSize(860, 640), window), m_actions(actions), m_scroll(new StillScroll)
{
    column()->setContentsMargins(space::xl, space::l, space::s, space::l);
    column()->addWidget(makeLabel(theme, tr("Keyboard shortcuts"), TextStyle::ReadH2));
    column()->addWidget(makeLabel(theme, tr("Single letters act only while no text field has the focus. Esc closes."),
                                  TextStyle::Body, QStringLiteral("muted")));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::StrongFocus);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setAccessibleName(tr("Keyboard shortcuts"));
    column()->addWidget(m_scroll, 1);
}

QWidget* ShortcutSheet::firstFocus()
{
    return m_scroll;
}

void ShortcutSheet::aboutToOpen()
{
    m_lines.clear();
    auto* holder = new QWidget;
    holder->setAccessibleName(tr("Keyboard shortcuts"));
    auto* grid = new QGridLayout(holder);
    grid->setContentsMargins(space::m, 0, space::l, space::m);
    grid->setHorizontalSpacing(space::xl);
    grid->setVerticalSpacing(space::s);
    grid->setColumnStretch(1, 1);
    int row = 0;
    QString menu;
    for (const ActionSpec& spec : byMenu(m_actions.specs())) {
        if (spec.shortcuts.isEmpty())
            continue;
        if (spec.menu != menu) {
            menu = spec.menu;
            grid->setRowMinimumHeight(row++, space::s);
            grid->addWidget(makeLabel(theme(), menu, TextStyle::Strong, QStringLiteral("muted")), row++, 0, 1, 2);
        }
        QStringList keys;
        for (const QKeySequence& sequence : spec.shortcuts)
            keys << sequence.toString(QKeySequence::NativeText);
        const QString shown = keys.join(QStringLiteral(", "));
        grid->addWidget(makeLabel(theme(), shown, TextStyle::Code), row, 0);
        grid->addWidget(makeText(theme(), spec.help), row++, 1);
        m_lines << shown + QStringLiteral("  ") + QString(spec.text).remove(QLatin1Char('&'));
    }
    grid->setRowStretch(row, 1);
    m_scroll->setWidget(holder); // deletes the one before
    holder->setAutoFillBackground(false);
}

} // namespace ridge::app

#include "moc_shortcut_sheet.cpp"
