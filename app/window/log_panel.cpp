// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/log_panel.h"

#include "app/ui/icons.h"
#include "app/ui/panels.h"
#include "app/window/run_watch.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QListView>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTime>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

/// Lower than the rows of a table: a log is read as a text.
class LineDelegate : public QStyledItemDelegate {
public:
    LineDelegate(Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    /// As wide as the view, whatever it says: what has no room is elided, and whole on hover.
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {0, m_theme.scaled(22)}; }

private:
    Theme& m_theme;
};

QIcon noSign()
{
    QPixmap empty(64, 64); // icons are scaled down, never up
    empty.fill(Qt::transparent);
    return QIcon(empty);
}

} // namespace

LogPanel::LogPanel(AppContext& context, RunWatch& runs, QWidget* parent)
    : QWidget(parent), m_context(context), m_view(new QListView)
{
    setAccessibleName(tr("Log"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(space::m, space::s, space::m, space::s);
    row->setSpacing(space::s);
    m_view->setModel(&m_model);
    m_view->setAccessibleName(tr("Log of runs and problems"));
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setTextElideMode(Qt::ElideRight);
    m_view->setUniformItemSizes(true);
    m_view->setItemDelegate(new LineDelegate(context.theme(), m_view));
    const auto fit = [this] {
        const int side = m_context.theme().scaled(16);
        m_view->setIconSize({side, side});
        m_view->doItemsLayout();
    };
    fit();
    connect(&context.theme(), &Theme::changed, this, fit);
    row->addWidget(m_view, 1);
    auto* buttons = new QVBoxLayout;
    QPushButton* copy = makeButton(tr("Copy"), tr("Copies all lines"));
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(lines().join(QLatin1Char('\n'))); });
    QPushButton* clear = makeButton(tr("Clear"), tr("Empties the log; nothing stored is touched"));
    connect(clear, &QPushButton::clicked, &m_model, &QStandardItemModel::clear);
    buttons->addWidget(copy);
    buttons->addWidget(clear);
    buttons->addStretch(1);
    row->addLayout(buttons);

    connect(&runs, &RunWatch::logged, this, &LogPanel::add);
    connect(&context, &AppContext::notice, this, [this](const QString& text, bool isError) {
        if (isError)
            add(text, true);
    });
    connect(&context, &AppContext::catalogueFailed, this,
            [this](const Error& error) { add(QString::fromStdString(toText(error)), true); });
    showProblems();
}

void LogPanel::showProblems()
{
    if (m_context.storeError())
        add(QString::fromStdString(toText(*m_context.storeError())), true);
    for (const lessons::Problem& problem : m_context.curriculumProblems())
        add(QStringLiteral("%1:%2: %3")
                .arg(QString::fromStdString(problem.at.file))
                .arg(problem.at.line)
                .arg(QString::fromStdString(problem.message)),
            true);
}

void LogPanel::add(const QString& line, bool isError)
{
    const bool atEnd = m_view->verticalScrollBar()->value() == m_view->verticalScrollBar()->maximum();
    const QString time = QTime::currentTime().toString(QStringLiteral("HH:mm:ss"));
    auto* item = new QStandardItem(QStringLiteral("%1   %2").arg(time, line));
    item->setToolTip(line);
    item->setAccessibleText(isError ? tr("Problem: %1").arg(line) : line);
    // A line without a sign keeps the room of one: hours stand below each other.
    item->setIcon(isError ? themedIcon(m_context.theme(), QStringLiteral("error"), Role::Error) : noSign());
    m_model.appendRow(item);
    if (m_model.rowCount() > kMaxLines)
        m_model.removeRows(0, m_model.rowCount() - kMaxLines);
    if (atEnd)
        m_view->scrollToBottom();
}

QStringList LogPanel::lines() const
{
    QStringList all;
    for (int row = 0; row < m_model.rowCount(); ++row)
        all << m_model.item(row)->text();
    return all;
}

} // namespace ridge::app

#include "moc_log_panel.cpp"
