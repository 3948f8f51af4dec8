// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/search_model.h"

#include "app/ui/panels.h"

#include <QPainter>
#include <QTextLayout>

namespace ridge::app {

QString searchKindName(SearchKind kind)
{
    switch (kind) {
    case SearchKind::Lesson:
        return QObject::tr("Lesson");
    case SearchKind::Term:
        return QObject::tr("Term");
    case SearchKind::Note:
        return QObject::tr("Note");
    case SearchKind::Artifact:
        return QObject::tr("Artifact");
    case SearchKind::Run:
        return QObject::tr("Run");
    case SearchKind::Journal:
        return QObject::tr("Journal");
    }
    return {};
}

namespace {

QString placeText(const SearchHit& hit)
{
    if (hit.kind == SearchKind::Run || hit.kind == SearchKind::Artifact || hit.kind == SearchKind::Journal)
        return readableTime(hit.place.section(QLatin1Char(' '), 0, 0).toStdString());
    if (hit.kind == SearchKind::Lesson || hit.place.isEmpty())
        return hit.place;
    return QObject::tr("lesson %1").arg(hit.place);
}

} // namespace

void SearchModel::setAnswer(SearchAnswer answer)
{
    beginResetModel();
    m_answer = std::move(answer);
    endResetModel();
}

const SearchHit* SearchModel::hit(const QModelIndex& index) const
{
    return index.isValid() && index.row() < rowCount() ? &m_answer.hits[std::size_t(index.row())] : nullptr;
}

int SearchModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_answer.hits.size());
}

QVariant SearchModel::data(const QModelIndex& index, int role) const
{
    const SearchHit* found = hit(index);
    if (!found)
        return {};
    if (role == Qt::DisplayRole)
        return found->title.text;
    if (role == Qt::AccessibleTextRole)
        return QStringLiteral("%1: %2. %3. %4")
            .arg(searchKindName(found->kind), found->title.text, placeText(*found), found->text.text);
    return {};
}

QSize SearchDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return {200, m_theme.scaled(56)};
}

void SearchDelegate::paintMarked(QPainter& painter, const QRect& area, const Snippet& snippet, TextStyle style,
                                 Role ink, bool selected) const
{
    const QFont font = m_theme.font(style);
    const QFontMetrics metrics(font);
    // A long title is cut; a snippet was cut before, and what of it does not fit on the line goes.
    const QString shown = metrics.elidedText(snippet.text, Qt::ElideRight, area.width() - space::m);
    QTextLayout layout(shown, font);
    QList<QTextLayout::FormatRange> formats;
    for (const TextSpan& span : snippet.marks) {
        if (span.start + span.length > shown.size())
            continue;
        QTextCharFormat mark;
        mark.setFontWeight(QFont::DemiBold);
        mark.setForeground(m_theme.color(Role::Text));
        mark.setBackground(m_theme.color(selected ? Role::Surface : Role::Selection));
        formats << QTextLayout::FormatRange{span.start, span.length, mark};
    }
    layout.setFormats(formats);
    QTextOption option;
    option.setWrapMode(QTextOption::NoWrap);
    layout.setTextOption(option);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    line.setLineWidth(area.width() * 2);
    layout.endLayout();
    painter.setPen(m_theme.color(ink));
    painter.setClipRect(area);
    layout.draw(&painter, QPointF(area.left(), area.top() + (area.height() - line.height()) / 2));
    painter.setClipping(false);
}

void SearchDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const SearchHit* hit = static_cast<const SearchModel*>(index.model())->hit(index);
    if (!hit)
        return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool selected = option.state & QStyle::State_Selected;
    if (selected) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(m_theme.color(Role::Selection));
        painter->drawRoundedRect(QRectF(option.rect).adjusted(0, 1, 0, -1), kControlRadius, kControlRadius);
    }
    const QRect area = option.rect.adjusted(space::m, space::xs, -space::m, -space::xs);
    const QRect upper(area.left(), area.top(), area.width(), area.height() / 2);
    const QRect lower(area.left(), upper.bottom() + 1, area.width(), area.height() - upper.height());
    const int kind = m_theme.scaled(72);
    const QString place = placeText(*hit);
    painter->setFont(m_theme.font(TextStyle::Caption));
    const int right = painter->fontMetrics().horizontalAdvance(place);
    painter->setPen(m_theme.color(Role::Text3));
    painter->drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, searchKindName(hit->kind));
    painter->drawText(upper, Qt::AlignRight | Qt::AlignVCenter, place);
    const int room = std::max(upper.width() / 3, upper.width() - kind - right - space::m);
    paintMarked(*painter, QRect(upper.left() + kind, upper.top(), room, upper.height()), hit->title, TextStyle::Body,
                Role::Text, selected);
    paintMarked(*painter, lower.adjusted(kind, 0, 0, 0), hit->text, TextStyle::Caption, Role::Text2, selected);
    painter->restore();
}

} // namespace ridge::app

#include "moc_search_model.cpp"
