// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/gallery/card_delegate.h"

#include "app/window/gallery/card_picture.h"

#include <QPainter>
#include <QTextLayout>

namespace ridge::app {
namespace {

constexpr int kAboutLines = 2;

/// As many lines as are allowed, the last one elided.
void paintText(QPainter& painter, const QRectF& place, const QString& text, int lines)
{
    QTextLayout layout(text, painter.font());
    layout.beginLayout();
    double y = place.top();
    const double height = QFontMetricsF(painter.font()).lineSpacing();
    for (int i = 0; i < lines; ++i) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(place.width());
        const bool last = i + 1 == lines;
        QString shown = text.mid(line.textStart(), last ? -1 : line.textLength());
        if (last)
            shown = QFontMetricsF(painter.font()).elidedText(shown, Qt::ElideRight, place.width());
        painter.drawText(QRectF(place.left(), y, place.width(), height), Qt::AlignLeft | Qt::AlignVCenter, shown);
        y += height;
    }
    layout.endLayout();
}

} // namespace

CardDelegate::CardDelegate(Theme& theme, const GalleryModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_theme(theme), m_model(model)
{
}

QSize CardDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    const auto lines = [this](TextStyle style) { return int(QFontMetricsF(m_theme.font(style)).lineSpacing() + 1); };
    return {m_width, lines(TextStyle::Strong) + kAboutLines * lines(TextStyle::Body) + 2 * lines(TextStyle::Caption) +
                         2 * space::m + 3 * space::xs + space::s};
}

void CardDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const GalleryCard* card = m_model.card(index);
    if (!card)
        return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(option.rect).adjusted(0.5, 0.5, -space::s - 0.5, -space::s - 0.5);
    const bool chosen = option.state & QStyle::State_Selected;
    const bool here = chosen && option.state & QStyle::State_HasFocus;
    const bool hovered = option.state & QStyle::State_MouseOver;
    painter->setPen(QPen(m_theme.color(here ? Role::Link : chosen ? Role::BorderStrong : Role::Border), here ? 2 : 1));
    painter->setBrush(m_theme.color(chosen || hovered ? Role::Selection : Role::Surface));
    painter->drawRoundedRect(frame, kCardRadius, kCardRadius);
    const QRectF inner = frame.adjusted(space::m, space::m, -space::m, -space::m);
    const double side = std::min(inner.height(), inner.width() / 3);
    paintCardPicture(*painter, QRectF(inner.left(), inner.top(), side, inner.height()), *card, m_model.runs(*card),
                     m_theme);
    QRectF text = inner.adjusted(side + space::m, 0, 0, 0);
    const auto say = [&](TextStyle style, Role role, const QString& words, int lines) {
        painter->setFont(m_theme.font(style));
        painter->setPen(m_theme.color(role));
        paintText(*painter, text, words, lines);
        text.setTop(text.top() + lines * QFontMetricsF(painter->font()).lineSpacing() + space::xs);
    };
    const QString star = m_model.isFavourite(*card) ? QStringLiteral("★ ") : QString();
    say(TextStyle::Strong, Role::Text, star + card->title, 1);
    say(TextStyle::Body, Role::Text2, card->about, kAboutLines);
    say(TextStyle::Caption, Role::Text2,
        card->module > 0 ? tr("%1 · module %2").arg(kindWords(card->kind)).arg(card->module) : kindWords(card->kind),
        1);
    say(TextStyle::Caption, Role::Text2, m_model.stateWords(*card), 1);
    painter->restore();
}

} // namespace ridge::app

#include "moc_card_delegate.cpp"
