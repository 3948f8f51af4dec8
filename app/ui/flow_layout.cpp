// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/flow_layout.h"

#include "app/theme/theme.h"

#include <QWidget>
#include <utility>
#include <vector>

namespace ridge::app {

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent)
{
    setContentsMargins(0, 0, 0, 0);
    setSpacing(space::s);
}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

void FlowLayout::addItem(QLayoutItem* item)
{
    m_items << item;
}

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return m_items.value(index, nullptr);
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    return index >= 0 && index < count() ? m_items.takeAt(index) : nullptr;
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem* item : m_items)
        size = size.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& area)
{
    QLayout::setGeometry(area);
    place(area, true);
}

int FlowLayout::place(const QRect& area, bool move) const
{
    const QRect inner = area.marginsRemoved(contentsMargins());
    int x = inner.left();
    int y = inner.top();
    int high = 0;
    std::vector<std::pair<QLayoutItem*, QRect>> row;
    // Items of a row stand on one middle.
    const auto endRow = [&] {
        for (auto& [item, place] : row) {
            place.translate(0, (high - place.height()) / 2);
            if (move)
                item->setGeometry(place);
        }
        row.clear();
    };
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty())
            continue;
        QSize size = item->sizeHint();
        size.setWidth(std::min(size.width(), inner.width()));
        if (!row.empty() && x + size.width() > inner.right() + 1) {
            endRow();
            x = inner.left();
            y += high + spacing();
            high = 0;
        }
        row.emplace_back(item, QRect(QPoint(x, y), size));
        x += size.width() + spacing();
        high = std::max(high, size.height());
    }
    endRow();
    return y + high - area.top() + contentsMargins().bottom();
}

} // namespace ridge::app

#include "moc_flow_layout.cpp"
