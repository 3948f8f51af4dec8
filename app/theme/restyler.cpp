// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/restyler.h"

#include "app/theme/theme.h"

#include <QApplication>
#include <QEvent>
#include <QStyle>
#include <QWidget>
#include <ctime>

namespace ridge::app {
namespace {

/// Widgets that are styled at once, and in each turn afterwards, at most: a turn ends as soon as it has computed for
/// long, which some tables and slow machines take fewer widgets for. Between two turns there is time for layouts,
/// pictures and what the person does.
constexpr int kAtOnce = 80, kSlice = 100, kPauseMs = 5;
constexpr double kLongMs = 15;
constexpr int kLongThen = 8; ///< what takes long, in widgets

/// What this thread has computed. The clock on the wall goes on while others have the processor, and fewer widgets a
/// turn would be no help then.
double computedMs()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

/// Every widget, those that are at least partly in a window's picture first, those of hidden pages last. A child comes
/// after its parent, whose palette and font it takes over.
class Order {
public:
    Order()
    {
        for (QWidget* widget : QApplication::allWidgets())
            if (!widget->parentWidget())
                walk(widget, widget->isVisible(), widget->rect());
    }

    std::deque<QPointer<QWidget>> seenFirst()
    {
        std::deque<QPointer<QWidget>> all(m_seen.begin(), m_seen.end());
        all.insert(all.end(), m_outside.begin(), m_outside.end());
        all.insert(all.end(), m_hidden.begin(), m_hidden.end());
        return all;
    }

    QSet<const QObject*> outside() const { return {m_outside.begin(), m_outside.end()}; }

private:
    /// `part` of the widget is in the picture, where it is `seen` at all.
    void walk(QWidget* widget, bool seen, const QRect& part)
    {
        (seen ? m_seen : widget->isVisible() ? m_outside : m_hidden).push_back(widget);
        for (QObject* object : widget->children()) {
            auto* child = qobject_cast<QWidget*>(object);
            if (!child)
                continue;
            const QRect whole = child->rect();
            const QRect left = child->isWindow() ? whole : whole & part.translated(-child->pos());
            // What has no size yet may get one by its new style.
            const bool shown =
                child->isVisible() && (child->isWindow() || (seen && (!left.isEmpty() || whole.isEmpty())));
            walk(child, shown, left);
        }
    }

    std::vector<QWidget*> m_seen, m_outside, m_hidden;
};

} // namespace

void followTheme(Theme& theme, QWidget* widget, std::function<void()> then)
{
    QObject::connect(&theme, &Theme::changed, widget,
                     [&theme, widget, then = std::move(then)] { Restyler::of(theme).whenStyled(widget, then); });
}

Restyler::Restyler(QObject* parent) : QObject(parent)
{
    m_turn.setSingleShot(true);
    connect(&m_turn, &QTimer::timeout, this, [this] { restyle(kSlice); });
}

Restyler& Restyler::of(QObject& owner)
{
    if (auto* known = owner.findChild<Restyler*>(QString(), Qt::FindDirectChildrenOnly))
        return *known;
    return *new Restyler(&owner);
}

void Restyler::setStyleSheet(QApplication& application, const QString& sheet)
{
    if (application.styleSheet().isEmpty()) {
        application.setStyleSheet(sheet);
        return;
    }
    // A style that is taken from the application forgets what it worked out for each widget, and a new style sheet is
    // given at once only to widgets of which it knows something.
    QApplication::style()->unpolish(&application);
    application.setStyleSheet(sheet);
    QApplication::style()->polish(&application);
    Order order;
    m_left = order.seenFirst();
    m_outside = order.outside();
    m_waiting.clear();
    m_then.clear();
    for (const auto& widget : m_left)
        m_waiting.insert(widget.data());
    application.installEventFilter(this);
    restyle(kAtOnce);
}

void Restyler::restyle(int most)
{
    const double until = computedMs() + kLongMs;
    for (int done = 0; done < most && !m_left.empty() && computedMs() < until;) {
        const QPointer<QWidget> next = m_left.front();
        m_left.pop_front();
        done += next ? take(next) : 0;
    }
    if (!m_left.empty())
        return m_turn.start(kPauseMs);
    m_waiting.clear();
    m_outside.clear();
    m_then.clear();
    qApp->removeEventFilter(this);
}

void Restyler::whenStyled(QWidget* widget, std::function<void()> then)
{
    if (widget->isVisible() || !m_waiting.contains(widget))
        return then();
    m_then[widget].append({widget, std::move(then), 1});
}

void Restyler::whenInTurn(QWidget* widget, std::function<void()> then)
{
    if (!m_waiting.contains(widget) || (widget->isVisible() && !m_outside.contains(widget)))
        return then();
    m_then[widget].append({widget, std::move(then), kLongThen});
}

int Restyler::take(QWidget* widget)
{
    if (!m_waiting.remove(widget))
        return 0;
    widget->style()->polish(widget);
    QEvent change(QEvent::StyleChange);
    QCoreApplication::sendEvent(widget, &change);
    int done = 1;
    for (const Then& each : m_then.take(widget)) {
        done += each.cost;
        if (each.widget) // else another one stands where it stood
            each.act();
    }
    return done;
}

bool Restyler::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Show && watched->isWidgetType())
        take(static_cast<QWidget*>(watched));
    return QObject::eventFilter(watched, event);
}

} // namespace ridge::app

#include "moc_restyler.cpp"
