// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/lesson_kernel.h"

#include "app/kernels/kernel_bench.h"
#include "app/kernels/kernel_grading.h"
#include "app/ui/panels.h"

#include <QBoxLayout>

namespace ridge::app {
namespace {

constexpr int kBenchHeight = 760; ///< px at 100 %: the source above, a tab of results below

QWidget* failed(AppContext& context, const Error& error, QWidget* parent)
{
    auto* banner = new Banner(context.theme(), parent);
    banner->setError(error);
    banner->setClosable(false);
    return banner;
}

QWidget* makeEditor(AppContext& context, const AppContext::KernelWish& wish, QWidget* parent)
{
    if (!context.store())
        return failed(context, {"no-store", "your record is not open", "", "restart the program"}, parent);
    const std::filesystem::path folder = context.store()->folder();
    const auto name = wish.task.empty() ? ownKernelOfFile(folder, context.dataFolder() / "kernels" / wish.file)
                                        : ownKernelOfTask(folder, wish.task);
    if (!name)
        return failed(context, name.error(), parent);
    auto* bench = new KernelBench(context, draftFromJson(DraftFile(folder, "kernels", *name).load(), *name), parent,
                                  Qt::Vertical);
    bench->setObjectName(QStringLiteral("lessonKernel"));
    const auto fit = [bench, &context] { bench->setFixedHeight(context.theme().scaled(kBenchHeight)); };
    QObject::connect(&context.theme(), &Theme::changed, bench, fit);
    fit();
    KernelGrading* grading = bench->grading();
    QObject::connect(grading, &KernelGrading::judged, bench, [grading] { grading->keep(); });
    QObject::connect(grading, &KernelGrading::keptChanged, bench, [grading, kept = wish.kept] {
        if (grading->kept() == KernelGrading::Kept::Yes && kept)
            kept();
    });
    QObject::connect(bench, &KernelBench::shelfWanted, bench,
                     [&context] { Q_EMIT context.openRequested(QStringLiteral("kernel")); });
    return bench;
}

} // namespace

void offerLessonKernels(AppContext& context)
{
    context.setKernelEditor(
        [&context](const AppContext::KernelWish& wish, QWidget* parent) { return makeEditor(context, wish, parent); });
}

} // namespace ridge::app
