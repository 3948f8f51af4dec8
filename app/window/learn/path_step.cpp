// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/learn/path_step.h"

#include <QPainter>
#include <QPainterPath>

namespace ridge::app {
namespace {

constexpr int kGutter = 36; ///< px at 100 %: room of the line and its marks
constexpr int kMark = 14;

QString titleLine(const ModuleStep& step)
{
    return step.capstone ? PathStepRow::tr("Capstone: %1").arg(step.title)
                         : QStringLiteral("%1  %2").arg(step.id, step.title);
}

} // namespace

PathStepRow::PathStepRow(Theme& theme, ModuleStep step, Place place, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_step(std::move(step)), m_place(place)
{
    setText(m_step.title);
    setEnabled(m_step.written);
    setFocusPolicy(m_step.written ? Qt::StrongFocus : Qt::NoFocus);
    if (m_step.written)
        setCursor(Qt::PointingHandCursor);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(m_step.capstone ? tr("Capstone, %1").arg(m_step.title)
                                      : tr("Lesson %1, %2").arg(m_step.id, m_step.title));
    setAccessibleDescription(
        m_step.written ? tr("%1 %2 minutes. %3").arg(m_step.question).arg(m_step.minutes).arg(stepText(m_step))
                       : stepText(m_step));
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

PathStepRow::Lines PathStepRow::lay(int width) const
{
    const int top = m_theme.scaled(space::s), left = m_theme.scaled(kGutter);
    const int gap = 2, right = width - space::m;
    const auto wrapped = [&](TextStyle style, const QString& words, int room) {
        return QFontMetrics(m_theme.font(style))
            .boundingRect(QRect(0, 0, std::max(80, room), 10000), Qt::TextWordWrap, words)
            .height();
    };
    Lines lines;
    const QString time = m_step.written ? durationText(m_step.minutes) : QString();
    const int timeWidth =
        time.isEmpty() ? 0 : QFontMetrics(m_theme.font(TextStyle::Body)).horizontalAdvance(time) + space::m;
    lines.title = {left, top, right - left - timeWidth,
                   wrapped(TextStyle::Strong, titleLine(m_step), right - left - timeWidth)};
    lines.time = {right - timeWidth, top, timeWidth, lines.title.height()};
    int y = lines.title.bottom() + 1 + gap;
    if (!m_step.question.isEmpty()) {
        lines.question = {left, y, right - left, wrapped(TextStyle::Body, m_step.question, right - left)};
        y = lines.question.bottom() + 1 + gap;
    }
    lines.state = {left, y, right - left, wrapped(TextStyle::Caption, stepText(m_step), right - left)};
    lines.height = lines.state.bottom() + 1 + top;
    return lines;
}

QSize PathStepRow::minimumSizeHint() const
{
    return {220, m_theme.scaled(40)};
}

int PathStepRow::heightForWidth(int width) const
{
    return lay(width).height;
}

QPointF PathStepRow::mark() const
{
    const double line = QFontMetrics(m_theme.font(TextStyle::Strong)).height();
    return {m_theme.scaled(kGutter) / 2.0, m_theme.scaled(space::s) + line / 2};
}

void PathStepRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Lines lines = lay(width());
    if (isEnabled() && (underMouse() || isDown())) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(isDown() ? Role::Selection : Role::Surface2));
        painter.drawRoundedRect(rect(), kControlRadius, kControlRadius);
    }
    const QPointF at = mark();
    const double half = m_theme.scaled(kMark) / 2.0;
    painter.setPen(QPen(m_theme.color(Role::Border), 2));
    if (m_place == Place::Middle || m_place == Place::Last)
        painter.drawLine(QPointF(at.x(), 0), QPointF(at.x(), at.y() - half - 3));
    if (m_place == Place::Middle || m_place == Place::First)
        painter.drawLine(QPointF(at.x(), at.y() + half + 3), QPointF(at.x(), height()));

    // As on Home's path: filled is shipped, half is begun, a ring is open, a dot is not written. Form, not only colour.
    const bool begun = m_step.progress.predicted || m_step.progress.ran;
    const QRectF box(at - QPointF(half, half), QSizeF(2 * half, 2 * half));
    QPainterPath shape;
    if (m_step.capstone)
        shape.addPolygon(QPolygonF({at - QPointF(0, half + 2), at + QPointF(half + 2, 0), at + QPointF(0, half + 2),
                                    at - QPointF(half + 2, 0)}));
    else
        shape.addEllipse(box);
    shape.closeSubpath();
    if (!m_step.written) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(Role::BorderStrong));
        painter.drawEllipse(at, half / 3, half / 3);
    } else {
        painter.setPen(QPen(m_theme.color(m_step.progress.shipped || begun ? Role::Accent : Role::BorderStrong), 1.5));
        painter.setBrush(m_step.progress.shipped ? QBrush(m_theme.color(Role::Accent)) : Qt::NoBrush);
        painter.drawPath(shape);
        if (begun && !m_step.progress.shipped) {
            painter.setClipRect(QRectF(at.x() - 2 * half, at.y() - 2 * half, 2 * half, 4 * half));
            painter.setBrush(m_theme.color(Role::Accent));
            painter.drawPath(shape);
            painter.setClipping(false);
        }
    }

    const int wrap = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
    painter.setFont(m_theme.font(TextStyle::Strong));
    painter.setPen(m_theme.color(m_step.written ? Role::Link : Role::Text3));
    painter.drawText(lines.title, wrap, titleLine(m_step));
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.setPen(m_theme.color(Role::Text3));
    if (m_step.written)
        painter.drawText(lines.time, Qt::AlignRight | Qt::AlignTop, durationText(m_step.minutes));
    painter.setPen(m_theme.color(Role::Text2));
    painter.drawText(lines.question, wrap, m_step.question);
    painter.setFont(m_theme.font(TextStyle::Caption));
    painter.setPen(m_theme.color(m_step.progress.shipped ? Role::Ok : Role::Text3));
    painter.drawText(lines.state, wrap, stepText(m_step));
}

} // namespace ridge::app

#include "moc_path_step.cpp"
