// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/shelf_view.h"

#include "app/kernels/task_shelf.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/row_table.h"
#include "app/ui/scrolled.h"

#include <QHeaderView>
#include <QShortcut>
#include <QTabWidget>
#include <QTableWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace ridge::app {

namespace {

QString q(const std::string& text)
{
    return QString::fromStdString(text);
}

} // namespace

ShelfView::ShelfView(AppContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_own(new QTableWidget(0, 3)), m_sources(new QTabWidget),
      m_examples(new QTreeWidget)
{
    Theme& theme = context.theme();
    setAccessibleName(tr("Kernels"));
    auto* page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    auto* body = new QWidget;
    body->setAccessibleName(tr("Kernels"));
    page->addWidget(scrolled(body, tr("Kernels")));
    auto* outer = new QVBoxLayout(body);
    outer->setContentsMargins(space::xl, space::l, space::xl, space::l);
    outer->setSpacing(space::s);
    outer->addWidget(makeLabel(theme, tr("Kernels of your own"), TextStyle::ReadH2));
    outer->addWidget(makeText(theme,
                              tr("Write CUDA C++, run it on a simulated chip or a GPU, and see each line's cost beside "
                                 "it. Every change is saved."),
                              TextStyle::Body, QStringLiteral("muted")));
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("Begin a kernel"));
    auto* buttons = new FlowLayout(bar);
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(space::s);
    QPushButton* blank = makeButton(tr("New kernel"), tr("Begins with an index and its bound (Ctrl+Alt+N)"), true);
    QPushButton* file = makeButton(tr("From a file…"), tr("Copies a .cu or .ptx file; dropping one does the same"));
    buttons->addWidget(blank);
    buttons->addWidget(file);
    outer->addWidget(bar);
    connect(blank, &QPushButton::clicked, this, &ShelfView::blankWanted);
    connect(file, &QPushButton::clicked, this, &ShelfView::fileWanted);

    m_own->setAccessibleName(tr("Your kernels; Enter opens one"));
    m_own->setHorizontalHeaderLabels({tr("Your kernels"), tr("Lines"), tr("Changed")});
    makeRowTable(theme, m_own);
    m_own->horizontalHeader()->setStretchLastSection(true);
    m_own->setEditTriggers(QAbstractItemView::EditKeyPressed); // F2
    m_none = makeText(theme, tr("None yet. Begin with one of these, or with an empty one."), TextStyle::Body,
                      QStringLiteral("muted"));
    outer->addWidget(m_none);
    outer->addWidget(m_own, 2);
    m_ownActions = makeOwnActions();
    outer->addWidget(m_ownActions);
    connect(m_own, &QTableWidget::itemActivated, this,
            [this](const QTableWidgetItem* item) { Q_EMIT openWanted(m_own->item(item->row(), 0)->text()); });
    // The name that the cell had is what stands beside it for programs.
    connect(m_own, &QTableWidget::itemChanged, this, [this](const QTableWidgetItem* item) {
        const QString before = item->data(Qt::UserRole).toString();
        if (item->column() == 0 && !before.isEmpty() && item->text().trimmed() != before)
            Q_EMIT renameWanted(before, item->text().trimmed());
    });

    outer->addSpacing(space::s);
    m_sources->setAccessibleName(tr("What a kernel may begin with"));
    m_sources->tabBar()->setAccessibleName(tr("What a kernel may begin with"));
    m_sources->setDocumentMode(true);
    outer->addWidget(m_sources, 3); // what joins is styled anew, with all that is in it
    m_tasks = new TaskShelf(context, m_sources);
    m_sources->addTab(m_tasks, tr("Tasks that are graded"));
    m_sources->addTab(m_examples, tr("Kernels to copy"));
    connect(m_tasks, &TaskShelf::taskWanted, this, &ShelfView::taskWanted);
    fillExamples();
    refresh();
}

void ShelfView::fillExamples()
{
    m_examples->setAccessibleName(tr("Kernels to begin with; Enter copies one"));
    m_examples->setColumnCount(2);
    m_examples->setHeaderLabels({tr("Kernel"), tr("What it is")});
    m_examples->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_examples->header()->setStretchLastSection(true);
    m_examples->setSelectionMode(QAbstractItemView::SingleSelection);
    useRowHeight(m_context.theme(), m_examples);
    connect(m_examples, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        if (const QString path = item->data(0, Qt::UserRole).toString(); !path.isEmpty())
            Q_EMIT exampleWanted(path);
    });
    QTreeWidgetItem* group = nullptr;
    for (const KernelExample& example : kernelExamples(m_context.dataFolder())) {
        if (!example.task.empty()) // they have a list of their own
            continue;
        if (!group || group->text(0) != q(example.group)) {
            group = new QTreeWidgetItem(m_examples, {q(example.group)});
            group->setExpanded(m_examples->topLevelItemCount() == 1); // for learning
        }
        auto* item = new QTreeWidgetItem(group, {q(example.title), q(example.about)});
        item->setData(0, Qt::UserRole, q(example.file.string()));
        item->setToolTip(1, q(example.about));
    }
}

QWidget* ShelfView::makeOwnActions()
{
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("The chosen kernel"));
    auto* buttons = new FlowLayout(bar);
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(space::s);
    QPushButton* open = makeButton(tr("Open"), tr("Opens the chosen kernel (Enter)"));
    QPushButton* rename =
        makeButton(tr("Rename"), tr("Gives the chosen kernel another name (F2); its versions go with it"));
    QPushButton* remove = makeButton(
        tr("Take away"), tr("Takes the chosen kernel out of the list (Delete); Ctrl+Z brings it back, and its "
                            "versions are kept"));
    for (QPushButton* button : {open, rename, remove})
        buttons->addWidget(button);
    connect(open, &QPushButton::clicked, this, [this] { Q_EMIT openWanted(chosen()); });
    connect(rename, &QPushButton::clicked, this, [this] {
        m_own->setFocus(Qt::OtherFocusReason);
        m_own->editItem(m_own->item(m_own->currentRow(), 0));
    });
    connect(remove, &QPushButton::clicked, this, [this] { Q_EMIT removeWanted(chosen()); });
    auto* key = new QShortcut(QKeySequence(Qt::Key_Delete), m_own, nullptr, nullptr, Qt::WidgetShortcut);
    connect(key, &QShortcut::activated, this, [this] { Q_EMIT removeWanted(chosen()); });
    return bar;
}

QString ShelfView::chosen() const
{
    const QTableWidgetItem* item = m_own->item(m_own->currentRow(), 0);
    return item ? item->data(Qt::UserRole).toString() : QString();
}

void ShelfView::choose(const QString& name)
{
    for (int row = 0; row < m_own->rowCount(); ++row)
        if (m_own->item(row, 0)->text() == name)
            m_own->setCurrentCell(row, 0);
}

void ShelfView::refresh()
{
    const auto folder = m_context.store() ? m_context.store()->folder() : std::filesystem::path();
    const auto entries = kernelsIn(folder);
    m_tasks->refresh(entries);
    const QSignalBlocker quiet(m_own);
    m_own->setRowCount(int(entries.size()));
    for (int row = 0; row < int(entries.size()); ++row) {
        const ShelfEntry& entry = entries[std::size_t(row)];
        auto* called = new QTableWidgetItem(q(entry.name));
        called->setData(Qt::UserRole, q(entry.name));
        m_own->setItem(row, 0, called);
        int column = 1;
        for (const QString& text : {QString::number(entry.lines), readableTime(entry.changedAt)}) {
            auto* item = new QTableWidgetItem(text);
            item->setFlags(item->flags() & ~Qt::ItemIsEditable);
            m_own->setItem(row, column++, item);
        }
    }
    m_own->setVisible(!entries.empty());
    m_ownActions->setVisible(!entries.empty());
    m_none->setVisible(entries.empty());
    if (!entries.empty() && m_own->currentRow() < 0)
        m_own->setCurrentCell(0, 0);
}

} // namespace ridge::app

#include "moc_shelf_view.cpp"
