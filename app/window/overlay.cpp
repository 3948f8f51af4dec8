// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/overlay.h"

#include <QApplication>
#include <QFrame>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

namespace ridge::app {

Overlay::Overlay(Theme& theme, const QString& accessibleName, QSize cardSize, QWidget* window)
    : QWidget(window), m_theme(theme), m_cardSize(cardSize), m_card(new QFrame(this)), m_column(new QVBoxLayout(m_card))
{
    setAccessibleName(accessibleName);
    m_card->setAccessibleName(accessibleName);
    m_card->setProperty("card", true);
    m_column->setContentsMargins(space::m, space::m, space::m, space::m);
    m_column->setSpacing(space::s);
    window->installEventFilter(this);
    hide();
}

void Overlay::open()
{
    if (!isVisible())
        m_before = QApplication::focusWidget();
    aboutToOpen();
    place();
    show();
    raise();
    if (QWidget* first = firstFocus())
        first->setFocus(Qt::ShortcutFocusReason);
}

void Overlay::close(bool restoreFocus)
{
    if (!isVisible())
        return;
    hide();
    if (restoreFocus && m_before)
        m_before->setFocus(Qt::OtherFocusReason);
    Q_EMIT closed();
}

void Overlay::place()
{
    setGeometry(parentWidget()->rect());
    const int width = std::min(m_theme.scaled(m_cardSize.width()), this->width() - 2 * space::l);
    const int height = std::min(m_theme.scaled(m_cardSize.height()), this->height() - 2 * space::l);
    m_card->setGeometry((this->width() - width) / 2, std::max<int>(space::l, (this->height() - height) / 5), width,
                        height);
}

void Overlay::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    QColor veil = m_theme.color(Role::Window);
    veil.setAlphaF(0.72F);
    painter.fillRect(rect(), veil);
}

void Overlay::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        return close();
    event->accept(); // nothing below the veil is driven from here
}

void Overlay::mousePressEvent(QMouseEvent*)
{
    close();
}

bool Overlay::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize && isVisible())
        place();
    return QWidget::eventFilter(watched, event);
}

bool Overlay::focusNextPrevChild(bool next)
{
    QWidget* const start = QApplication::focusWidget();
    for (QWidget* at = start; at;) {
        at = next ? at->nextInFocusChain() : at->previousInFocusChain();
        if (!at || at == start)
            break;
        if (isAncestorOf(at) && at->isVisible() && at->isEnabled() && (at->focusPolicy() & Qt::TabFocus)) {
            at->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
            return true;
        }
    }
    return true; // stay: there is no other place to go inside
}

} // namespace ridge::app

#include "moc_overlay.cpp"
