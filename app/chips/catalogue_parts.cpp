// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chips/catalogue_parts.h"

#include "app/chips/chip_comparison.h"
#include "app/theme/accessible_role.h"
#include "base/json.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>

namespace ridge::app {

void ChipView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && currentIndex().isValid())
        return Q_EMIT activated(currentIndex());
    QTreeView::keyPressEvent(event);
}

void ChipView::resizeEvent(QResizeEvent* event)
{
    QTreeView::resizeEvent(event);
    Q_EMIT resized();
}

ComparisonDelegate::ComparisonDelegate(Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

QSize ComparisonDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    return {QStyledItemDelegate::sizeHint(option, index).width(), m_theme.scaled(28)};
}

void ComparisonDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    painter->save();
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, m_theme.color(Role::Selection));
    QRect room = option.rect.adjusted(5, 0, -space::m, 0);
    const auto say = [&](const QString& words, TextStyle style, Role role, int align) {
        painter->setFont(m_theme.font(style));
        painter->setPen(m_theme.color(role));
        const QFontMetrics metrics = painter->fontMetrics();
        painter->drawText(room, align | Qt::AlignVCenter, metrics.elidedText(words, Qt::ElideRight, room.width()));
        return words.isEmpty() ? 0 : metrics.horizontalAdvance(words) + space::s;
    };
    const bool heading = !(index.flags() & Qt::ItemIsSelectable);
    const bool known = index.column() == 0 || index.data(Qt::UserRole).isValid();
    room.setRight(room.right() - say(index.data(ChipComparisonModel::RatioRole).toString(), TextStyle::Body,
                                     Role::Text2, Qt::AlignRight));
    room.setLeft(room.left() + say(index.data().toString(), heading ? TextStyle::Strong : TextStyle::Body,
                                   known ? Role::Text : Role::Text3, Qt::AlignLeft));
    if (room.width() > 0)
        say(index.data(ChipComparisonModel::FlagRole).toString(), TextStyle::Caption, Role::Text3, Qt::AlignLeft);
    painter->restore();
}

OneLine::OneLine(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setAccessibleRole(this, QAccessible::StaticText);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void OneLine::say(const QString& words)
{
    m_words = words;
    setAccessibleName(words);
    setToolTip(words);
    update();
}

QSize OneLine::sizeHint() const
{
    return {400, m_theme.lineHeight(TextStyle::Body)};
}

void OneLine::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_words, Qt::ElideRight, width()));
}

void copyTable(const ChartTable& table)
{
    auto* mime = new QMimeData;
    mime->setText(tableCsv(table));
    mime->setHtml(tableHtml(table));
    QApplication::clipboard()->setMimeData(mime);
}

Result<void> writeTable(const ChartTable& table, const QString& path)
{
    const std::filesystem::path file(path.toStdString());
    if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive))
        return writeFile(file, tableCsv(table).toStdString());
    if (path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive))
        return writeFile(file, tableJson(table).dump(2) + "\n");
    return writeFile(file, tableMarkdown(table).toStdString());
}

} // namespace ridge::app

#include "moc_catalogue_parts.cpp"
