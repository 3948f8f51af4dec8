// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/focus_ring.h"

#include "app/theme/theme.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QFocusEvent>
#include <QMainWindow>
#include <QPainter>
#include <QSplitter>
#include <QStackedWidget>

namespace ridge::app {
namespace {

constexpr int kWidth = 2;
constexpr int kOffset = 2;

class RingFrame : public QWidget {
public:
    RingFrame(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
    {
        setObjectName(QStringLiteral("ridgeFocusRing"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setAttribute(Qt::WA_NoSystemBackground);
        setFocusPolicy(Qt::NoFocus);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_theme.color(Role::Link), kWidth));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kControlRadius + kOffset,
                                kControlRadius + kOffset);
    }

private:
    Theme& m_theme;
};

/// These parents lay out every child they get, or leave no room around it.
bool needsInnerRing(const QWidget* widget)
{
    const QWidget* parent = widget->parentWidget();
    return !parent || widget->isWindow() || qobject_cast<const QSplitter*>(parent) ||
           qobject_cast<const QStackedWidget*>(parent) || qobject_cast<const QMainWindow*>(parent) ||
           qobject_cast<const QAbstractScrollArea*>(widget) || widget->property("innerFocusRing").toBool();
}

/// The nearest widget around `widget` that has room for `ring` (in the parent's coordinates, moved to that widget's).
/// What scrolls with `widget` is never left, nor what would lay out the ring; there it may have to be smaller.
QWidget* hostOf(const QWidget* widget, QRect& ring)
{
    QWidget* host = widget->parentWidget();
    while (!host->rect().contains(ring) && !host->isWindow() && host->parentWidget()) {
        QWidget* above = host->parentWidget();
        const bool scrolls = qobject_cast<const QAbstractScrollArea*>(above->parentWidget());
        if (scrolls || qobject_cast<const QAbstractScrollArea*>(above) || qobject_cast<const QSplitter*>(above) ||
            qobject_cast<const QStackedWidget*>(above) || qobject_cast<const QMainWindow*>(above))
            break;
        ring.translate(host->pos());
        host = above;
    }
    return host;
}

} // namespace

FocusRing::FocusRing(Theme& theme) : QObject(&theme), m_theme(theme)
{
    qApp->installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
}

FocusRing::~FocusRing()
{
    delete m_frame;
}

QWidget* FocusRing::frame() const
{
    return m_frame;
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::FocusIn: {
        const auto reason = static_cast<QFocusEvent*>(event)->reason();
        if (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason)
            m_keyboard = true;
        else if (reason == Qt::MouseFocusReason)
            m_keyboard = false;
        if (watched == m_target || watched == QApplication::focusWidget())
            follow(qobject_cast<QWidget*>(watched));
        break;
    }
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::ParentChange:
        if (watched == m_target || (m_target && watched->isWidgetType() && watched != m_frame &&
                                    static_cast<QWidget*>(watched)->isAncestorOf(m_target)))
            place();
        break;
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

void FocusRing::follow(QWidget* widget)
{
    const bool wanted = widget && m_keyboard && !qobject_cast<QMainWindow*>(widget);
    m_target = wanted ? widget : nullptr;
    place();
}

void FocusRing::place()
{
    QWidget* host = nullptr;
    QRect ring;
    if (m_target && m_target->isVisible()) {
        const int out = kWidth + kOffset;
        const bool inside = needsInnerRing(m_target);
        ring = inside ? m_target->rect() : m_target->geometry().adjusted(-out, -out, out, out);
        host = inside ? m_target.data() : hostOf(m_target, ring);
    }
    if (!host) {
        if (m_frame)
            m_frame->hide();
        return;
    }
    if (!m_frame)
        m_frame = new RingFrame(m_theme, host);
    else if (m_frame->parentWidget() != host)
        m_frame->setParent(host);
    // Where there is no room around the control the ring runs over its edge: it is closed on every side.
    m_frame->setGeometry(ring.intersected(host->rect()));
    m_frame->raise();
    m_frame->show();
}

} // namespace ridge::app

#include "moc_focus_ring.cpp"
