// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/steps_paint.h"

#include "app/class/dashboard/class_texts.h"
#include "app/class/dashboard/steps_model.h"
#include "app/drawing/charts/plot_paint.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr std::size_t kSteps = 5;
constexpr int kBox = 18, kSlot = 24; ///< px at 100 %

} // namespace

QRectF stepSlot(const QRectF& cell, std::size_t step)
{
    const double width = (cell.width() - 2 * space::s) / kSteps;
    return {cell.left() + space::s + width * static_cast<double>(step), cell.top(), width, cell.height()};
}

int narrowLesson(const Theme& theme)
{
    // Three digits of a count have to stand in a slot.
    const double count = textWidth(theme, TextStyle::Caption, QStringLiteral("888")) + space::xs;
    return static_cast<int>(kSteps * std::max<double>(theme.scaled(kSlot), std::ceil(count))) + 2 * space::s;
}

int wideLesson(const Theme& theme)
{
    double widest = 0;
    for (std::size_t step = 0; step < kSteps; ++step)
        widest = std::max(widest, textWidth(theme, TextStyle::Caption, stepTitle(step)));
    return static_cast<int>(kSteps * (std::ceil(widest) + space::m)) + 2 * space::s;
}

StepsDelegate::StepsDelegate(Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme)
{
    connect(&theme, &Theme::changed, this, [this] { m_boxes = {}; });
}

const QPixmap& StepsDelegate::box(bool done, double ratio) const
{
    QPixmap& pixmap = m_boxes[done ? 1 : 0];
    const int size = m_theme.scaled(kBox);
    if (!pixmap.isNull() && pixmap.devicePixelRatio() == ratio)
        return pixmap;
    pixmap = QPixmap((QSizeF(size, size) * ratio).toSize());
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    if (done) { // no frame around it: nothing here can be ticked
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(Role::Selection));
        painter.drawRoundedRect(QRectF(0, 0, size, size), kControlRadius, kControlRadius);
        painter.setPen(QPen(m_theme.color(Role::Link), size / 8.0, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(QPolygonF(
            {QPointF(0.28 * size, 0.53 * size), QPointF(0.44 * size, 0.68 * size), QPointF(0.73 * size, 0.33 * size)}));
    } else {
        const double r = 0.2 * size;
        painter.setPen(QPen(m_theme.color(Role::BorderStrong), 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(QPointF(size / 2.0, size / 2.0), r, r);
    }
    return pixmap;
}

void StepsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QVariant steps = index.data(StepsModel::StepsRole);
    if (!steps.isValid()) {
        QStyledItemDelegate::paint(painter, option, index);
        if (index.column() == 0)
            paintEdge(*painter, option.rect);
        return;
    }
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, m_theme.color(Role::Selection));
    else if (option.features.testFlag(QStyleOptionViewItem::Alternate))
        painter->fillRect(option.rect, m_theme.color(Role::Window));
    paintEdge(*painter, option.rect);
    const int mask = steps.toInt(), absent = index.data(StepsModel::AbsentRole).toInt();
    const double size = m_theme.scaled(kBox);
    for (std::size_t step = 0; step < kSteps; ++step) {
        const QPointF middle = stepSlot(option.rect, step).center();
        if (mask < 0 || (absent & (1 << step)) != 0) { // nothing was handed in, or asked: no box that could be ticked
            painter->setPen(QPen(m_theme.color(Role::Text3), 1.5));
            painter->drawLine(middle - QPointF(2, 0), middle + QPointF(2, 0));
            continue;
        }
        const double ratio = painter->device()->devicePixelRatioF();
        painter->drawPixmap(QPointF(std::round(middle.x() - size / 2), std::round(middle.y() - size / 2)),
                            box((mask & (1 << step)) != 0, ratio));
    }
    if (option.state.testFlag(QStyle::State_HasFocus)) {
        painter->setPen(QPen(m_theme.color(Role::Link), 2));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(QRectF(option.rect).adjusted(1, 1, -2, -1));
    }
}

void StepsDelegate::paintEdge(QPainter& painter, const QRect& rect) const
{
    painter.setPen(QPen(m_theme.color(Role::Border), 1));
    painter.drawLine(QPointF(rect.right() + 0.5, rect.top()), QPointF(rect.right() + 0.5, rect.bottom() + 1));
}

QSize StepsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    return {QStyledItemDelegate::sizeHint(option, index).width(), m_theme.scaled(28)};
}

StepsHeader::StepsHeader(Theme& theme, QWidget* parent) : QHeaderView(Qt::Horizontal, parent), m_theme(theme)
{
    setSectionResizeMode(QHeaderView::Interactive);
    setHighlightSections(false);
    setSectionsClickable(false);
}

QSize StepsHeader::sizeHint() const
{
    const int lines = m_theme.lineHeight(TextStyle::Strong) + 2 * m_theme.lineHeight(TextStyle::Caption);
    return {QHeaderView::sizeHint().width(), lines + 2 * space::s};
}

void StepsHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    const auto* steps = qobject_cast<const StepsModel*>(model());
    if (!rect.isValid() || !steps)
        return;
    painter->save();
    painter->fillRect(rect, m_theme.color(Role::Surface2));
    painter->setPen(QPen(m_theme.color(Role::Border), 1));
    painter->drawLine(QPointF(rect.left(), rect.bottom() + 0.5), QPointF(rect.right() + 1, rect.bottom() + 0.5));
    const QRectF inner = QRectF(rect).adjusted(space::s, space::s, -space::s, -space::s);
    const QString head = steps->headerData(section, Qt::Horizontal).toString();
    const double strong = m_theme.lineHeight(TextStyle::Strong), line = m_theme.lineHeight(TextStyle::Caption);
    if (!steps->isLesson(section)) {
        const int side = section == steps->gradeColumn() ? Qt::AlignRight : Qt::AlignLeft;
        paintText(*painter, m_theme, TextStyle::Strong, Role::Text2, inner, side | Qt::AlignBottom, head);
        painter->setPen(QPen(m_theme.color(Role::Border), 1));
        if (section == 0)
            painter->drawLine(QPointF(rect.right() + 0.5, rect.top()), QPointF(rect.right() + 0.5, rect.bottom()));
        painter->restore();
        return;
    }
    painter->drawLine(QPointF(rect.right() + 0.5, rect.top()), QPointF(rect.right() + 0.5, rect.bottom()));
    paintText(*painter, m_theme, TextStyle::Strong, Role::Text,
              QRectF(inner.left(), inner.top(), inner.width(), strong), Qt::AlignHCenter | Qt::AlignVCenter, head);
    const bool words = rect.width() >= wideLesson(m_theme);
    for (std::size_t step = 0; step < kSteps; ++step) {
        const QRectF place = stepSlot(QRectF(rect), step);
        paintText(*painter, m_theme, TextStyle::Caption, Role::Text2,
                  QRectF(place.left(), inner.top() + strong, place.width(), line), Qt::AlignCenter,
                  words ? stepTitle(step) : stepLetter(step));
        paintText(*painter, m_theme, TextStyle::Caption, Role::Text,
                  QRectF(place.left(), inner.top() + strong + line, place.width(), line), Qt::AlignCenter,
                  steps->hasStep(section, step) ? QString::number(steps->count(section, step)) : QStringLiteral("–"));
    }
    painter->restore();
}

} // namespace ridge::app

#include "moc_steps_paint.cpp"
