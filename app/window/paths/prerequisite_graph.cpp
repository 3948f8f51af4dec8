// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/paths/prerequisite_graph.h"

#include "app/ui/learner_choices.h"
#include "app/window/home/lesson_progress.h"
#include "lessons/way.h"

#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

namespace ridge::app {
namespace {

constexpr int kColumns = 8, kMarkWidth = 46, kMarkHeight = 28, kColumnPitch = 78, kRowPitch = 56, kMargin = 14,
              kTop = 26; ///< room for the arcs above the first row

QString listOf(const std::vector<std::string>& ids)
{
    QStringList names;
    for (const std::string& id : ids)
        names << QString::fromStdString(id);
    return names.join(QStringLiteral(", "));
}

} // namespace

PrerequisiteGraph::PrerequisiteGraph(AppContext& context, QWidget* parent) : QWidget(parent), m_context(context)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("What builds on what"));
    connect(&context.theme(), &Theme::changed, this, [this] { updateGeometry(); });
    refresh();
}

void PrerequisiteGraph::refresh()
{
    const lessons::Curriculum& curriculum = m_context.curriculum();
    m_states.clear();
    const CourseProgress course(m_context);
    for (const lessons::PlannedLesson& planned : curriculum.planned) {
        State state = State::Absent;
        if (curriculum.head(planned.id)) {
            const LessonProgress progress = course.of(planned.id);
            state = progress.shipped                     ? State::Shipped
                    : progress.predicted || progress.ran ? State::Begun
                                                         : State::Written;
        }
        m_states[planned.id] = state;
    }
    const std::vector<std::string> way = lessonsOf(curriculum, learnerChoices());
    m_onPath = {way.begin(), way.end()};
    if (!m_states.contains(m_chosen))
        choose(way.empty() ? m_states.empty() ? std::string() : m_states.begin()->first : way.front());
    update();
}

void PrerequisiteGraph::choose(const std::string& lesson)
{
    m_chosen = lesson;
    m_before.clear();
    m_after.clear();
    const lessons::Curriculum& curriculum = m_context.curriculum();
    for (const std::string& id : lessons::ancestorsOf(curriculum, lesson))
        m_before.insert(id);
    for (const auto& [id, state] : m_states) {
        const std::vector<std::string> before = lessons::ancestorsOf(curriculum, id);
        if (std::ranges::find(before, lesson) != before.end())
            m_after.insert(id);
    }
    setAccessibleDescription(sentence());
    update();
    Q_EMIT chosenChanged();
}

QString PrerequisiteGraph::sentence() const
{
    const lessons::Curriculum& curriculum = m_context.curriculum();
    const lessons::Lesson* head = curriculum.head(m_chosen);
    if (!head)
        return {};
    std::vector<std::string> next;
    for (const lessons::Lesson& other : curriculum.heads)
        if (std::ranges::find(other.prerequisites, m_chosen) != other.prerequisites.end())
            next.push_back(other.id);
    const QString name =
        QStringLiteral("%1 %2").arg(QString::fromStdString(m_chosen), QString::fromStdString(head->title));
    const QString needs = head->prerequisites.empty() ? tr("%1 builds on no other lesson.").arg(name)
                                                      : tr("%1 builds on %2.").arg(name, listOf(head->prerequisites));
    const QString leads = next.empty() ? tr("No lesson builds on it.") : tr("It leads to %1.").arg(listOf(next));
    return needs + QLatin1Char(' ') + leads;
}

QRectF PrerequisiteGraph::place(const std::string& lesson) const
{
    if (lesson.size() != 3)
        return {};
    const Theme& theme = m_context.theme();
    const int row = lesson[0] - '1', column = lesson[2] - '1';
    return {double(theme.scaled(kMargin) + column * theme.scaled(kColumnPitch)),
            double(theme.scaled(kTop) + row * theme.scaled(kRowPitch)), double(theme.scaled(kMarkWidth)),
            double(theme.scaled(kMarkHeight))};
}

QSize PrerequisiteGraph::sizeHint() const
{
    const Theme& theme = m_context.theme();
    const int rows = std::max(1, int(m_context.curriculum().modules.size()));
    return {2 * theme.scaled(kMargin) + (kColumns - 1) * theme.scaled(kColumnPitch) + theme.scaled(kMarkWidth),
            theme.scaled(kTop) + theme.scaled(kMargin) + (rows - 1) * theme.scaled(kRowPitch) +
                theme.scaled(kMarkHeight)};
}

QSize PrerequisiteGraph::minimumSizeHint() const
{
    return sizeHint();
}

std::string PrerequisiteGraph::at(const QPointF& point) const
{
    for (const auto& [id, state] : m_states)
        if (place(id).adjusted(-3, -3, 3, 3).contains(point))
            return id;
    return {};
}

void PrerequisiteGraph::paintLines(QPainter& painter) const
{
    const Theme& theme = m_context.theme();
    for (const bool strong : {false, true})
        for (const lessons::Lesson& head : m_context.curriculum().heads)
            for (const std::string& needed : head.prerequisites) {
                const bool before = (head.id == m_chosen || m_before.contains(head.id)) && m_before.contains(needed);
                const bool after = m_after.contains(head.id) && (needed == m_chosen || m_after.contains(needed));
                if ((before || after) != strong || !m_states.contains(needed))
                    continue;
                const QRectF from = place(needed), to = place(head.id);
                QPainterPath line;
                if (needed[0] == head.id[0]) { // in one row: an arc above it
                    const QPointF a(from.center().x(), from.top()), b(to.center().x(), to.top());
                    const double lift =
                        std::min(theme.scaled(kRowPitch - kMarkHeight) * 0.8, 4 + std::abs(b.x() - a.x()) / 12.0);
                    line.moveTo(a);
                    line.cubicTo(a - QPointF(0, lift), b - QPointF(0, lift), b);
                } else {
                    const bool down = needed[0] < head.id[0];
                    const QPointF a(from.center().x(), down ? from.bottom() : from.top()),
                        b(to.center().x(), down ? to.top() : to.bottom());
                    const QPointF bend(0, (b.y() - a.y()) / 2);
                    line.moveTo(a);
                    line.cubicTo(a + bend, b - bend, b);
                }
                QPen pen(theme.color(strong ? Role::Accent : Role::Border), strong ? 1.8 : 1.0);
                if (after)
                    pen.setStyle(Qt::DashLine); // form tells as much as colour
                painter.setPen(pen);
                painter.setBrush(Qt::NoBrush);
                painter.drawPath(line);
            }
}

void PrerequisiteGraph::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = m_context.theme();
    paintLines(painter);
    painter.setFont(theme.font(TextStyle::Body));
    for (const auto& [id, state] : m_states) {
        const QRectF area = place(id);
        const bool chosen = id == m_chosen, near = m_before.contains(id) || m_after.contains(id);
        const bool shipped = state == State::Shipped;
        painter.setPen(QPen(theme.color(chosen || near || shipped ? Role::Accent : Role::BorderStrong),
                            chosen ? 2.5 : 1.2, m_onPath.contains(id) ? Qt::SolidLine : Qt::DotLine));
        painter.setBrush(theme.color(shipped ? Role::Accent : chosen ? Role::Selection : Role::Surface));
        painter.drawRoundedRect(area, 6, 6);
        if (state == State::Begun) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.color(Role::Accent));
            painter.drawRect(QRectF(area.left() + 6, area.bottom() - 5, area.width() / 2 - 6, 2.5));
        }
        painter.setPen(theme.color(shipped                                           ? Role::OnAccent
                                   : m_onPath.contains(id) && state != State::Absent ? Role::Text
                                                                                     : Role::Text3));
        painter.drawText(area, Qt::AlignCenter, QString::fromStdString(id));
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.color(Role::Link), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(place(m_chosen).adjusted(-4, -4, 4, 4), 8, 8);
    }
}

void PrerequisiteGraph::open()
{
    if (m_context.curriculum().head(m_chosen))
        Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + QString::fromStdString(m_chosen));
}

void PrerequisiteGraph::keyPressEvent(QKeyEvent* event)
{
    const auto go = [&](int rows, int columns) {
        if (m_chosen.size() != 3)
            return;
        std::string id = m_chosen;
        id[0] = char(id[0] + rows);
        id[2] = char(id[2] + columns);
        if (m_states.contains(id))
            choose(id);
    };
    switch (event->key()) {
    case Qt::Key_Left:
        return go(0, -1);
    case Qt::Key_Right:
        return go(0, 1);
    case Qt::Key_Up:
        return go(-1, 0);
    case Qt::Key_Down:
        return go(1, 0);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return open();
    default:
        QWidget::keyPressEvent(event);
    }
}

void PrerequisiteGraph::mousePressEvent(QMouseEvent* event)
{
    if (const std::string id = at(event->position()); !id.empty())
        choose(id);
}

void PrerequisiteGraph::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (!at(event->position()).empty())
        open();
}

} // namespace ridge::app

#include "moc_prerequisite_graph.cpp"
