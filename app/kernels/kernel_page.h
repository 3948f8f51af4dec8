// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/kernel_shelf.h"
#include "app/session/app_context.h"
#include "app/ui/page.h"

#include <QUndoStack>

class QStackedWidget;

namespace ridge::app {

class KernelBench;
class ShelfView;

/// Kernels of the learner's own: "kernel" lists them, "kernel/<name>" opens one, "kernel/new" begins one,
/// "kernel/task/<task>" opens the one for that task and begins it where there is none.
class KernelPage : public Page {
    Q_OBJECT
public:
    explicit KernelPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override;
    QString part() const override;
    int runningJobs() const override;
    void cancelRuns() override;
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;

    /// Commands that only kernels have.
    enum class Action {
        KeepVersion,
        Hottest,
        Record,
        Into,
        Back,
        Over,
        IntoLine,
        Out,
        ToBarrier,
        Continue,
        Reverse,
        Breakpoint,
        ScrubBack,
        ScrubOn,
        ScrubFarBack,
        ScrubFarOn,
        PreviousWarp,
        NextWarp,
        Grade
    };
    bool can(Action action) const;
    void perform(Action action);

    /// Begins a kernel with a copy of a .cu, .cuh or .ptx file and asks for it to be shown. Errors: "cannot-read",
    /// "too-large".
    Result<void> addFile(const QString& path);
    KernelBench* bench() const { return m_bench; } ///< null while the list is shown
    ShelfView* shelf() const { return m_shelf; }
    /// Both can be undone. Errors: those of renameKernel and removeKernel, "busy" while the kernel runs.
    Result<void> rename(const QString& name, const QString& to);
    Result<void> remove(const QString& name);

private:
    void begin(KernelDraft draft);
    Result<QString> kernelOfTask(const std::string& task);
    void put(KernelDraft draft);
    void chooseFile();
    void connectShelf();
    Result<void> letGo(const QString& name);
    void showShelf(const QString& chosen);
    std::filesystem::path folder() const;

    AppContext& m_context;
    QStackedWidget* m_stack;
    ShelfView* m_shelf;
    KernelBench* m_bench = nullptr;
    mutable QUndoStack m_undo; ///< of names and of what was taken away
};

} // namespace ridge::app
