// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_page.h"

#include "app/kernels/debug_panel.h"
#include "app/kernels/history_panel.h"
#include "app/kernels/kernel_bench.h"
#include "app/kernels/replace_bar.h"
#include "app/kernels/shelf_view.h"
#include "app/kernels/task_shelf.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QTreeWidget>
#include <QUndoCommand>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

/// What was done to the list, once; `act(false)` takes it back and `act(true)` does it again.
class ShelfChange : public QUndoCommand {
public:
    ShelfChange(const QString& text, std::function<void(bool)> act) : QUndoCommand(text), m_act(std::move(act)) {}
    void redo() override
    {
        if (m_done)
            m_act(true);
        m_done = true;
    }
    void undo() override { m_act(false); }

private:
    std::function<void(bool)> m_act;
    bool m_done = false;
};

} // namespace

KernelPage::KernelPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_stack(new QStackedWidget(this)), m_shelf(new ShelfView(context, m_stack))
{
    setAccessibleName(tr("Kernels"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_stack->setAccessibleName(tr("Kernels"));
    m_stack->addWidget(m_shelf);
    layout->addWidget(m_stack);
    connect(m_shelf, &ShelfView::openWanted, this,
            [this](const QString& name) { Q_EMIT m_context.openRequested(QStringLiteral("kernel/") + name); });
    connectShelf();
    connect(m_shelf, &ShelfView::blankWanted, this, [this] { begin(blankDraft()); });
    connect(m_shelf, &ShelfView::fileWanted, this, &KernelPage::chooseFile);
    connect(m_shelf, &ShelfView::taskWanted, this, [this](const QString& task) {
        const auto found = kernelOfTask(task.toStdString());
        if (!found)
            return m_context.notice(QString::fromStdString(toText(found.error())), true);
        Q_EMIT m_context.openRequested(QStringLiteral("kernel/") + *found);
    });
    connect(m_shelf, &ShelfView::exampleWanted, this, [this](const QString& path) {
        if (const auto added = addFile(path); !added)
            Q_EMIT m_context.notice(QString::fromStdString(toText(added.error())), true);
    });
}

void KernelPage::connectShelf()
{
    const auto tell = [this](const Result<void>& done) {
        if (!done)
            Q_EMIT m_context.notice(QString::fromStdString(toText(done.error())), true);
        m_shelf->refresh(); // also what a name that was refused looked like
    };
    // The cell is still being written when it says so.
    connect(
        m_shelf, &ShelfView::renameWanted, this,
        [this, tell](const QString& name, const QString& to) {
            tell(rename(name, to));
            m_shelf->choose(hasKernel(folder(), to.toStdString()) ? to : name);
        },
        Qt::QueuedConnection);
    connect(m_shelf, &ShelfView::removeWanted, this, [this, tell](const QString& name) {
        if (name.isEmpty())
            return;
        const auto done = remove(name);
        tell(done);
        if (done)
            Q_EMIT m_context.notice(tr("%1 is taken away; Ctrl+Z brings it back. Its versions are kept.").arg(name),
                                    false);
    });
    connect(&m_undo, &QUndoStack::indexChanged, this, &Page::commandsChanged);
}

std::filesystem::path KernelPage::folder() const
{
    return m_context.store() ? m_context.store()->folder() : std::filesystem::path();
}

Result<void> KernelPage::open(const QString& part)
{
    const std::string name = part.toStdString();
    if (part.isEmpty()) {
        m_shelf->refresh();
        m_stack->setCurrentWidget(m_shelf);
        // What runs on goes on; the bench comes back as it was.
        Q_EMIT titleChanged();
        Q_EMIT commandsChanged();
        return {};
    }
    if (m_bench && m_bench->name() == part) {
        m_stack->setCurrentWidget(m_bench);
        Q_EMIT titleChanged();
        Q_EMIT commandsChanged();
        return {};
    }
    if (part == QLatin1String("new")) {
        KernelDraft draft = blankDraft();
        draft.name = freeKernelName(folder(), draft.name);
        put(std::move(draft));
        return {};
    }
    if (part.startsWith(QLatin1String("task/"))) {
        const auto found = kernelOfTask(part.section(QLatin1Char('/'), 1).toStdString());
        return found ? open(*found) : Result<void>(found.error());
    }
    if (!hasKernel(folder(), name))
        return Error{"unknown-page", "There is no kernel called " + name + ".", "kernel/" + name,
                     "The page “kernel” lists those there are."};
    const DraftFile file(folder(), "kernels", name);
    put(draftFromJson(file.load(), name));
    return {};
}

Result<QString> KernelPage::kernelOfTask(const std::string& task)
{
    const auto name = ownKernelOfTask(folder(), task);
    return name ? Result<QString>(QString::fromStdString(*name)) : Result<QString>(name.error());
}

void KernelPage::put(KernelDraft draft)
{
    if (m_bench) {
        m_stack->removeWidget(m_bench);
        delete m_bench; // writes what is still unsaved
    }
    m_bench = new KernelBench(m_context, std::move(draft), m_stack);
    m_stack->addWidget(m_bench);
    m_stack->setCurrentWidget(m_bench);
    connect(m_bench, &KernelBench::changed, this, &Page::commandsChanged);
    connect(m_bench, &KernelBench::shelfWanted, this,
            [this] { Q_EMIT m_context.openRequested(QStringLiteral("kernel")); });
    connect(m_bench, &KernelBench::starterWanted, this, [this](const QString& task) {
        auto draft = draftOfTask(task.toStdString());
        if (!draft)
            return m_context.notice(QString::fromStdString(toText(draft.error())), true);
        begin(std::move(*draft));
    });
    Q_EMIT titleChanged();
    Q_EMIT commandsChanged();
}

/// A bench writes its kernel when it goes, under the name that it knows.
Result<void> KernelPage::letGo(const QString& name)
{
    if (!m_bench || m_bench->name() != name)
        return {};
    if (m_bench->running())
        return Error{"busy", "the kernel runs", name.toStdString(), "Stop it first (Shift+F5)."};
    m_stack->removeWidget(m_bench);
    delete m_bench;
    m_bench = nullptr;
    return {};
}

void KernelPage::showShelf(const QString& chosen)
{
    m_shelf->refresh();
    m_shelf->choose(chosen);
}

Result<void> KernelPage::rename(const QString& name, const QString& to)
{
    if (auto free = letGo(name); !free)
        return free;
    if (auto renamed = renameKernel(folder(), name.toStdString(), to.toStdString()); !renamed)
        return renamed;
    m_undo.push(new ShelfChange(tr("Rename %1").arg(name), [this, name, to](bool again) {
        const QString& from = again ? name : to;
        const QString& now = again ? to : name;
        auto done = letGo(from);
        if (done)
            done = renameKernel(folder(), from.toStdString(), now.toStdString());
        if (!done)
            Q_EMIT m_context.notice(QString::fromStdString(toText(done.error())), true);
        showShelf(now);
    }));
    return {};
}

Result<void> KernelPage::remove(const QString& name)
{
    if (auto free = letGo(name); !free)
        return free;
    if (auto removed = removeKernel(folder(), name.toStdString()); !removed)
        return removed;
    m_undo.push(new ShelfChange(tr("Take %1 away").arg(name), [this, name](bool again) {
        auto done = letGo(name);
        if (done)
            done = again ? removeKernel(folder(), name.toStdString()) : restoreKernel(folder(), name.toStdString());
        if (!done)
            Q_EMIT m_context.notice(QString::fromStdString(toText(done.error())), true);
        showShelf(name);
    }));
    return {};
}

void KernelPage::begin(KernelDraft draft)
{
    draft.name = freeKernelName(folder(), draft.name);
    const QString name = QString::fromStdString(draft.name);
    if (m_context.store()) { // so that it is found under its name
        DraftFile file(folder(), "kernels", draft.name);
        file.keep(toJson(draft));
    } else {
        return put(std::move(draft));
    }
    Q_EMIT m_context.openRequested(QStringLiteral("kernel/") + name);
}

Result<void> KernelPage::addFile(const QString& path)
{
    auto draft = draftOfFile(path.toStdString());
    if (!draft)
        return draft.error();
    begin(std::move(*draft));
    return {};
}

void KernelPage::chooseFile()
{
    auto* dialog = new QFileDialog(this, tr("A kernel to begin with"), {}, tr("Kernels (*.cu *.cuh *.ptx)"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        if (const auto added = addFile(path); !added)
            Q_EMIT m_context.notice(QString::fromStdString(toText(added.error())), true);
    });
    dialog->open();
}

QString KernelPage::title() const
{
    return m_bench && m_stack->currentWidget() == m_bench ? m_bench->name() : tr("Kernels");
}

QString KernelPage::part() const
{
    return m_bench && m_stack->currentWidget() == m_bench ? m_bench->name() : QString();
}

int KernelPage::runningJobs() const
{
    return m_bench && m_bench->running() ? 1 : 0;
}

void KernelPage::cancelRuns()
{
    if (m_bench)
        m_bench->stop();
}

bool KernelPage::can(Command command) const
{
    if (m_stack->currentWidget() == m_shelf)
        return (command == Command::Undo && m_undo.canUndo()) || (command == Command::Redo && m_undo.canRedo());
    if (!m_bench || m_stack->currentWidget() != m_bench)
        return false;
    switch (command) {
    case Command::Run:
        return m_bench->canRun();
    case Command::Find:
        return true;
    case Command::Undo:
        return m_bench->editor()->document()->isUndoAvailable();
    case Command::Redo:
        return m_bench->editor()->document()->isRedoAvailable();
    default:
        return false;
    }
}

void KernelPage::perform(Command command)
{
    if (m_stack->currentWidget() == m_shelf)
        return command == Command::Undo ? m_undo.undo() : command == Command::Redo ? m_undo.redo() : void();
    if (!m_bench)
        return;
    switch (command) {
    case Command::Run:
        return m_bench->run();
    case Command::Find:
        return m_bench->findBar()->open();
    case Command::Undo:
        return m_bench->editor()->undo();
    case Command::Redo:
        return m_bench->editor()->redo();
    default:
        return;
    }
}

bool KernelPage::can(Action action) const
{
    if (!m_bench || m_stack->currentWidget() != m_bench)
        return false;
    switch (action) {
    case Action::KeepVersion:
    case Action::Breakpoint:
        return true;
    case Action::Hottest:
        return m_bench->canGoToHottest();
    case Action::Record:
        return m_bench->canRecord();
    case Action::Grade:
        return m_bench->canGrade();
    default:
        return m_bench->debugger()->hasSteps();
    }
}

void KernelPage::perform(Action action)
{
    DebugPanel* const debugger = m_bench->debugger();
    switch (action) {
    case Action::KeepVersion:
        m_bench->side()->setCurrentWidget(m_bench->historyPanel());
        return m_bench->historyPanel()->nameField()->setFocus(Qt::ShortcutFocusReason);
    case Action::Hottest:
        return m_bench->goToHottest();
    case Action::Record:
        return m_bench->record();
    case Action::Grade:
        return m_bench->grade();
    case Action::Into:
        return debugger->go(DebugPanel::Move::Into);
    case Action::Back:
        return debugger->go(DebugPanel::Move::Back);
    case Action::Over:
        return debugger->go(DebugPanel::Move::Over);
    case Action::IntoLine:
        return debugger->go(DebugPanel::Move::IntoLine);
    case Action::Out:
        return debugger->go(DebugPanel::Move::Out);
    case Action::ToBarrier:
        return debugger->go(DebugPanel::Move::ToBarrier);
    case Action::Continue:
        return debugger->go(DebugPanel::Move::Continue);
    case Action::Reverse:
        return debugger->go(DebugPanel::Move::Reverse);
    case Action::Breakpoint:
        return debugger->toggleBreakpoint(m_bench->editor()->currentLine());
    case Action::ScrubBack:
        return debugger->scrub(-1);
    case Action::ScrubOn:
        return debugger->scrub(1);
    case Action::ScrubFarBack:
        return debugger->scrub(-100);
    case Action::ScrubFarOn:
        return debugger->scrub(100);
    case Action::PreviousWarp:
        return debugger->chooseWarp(-1);
    case Action::NextWarp:
        return debugger->chooseWarp(1);
    }
}

QList<QWidget*> KernelPage::panes() const
{
    if (m_bench && m_stack->currentWidget() == m_bench)
        return m_bench->panes();
    QWidget* list = m_shelf->examples();
    if (m_shelf->sources()->currentWidget() == m_shelf->tasks())
        list = m_shelf->tasks()->table();
    return {m_shelf->own(), m_shelf->sources()->tabBar(), list};
}

} // namespace ridge::app

#include "moc_kernel_page.cpp"
