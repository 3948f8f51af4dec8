// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/still_scroll.h"

#include <QCoreApplication>
#include <QEvent>
#include <QTimer>

namespace ridge::app {
namespace {

constexpr int kRoom = 24; ///< px between what came and the edge of the page

bool takesFocus(const QWidget* widget)
{
    return widget->isVisible() && widget->isEnabled() && widget->focusPolicy() != Qt::NoFocus;
}

} // namespace

bool StillScroll::event(QEvent* event)
{
    if (event->type() != QEvent::StyleChange)
        return QScrollArea::event(event);
    // Qt lays out all that is inside at once, while most of it has its old style and will ask again.
    QCoreApplication::postEvent(this, new QEvent(QEvent::LayoutRequest));
    return QAbstractScrollArea::event(event);
}

bool StillScroll::focusNextPrevChild(bool next)
{
    QWidget* at = window()->focusWidget();
    if (!at || !widget() || !isAncestorOf(at))
        return QScrollArea::focusNextPrevChild(next);
    if (at == this || (at->isVisible() && at->isEnabled())) // a widget counts as its own ancestor
        return at == m_stand && goOn(next) ? true : QScrollArea::focusNextPrevChild(next);
    QWidget* stand = at->parentWidget();
    while (stand != this && !takesFocus(stand))
        stand = stand->parentWidget();
    if (!takesFocus(stand)) // the whole area goes
        return QScrollArea::focusNextPrevChild(next);
    m_gone = at;
    m_stand = stand;
    stand->setFocus(Qt::OtherFocusReason);
    return true;
}

/// To the part that went, where it is back, else to the one after or before it.
bool StillScroll::goOn(bool next)
{
    QWidget* from = std::exchange(m_gone, nullptr);
    m_stand = nullptr;
    if (!from)
        return false;
    QWidget* to = from;
    while (!takesFocus(to) || !(to->focusPolicy() & Qt::TabFocus) || !isAncestorOf(to)) {
        to = next ? to->nextInFocusChain() : to->previousInFocusChain();
        if (to == from)
            return false;
    }
    to->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    ensureWidgetVisible(to);
    return true;
}

void bringIntoView(QWidget* part)
{
    QTimer::singleShot(0, part, [part] {
        for (QWidget* above = part->parentWidget(); above; above = above->parentWidget())
            if (auto* area = qobject_cast<StillScroll*>(above)) {
                // Parts that were hidden until now have no place yet, and the height of one changes that of what holds
                // it.
                for (int before = -1; area->widget() && before != area->widget()->height();) {
                    before = area->widget()->height();
                    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
                }
                if (part->isVisible())
                    area->ensureWidgetVisible(part, 0, kRoom);
                return;
            }
    });
}

void showOutcome(QWidget* outcome, const QWidget* around)
{
    const QWidget* focus = outcome->window()->focusWidget();
    if (!focus || focus == around || !focus->isVisible() || around->isAncestorOf(focus) ||
        qobject_cast<const StillScroll*>(focus))
        outcome->setFocus(Qt::OtherFocusReason);
    bringIntoView(outcome);
}

} // namespace ridge::app

#include "moc_still_scroll.cpp"
