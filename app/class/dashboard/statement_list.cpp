// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/statement_list.h"

#include "app/drawing/charts/plot_paint.h"

#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kBar = 6;
constexpr int kMeasure = 760; ///< px at 100 %: a longer line is hard to read

class StatementDelegate : public QStyledItemDelegate {
public:
    StatementDelegate(Theme& theme, StatementList* list) : QStyledItemDelegate(list), m_theme(theme), m_list(list) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override
    {
        const int width = m_list->viewport()->width();
        return {width, static_cast<int>(height(m_list->statements()->statement(index.row()), width))};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Statement& one = m_list->statements()->statement(index.row());
        const bool chosen = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        painter->fillRect(option.rect, m_theme.color(chosen ? Role::Selection : Role::Surface));
        painter->setPen(QPen(m_theme.color(Role::Border), 1));
        painter->drawLine(QPointF(option.rect.left() + space::l, option.rect.bottom() + 0.5),
                          QPointF(option.rect.right() - space::l, option.rect.bottom() + 0.5));
        const QRectF inner = QRectF(option.rect).adjusted(space::l, space::m, -space::l, -space::m);
        double left = inner.left();
        const double line = m_theme.lineHeight(TextStyle::ReadBody);
        if (one.of > 0) {
            const double wide = numberWidth();
            paintText(*painter, m_theme, TextStyle::ReadH2, Role::Text,
                      QRectF(left, inner.top(), wide, m_theme.lineHeight(TextStyle::ReadH2)),
                      Qt::AlignLeft | Qt::AlignVCenter, QString::number(one.learners));
            paintText(*painter, m_theme, TextStyle::Caption, Role::Text2,
                      QRectF(left, inner.top() + m_theme.lineHeight(TextStyle::ReadH2), wide,
                             m_theme.lineHeight(TextStyle::Caption)),
                      Qt::AlignLeft | Qt::AlignVCenter, StatementList::tr("of %1").arg(one.of));
            left += wide + space::l;
        }
        const double width = textRoom(one, option.rect.width());
        painter->setFont(m_theme.font(TextStyle::ReadBody));
        painter->setPen(m_theme.color(Role::Text));
        const double tall = std::max(line, textHeight(m_theme, TextStyle::ReadBody, one.text, width));
        painter->drawText(QRectF(left, inner.top(), width, tall), Qt::TextWordWrap | Qt::AlignLeft, one.text);
        double y = inner.top() + tall + space::xs;
        if (!one.detail.isEmpty()) {
            painter->setFont(m_theme.font(TextStyle::Body));
            painter->setPen(m_theme.color(Role::Text2));
            const double more = textHeight(m_theme, TextStyle::Body, one.detail, width);
            painter->drawText(QRectF(left, y, width, more), Qt::TextWordWrap | Qt::AlignLeft, one.detail);
            y += more + space::xs;
        }
        if (one.of > 0) {
            const QRectF track(left, std::round(y + space::xs), width, kBar);
            painter->fillRect(track, m_theme.color(Role::Surface2));
            QRectF bar = track;
            bar.setWidth(std::round(track.width() * std::clamp(double(one.learners) / one.of, 0.0, 1.0)));
            painter->fillRect(bar, m_theme.series(0));
        }
        if (option.state.testFlag(QStyle::State_HasFocus)) {
            painter->setPen(QPen(m_theme.color(Role::Link), 2));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(QRectF(option.rect).adjusted(1, 1, -2, -2));
        }
        painter->restore();
    }

private:
    double numberWidth() const
    {
        double wide = 0;
        for (int row = 0; row < m_list->statements()->rowCount(); ++row) {
            const Statement& one = m_list->statements()->statement(row);
            wide = std::max({wide, textWidth(m_theme, TextStyle::ReadH2, QString::number(one.learners)),
                             textWidth(m_theme, TextStyle::Caption, StatementList::tr("of %1").arg(one.of))});
        }
        return std::ceil(wide) + 2;
    }
    double textRoom(const Statement& one, int width) const
    {
        const double number = one.of > 0 ? numberWidth() + space::l : 0;
        return std::clamp<double>(width - 2 * space::l - number, 80, m_theme.scaled(kMeasure));
    }
    double height(const Statement& one, int width) const
    {
        const double room = textRoom(one, width);
        double tall = std::max<double>(m_theme.lineHeight(TextStyle::ReadBody),
                                       textHeight(m_theme, TextStyle::ReadBody, one.text, room)) +
                      space::xs;
        if (!one.detail.isEmpty())
            tall += textHeight(m_theme, TextStyle::Body, one.detail, room) + space::xs;
        if (one.of > 0)
            tall = std::max<double>(tall + kBar + space::xs,
                                    m_theme.lineHeight(TextStyle::ReadH2) + m_theme.lineHeight(TextStyle::Caption));
        return std::ceil(tall) + 2 * space::m;
    }

    Theme& m_theme;
    StatementList* m_list;
};

} // namespace

void StatementModel::setStatements(std::vector<Statement> statements)
{
    beginResetModel();
    m_statements = std::move(statements);
    endResetModel();
}

int StatementModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_statements.size());
}

QVariant StatementModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Statement& one = statement(index.row());
    if (role == Qt::DisplayRole)
        return one.text;
    if (role != Qt::AccessibleTextRole)
        return {};
    QString text = one.of > 0 ? tr("%1 of %2: %3").arg(one.learners).arg(one.of).arg(one.text) : one.text;
    if (!one.detail.isEmpty())
        text += QStringLiteral(". ") + one.detail;
    return text;
}

StatementList::StatementList(Theme& theme, const QString& accessibleName, QWidget* parent)
    : QListView(parent), m_theme(theme), m_model(new StatementModel(this))
{
    setAccessibleName(accessibleName);
    setModel(m_model);
    setItemDelegate(new StatementDelegate(theme, this));
    setResizeMode(QListView::Adjust);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    connect(&theme, &Theme::changed, this, [this] { doItemsLayout(); });
}

void StatementList::setStatements(std::vector<Statement> statements, const QString& emptyText)
{
    m_emptyText = emptyText;
    m_model->setStatements(std::move(statements));
    setAccessibleDescription(m_model->rowCount() == 0 ? emptyText : QString());
    viewport()->update();
}

void StatementList::paintEvent(QPaintEvent* event)
{
    QListView::paintEvent(event);
    if (m_model->rowCount() > 0)
        return;
    QPainter painter(viewport());
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.setPen(m_theme.color(Role::Text2));
    painter.drawText(viewport()->rect().adjusted(space::xl, space::xl, -space::xl, -space::xl),
                     Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
}

void StatementList::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    scheduleDelayedItemsLayout();
}

} // namespace ridge::app

#include "moc_statement_list.cpp"
