// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/learn/term_list.h"

#include "app/lesson/reader/info_card.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStyledItemDelegate>

namespace ridge::app {
namespace {

QUrl linkOf(const QModelIndex& index)
{
    QUrl link;
    link.setScheme(QStringLiteral("term"));
    link.setPath(index.data().toString());
    return link;
}

/// A term as an outlined word.
class TermDelegate : public QStyledItemDelegate {
public:
    TermDelegate(Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override
    {
        const QFontMetrics metrics(m_theme.font(TextStyle::Body));
        return {metrics.horizontalAdvance(index.data().toString()) + 2 * space::m + space::s,
                m_theme.scaled(28) + space::s};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const QRectF pill = QRectF(option.rect).adjusted(0.5, space::xs + 0.5, -space::s - 0.5, -space::xs - 0.5);
        const bool here = option.state & QStyle::State_HasFocus && option.state & QStyle::State_Selected;
        const bool hovered = option.state & QStyle::State_MouseOver;
        painter->setPen(QPen(m_theme.color(here ? Role::Link : Role::Border), here ? 2 : 1));
        painter->setBrush(m_theme.color(here || hovered ? Role::Selection : Role::Surface));
        painter->drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
        painter->setFont(m_theme.font(TextStyle::Body));
        painter->setPen(m_theme.color(Role::Text));
        painter->drawText(pill, Qt::AlignCenter, index.data().toString());
        painter->restore();
    }

private:
    Theme& m_theme;
};

} // namespace

TermList::TermList(AppContext& context, InfoCard& card, const std::vector<const lessons::Term*>& terms, QWidget* parent)
    : QListView(parent), m_context(context), m_card(card), m_model(new QStandardItemModel(this))
{
    setAccessibleName(tr("Terms, A to Z"));
    setAccessibleDescription(tr("Enter or F1 explains the term."));
    for (const lessons::Term* term : terms) {
        auto* item = new QStandardItem(QString::fromStdString(term->name));
        item->setData(QString::fromStdString(term->text), Qt::AccessibleDescriptionRole);
        item->setEditable(false);
        m_model->appendRow(item);
    }
    setModel(m_model);
    setFlow(QListView::LeftToRight);
    setWrapping(true);
    setResizeMode(QListView::Adjust);
    setMouseTracking(true);
    setFrameShape(QFrame::NoFrame);
    setStyleSheet(QStringLiteral("QListView { border: none; background: transparent; padding: 0; }"));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setItemDelegate(new TermDelegate(context.theme(), this));
    if (m_model->rowCount() > 0)
        setCurrentIndex(m_model->index(0, 0));
    connect(this, &QListView::entered, this,
            [this](const QModelIndex& index) { m_card.hover(linkOf(index), viewport(), visualRect(index)); });
    connect(this, &QListView::clicked, this, &TermList::explain);
    connect(this, &QListView::activated, this, &TermList::explain);
    connect(&context.theme(), &Theme::changed, this, [this] {
        doItemsLayout();
        fit();
    });
}

void TermList::explain(const QModelIndex& index)
{
    if (index.isValid())
        m_card.open(linkOf(index), viewport(), visualRect(index));
}

bool TermList::event(QEvent* event)
{
    // On a term F1 explains that one; anywhere else it is the window's command.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_F1 &&
        currentIndex().isValid()) {
        event->accept();
        return true;
    }
    return QListView::event(event);
}

bool TermList::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave)
        m_card.hover({}, viewport(), {});
    return QListView::viewportEvent(event);
}

void TermList::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_F1 || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        return explain(currentIndex());
    if (event->key() == Qt::Key_Escape && m_card.isVisible())
        return m_card.dismiss();
    QListView::keyPressEvent(event);
}

void TermList::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    fit();
}

/// All rows are seen: the page scrolls, not the list.
void TermList::fit()
{
    int height = 0;
    for (int row = 0; row < m_model->rowCount(); ++row)
        height = std::max(height, visualRect(m_model->index(row, 0)).bottom() + 1 + verticalOffset());
    height = std::max(height, m_context.theme().scaled(36)) + 2;
    if (height == m_height)
        return;
    m_height = height;
    updateGeometry();
}

} // namespace ridge::app

#include "moc_term_list.cpp"
