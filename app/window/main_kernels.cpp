// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of the page of kernels: written, measured, stepped through.
#include "app/kernels/kernel_page.h"
#include "app/window/main_window.h"

namespace ridge::app {
namespace {

struct KernelAction {
    const char* id;
    KernelPage::Action action;
    QString menu, text, help, keys;
    bool plainKey = false;
};

std::vector<KernelAction> kernelActions()
{
    using Action = KernelPage::Action;
    const auto tr = [](const char* text) { return MainWindow::tr(text); };
    const QString edit = tr("Edit"), go = tr("Go"), run = tr("Run");
    return {
        {"edit.keepVersion", Action::KeepVersion, edit, tr("&Keep this version…"),
         tr("Keeps the kernel as it is now under a name; every change is saved without it"), QStringLiteral("Ctrl+S")},
        {"go.hottest", Action::Hottest, go, tr("H&ottest line"),
         tr("The line of the kernel with the greatest number in the gutter"), QStringLiteral("Ctrl+Shift+H")},
        {"debug.record", Action::Record, run, tr("&Debug the kernel"),
         tr("Runs the kernel and records every instruction of one block, to be stepped through"),
         QStringLiteral("Ctrl+F5")},
        {"run.grade", Action::Grade, run, tr("&Grade the kernel"),
         tr("Runs the kernel as its task wants, on data of its own, and says whether it is right and how good it is"),
         QStringLiteral("Ctrl+Shift+F5")},
        {"debug.into", Action::Into, run, tr("Step &into"), tr("One instruction on"), QStringLiteral("F7")},
        {"debug.back", Action::Back, run, tr("Step &back"), tr("Takes the last step back, else one instruction back"),
         QStringLiteral("Shift+F7")},
        {"debug.over", Action::Over, run, tr("Step o&ver the line"),
         tr("To the next source line of the warp, past functions that it calls"), QStringLiteral("F8")},
        {"debug.intoLine", Action::IntoLine, run, tr("Step into the line"),
         tr("To the next source line of the warp, into functions that it calls"), QStringLiteral("Ctrl+F7")},
        {"debug.out", Action::Out, run, tr("Step o&ut"), tr("Out of the function that was called, to its caller"),
         QStringLiteral("Shift+F8")},
        {"debug.barrier", Action::ToBarrier, run, tr("To the barrier"), tr("To the next barrier of the block"),
         QStringLiteral("Shift+F9")},
        {"debug.continue", Action::Continue, run, tr("To the next brea&kpoint"), tr("Goes on until a breakpoint holds"),
         QStringLiteral("Ctrl+F8")},
        {"debug.reverse", Action::Reverse, run, tr("Back to the breakpoint be&fore"),
         tr("Goes back until a breakpoint holds"), QStringLiteral("Ctrl+Shift+F8")},
        {"debug.breakpoint", Action::Breakpoint, run, tr("Breakpoint"),
         tr("Sets a breakpoint on the line of the cursor, or takes it away"), QStringLiteral("F9")},
        {"debug.scrubBack", Action::ScrubBack, run, tr("Scrub back"), tr("One step back"), QStringLiteral(","), true},
        {"debug.scrubOn", Action::ScrubOn, run, tr("Scrub on"), tr("One step on"), QStringLiteral("."), true},
        {"debug.scrubFarBack", Action::ScrubFarBack, run, tr("Scrub 100 back"), tr("A hundred steps back"),
         QStringLiteral("Shift+,"), true},
        {"debug.scrubFarOn", Action::ScrubFarOn, run, tr("Scrub 100 on"), tr("A hundred steps on"),
         QStringLiteral("Shift+."), true},
        {"debug.previousWarp", Action::PreviousWarp, run, tr("Previous warp"), tr("Looks at the warp before"),
         QStringLiteral("["), true},
        {"debug.nextWarp", Action::NextWarp, run, tr("Next warp"), tr("Looks at the warp after"), QStringLiteral("]"),
         true},
    };
}

} // namespace

void MainWindow::addKernelActions()
{
    ActionRegistry& actions = m_context.actions();
    actions.add({QStringLiteral("file.newKernel"),
                 tr("File"),
                 tr("New &kernel"),
                 tr("Begins a kernel of your own in CUDA C++"),
                 {QKeySequence(QStringLiteral("Ctrl+Alt+N"))}},
                [this] { Q_EMIT m_context.openRequested(QStringLiteral("kernel/new")); });
    actions.add({QStringLiteral("go.kernel"),
                 tr("Go"),
                 tr("K&ernels of your own"),
                 tr("CUDA C++ that you write, run in a process of its own, with the cost of each line"),
                 {}},
                [this] { Q_EMIT m_context.openRequested(QStringLiteral("kernel")); });
    for (const KernelAction& each : kernelActions())
        actions.add({QLatin1String(each.id), each.menu, each.text, each.help, {QKeySequence(each.keys)}, each.plainKey},
                    [this, action = each.action] {
                        auto* kernels = qobject_cast<KernelPage*>(page());
                        if (kernels && kernels->can(action))
                            kernels->perform(action);
                    });
}

void MainWindow::addKernelFile(const QString& path)
{
    (void)open(QStringLiteral("kernel"));
    if (auto* kernels = qobject_cast<KernelPage*>(page()))
        if (const auto added = kernels->addFile(path); !added)
            Q_EMIT m_context.notice(QString::fromStdString(toText(added.error())), true);
}

void MainWindow::updateKernelActions()
{
    auto* kernels = qobject_cast<KernelPage*>(page());
    for (const KernelAction& each : kernelActions())
        m_context.actions().find(QLatin1String(each.id))->setEnabled(kernels && kernels->can(each.action));
}

} // namespace ridge::app
