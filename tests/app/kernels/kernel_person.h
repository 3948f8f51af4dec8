// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/kernel_bench.h"
#include "app/kernels/kernel_page.h"
#include "app/kernels/launch_form.h"
#include "app/ui/targets.h"
#include "tests/app/window/shell_fixture.h"

#include <QLabel>
#include <QTabWidget>

namespace ridge::app {

inline constexpr int kRunMs = 60000;

inline QString s(const char* text)
{
    return QString::fromUtf8(text);
}

inline std::string example(const char* name)
{
    return (*dataFolder() / "assets" / "examples" / name).string();
}

/// A learner at the page of kernels.
struct Person {
    Workplace place;
    MainWindow* window = nullptr;
    KernelPage* page = nullptr;

    explicit Person(const char* file = nullptr)
    {
        if (!place.loadCatalogue())
            qFatal("no catalogue");
        window = &place.makeWindow();
        if (!window->open(s("kernel")).ok())
            qFatal("no page");
        page = qobject_cast<KernelPage*>(window->page());
        if (file && !page->addFile(QString::fromStdString(example(file))).ok())
            qFatal("no example");
    }
    KernelBench* bench() const { return page->bench(); }
    /// The pane beside the source, opened at the tab of this name; null: there is none.
    QWidget* sideAt(const QString& name) const
    {
        QTabWidget* side = bench() ? bench()->side() : nullptr;
        for (int tab = 0; side && tab < side->count(); ++tab)
            if (side->tabText(tab).toLower() == name) {
                side->setCurrentIndex(tab);
                QCoreApplication::processEvents(); // it is laid out when it is shown
                return side;
            }
        return nullptr;
    }
    bool compiled() const
    {
        bench()->compileNow(); // rather than wait for the end of the typing
        return QTest::qWaitFor([&] { return !bench()->compileJob()->busy() && !bench()->form()->kernel().empty(); },
                               kRunMs);
    }
    bool ran() const
    {
        if (!QTest::qWaitFor([&] { return !bench()->running(); }, kRunMs)) // a recording ends after its last step
            return false;
        QSignalSpy done(bench()->runJob(), &KernelJob::done);
        place.actions->find(s("run.run"))->trigger();
        return bench()->running() && done.wait(kRunMs);
    }
    /// For pictures: the version of the compiler is this machine's.
    void hideMachine() const
    {
        page->setFocus();
        for (QLabel* label : page->findChildren<QLabel*>())
            for (const char* compiler : {"nvrtc", "nvcc", "clang"})
                if (label->text().contains(s(compiler)))
                    label->setText(s("a compiler"));
        QTest::qWait(50);
    }
    /// Into the folder RIDGE_SHOTS, where there is one: light, dark, and dark with the largest text.
    void shot(const char* name)
    {
        const QString folder = qEnvironmentVariable("RIDGE_SHOTS");
        if (folder.isEmpty())
            return;
        const auto save = [&](const char* look) {
            QTest::qWait(50);
            window->grab().save(folder + QLatin1Char('/') + s(name) + s(look) + s(".png"));
        };
        save("");
        (void)place.theme.load(s("dark"));
        save("-dark");
        place.theme.setTextScale(2);
        save("-dark-200");
        place.theme.setTextScale(1);
        (void)place.theme.load(s("light"));
    }
};

/// `version` empty: any.
inline bool hasCompiler(const AppContext& context, const QString& id = {}, const QString& version = {})
{
    for (const CompilerInfo& compiler : compilersOf(context))
        if (compiler.available && compiler.id != s("shipped") && (id.isEmpty() || compiler.id == id) &&
            compiler.version.startsWith(version))
            return true;
    return false;
}

} // namespace ridge::app
