// SPDX-License-Identifier: GPL-3.0-or-later
// The page of kernels in the real window, with the real worker.
#include "kernel_person.h"

#include "app/kernels/history_panel.h"
#include "app/kernels/kernel_results.h"
#include "app/kernels/problem_list.h"
#include "app/kernels/ptx_panel.h"
#include "app/kernels/replace_bar.h"
#include "app/kernels/shelf_view.h"
#include "app/ui/panels.h"
#include "app/window/command_palette.h"
#include "tests/golden/golden.h"

#include <QClipboard>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QListWidget>
#include <QProcess>
#include <QScrollBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QTreeView>
#include <QTreeWidget>
#include <csignal>
#include <cstdio>

using namespace ridge;
using namespace ridge::app;

namespace {

/// The child of crashesLoseNothingOlderThanTwoSeconds: types for ever and says what it has typed and when.
int typist()
{
    Theme theme;
    ActionRegistry actions;
    auto store = record::Store::open(homeFolder());
    if (!theme.load(QStringLiteral("light")) || !store)
        return 2;
    AppContext context(theme, actions, std::move(*store), *dataFolder());
    KernelDraft draft;
    draft.name = "typed";
    KernelBench bench(context, draft);
    bench.show();
    QTimer keys;
    int count = 0;
    QObject::connect(&keys, &QTimer::timeout, &bench, [&] {
        QTest::keyClick(bench.editor(), count % 40 == 39 ? Qt::Key_Return : Qt::Key_A);
        ++count;
        std::printf("%d %lld\n", count, static_cast<long long>(QDateTime::currentMSecsSinceEpoch()));
        std::fflush(stdout);
    });
    keys.start(15);
    return QApplication::exec();
}

int lineWith(const KernelEditor& editor, const char* words)
{
    return editor.document()->find(QString::fromUtf8(words)).blockNumber() + 1;
}

} // namespace

class TestKernelPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Whether NVIDIA's tools are on this machine is no part of a picture.
    void initTestCase()
    {
        qputenv("RIDGE_PTXAS", "/bin/true");
        qputenv("RIDGE_NVDISASM", "/none");
    }

    void anExampleIsCopiedRunAndCounted()
    {
        Person person;
        QCOMPARE(person.page->part(), QString());
        auto* examples = person.page->shelf()->examples();
        person.page->shelf()->sources()->setCurrentWidget(examples);
        examples->setFocus();
        examples->setCurrentItem(examples->topLevelItem(0)->child(2));
        QCOMPARE(examples->currentItem()->text(0), s("Vector add"));
        QTest::keyClick(examples, Qt::Key_Return);
        QCOMPARE(person.window->currentPage(), s("kernel/vector_add"));
        if (!hasCompiler(*person.place.context))
            QSKIP("no compiler here");
        QVERIFY(person.compiled());
        KernelBench* bench = person.bench();
        QCOMPARE(bench->form()->kernels()[0].parameters[3].name, std::string("n"));
        QCOMPARE(bench->form()->launch().args[3], std::string("i32:16384"));
        person.shot("kernel_launch");
        QVERIFY(person.ran());
        QVERIFY(bench->results()->scoreText().contains(s("first version")));
        QVERIFY(bench->lineTable()->table()->rowCount() > 2);
        // Gutter and table say the same.
        bench->setMetric(HeatMetric::Instructions);
        int seen = 0;
        for (int row = 0; row < bench->lineTable()->table()->rowCount(); ++row) {
            const int line = bench->lineTable()->table()->item(row, 0)->text().toInt();
            const QString told = bench->lineTable()->table()->item(row, 1)->text();
            QCOMPARE(bench->editor()->heatText(line), shortNumber(told.toDouble()));
            ++seen;
        }
        QVERIFY(seen > 2);
        bench->setMetric(HeatMetric::SectorsPerRequest); // by which line most instructions are, compilers differ
        person.place.actions->find(s("go.hottest"))->trigger();
        QCOMPARE(bench->editor()->heatText(bench->editor()->currentLine()), s("4")); // neighbours read neighbours
        QVERIFY(bench->editor()
                    ->document()
                    ->findBlockByNumber(bench->editor()->currentLine() - 1)
                    .text()
                    .contains(s("a[i] + b[i]")));
        person.shot("kernel_result");

        // More work is told beside the best version.
        bench->editor()->selectAll();
        bench->editor()->insertPlainText(QString::fromStdString(*readFile(example("vector_add.cu")))
                                             .replace(s("a[i] + b[i]"), s("a[i] + b[i] + a[i] * b[i]")));
        QVERIFY(person.compiled());
        QVERIFY(person.ran());
        QVERIFY2(bench->results()->scoreText().contains(s("% more")), qPrintable(bench->results()->scoreText()));
        QCOMPARE(bench->history().versions().size(), std::size_t{2});
        bench->side()->setCurrentWidget(bench->historyPanel());
        bench->historyPanel()->list()->setCurrentRow(1);
        QVERIFY(bench->historyPanel()->difference().contains(s("− ")));
        Q_EMIT bench->historyPanel()->restoreWanted(QString::fromStdString(bench->history().versions()[0].id));
        QCOMPARE(bench->editor()->toPlainText().toStdString(), *readFile(example("vector_add.cu")));
        QCOMPARE(bench->history().versions().size(), std::size_t{3});
    }

    /// Source and PTX go together, both ways, and what the table says is what `ridge kernel compile --show lines` says.
    void ptxFollowsTheSource()
    {
        Person person("racy_reduction.cu");
        if (!hasCompiler(*person.place.context))
            QSKIP("no compiler here");
        KernelBench* bench = person.bench();
        Json document;
        connect(bench->compileJob(), &KernelJob::answered, bench,
                [&document](const JsonValue& got) { document = *got; });
        QVERIFY(person.compiled());
        PtxPanel* ptx = bench->ptx();
        bench->side()->setCurrentWidget(ptx);
        const int store = lineWith(*bench->editor(), "out[blockIdx.x]");
        bench->editor()->goToLine(store);
        std::vector<int> wanted;
        for (const Json& line : document["lines"])
            if (line["source_line"] == store)
                for (const Json& number : line["ptx_lines"])
                    wanted.push_back(number.get<int>());
        std::sort(wanted.begin(), wanted.end());
        QVERIFY(wanted.size() > 1);
        QCOMPARE(ptx->markedRows(), wanted);
        QVERIFY2(ptx->sentence().startsWith(s("Line %1: %2 instructions").arg(store).arg(wanted.size())),
                 qPrintable(ptx->sentence()));
        const QAbstractItemModel* table = ptx->table()->model();
        const auto rowOf = [table](int ptxLine) {
            return table->match(table->index(0, 0), Qt::DisplayRole, QString::number(ptxLine), 1, Qt::MatchExactly)
                .value(0)
                .row();
        };
        std::set<int> told;
        for (const Json& line : document["kernels"][0]["listing"])
            if (told.insert(line["ptx_line"].get<int>()).second) // of copies the first
                for (std::size_t at = 0; at < line["machine"].size(); ++at)
                    QVERIFY(table->index(rowOf(line["ptx_line"].get<int>()) + 1 + int(at), 2)
                                .data()
                                .toString()
                                .contains(s("→ ") + QString::fromStdString(line["machine"][at].get<std::string>())));
        QVERIFY(told.size() > 10);
        person.shot("kernel_ptx");

        // The other way: an instruction of another line takes the cursor there, Enter the focus too.
        const int sum = lineWith(*bench->editor(), "part[t] +=");
        const int row = [&] {
            for (int at = 0; at < table->rowCount(); ++at)
                if (table->index(at, 1).data().toString() == QString::number(sum))
                    return at;
            return -1;
        }();
        QVERIFY(row >= 0);
        ptx->table()->setFocus();
        ptx->table()->setCurrentIndex(table->index(row, 0));
        QCOMPARE(bench->editor()->currentLine(), sum);
        const std::vector<int> marked = ptx->markedRows();
        const QString number = table->index(row, 0).data().toString();
        QVERIFY(std::find(marked.begin(), marked.end(), number.toInt()) != marked.end());
        QTest::keyClick(ptx->table(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().startsWith(number + u'\t'));
        QVERIFY(table->index(row, 2).data(Qt::AccessibleTextRole).toString().contains(s("of line %1").arg(sum)));
        QTest::keyClick(ptx->table(), Qt::Key_Return);
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(bench->editor()));

        // Another text: nothing is marked until it is compiled, and an edit that is taken back is none.
        bench->editor()->insertPlainText(s("x"));
        QVERIFY(ptx->markedRows().empty());
        QVERIFY(ptx->sentence().contains(s("has changed")));
        bench->editor()->undo();
        QVERIFY(!ptx->markedRows().empty());
    }

    /// NVIDIA's SASS stands below the PTX and goes with the source likewise; stand-ins take the tools' place.
    void sassFollowsTheSource()
    {
        Person person("racy_reduction.cu");
        if (!hasCompiler(*person.place.context))
            QSKIP("no compiler here");
        KernelBench* bench = person.bench();
        PtxPanel* ptx = bench->ptx();
        bench->side()->setCurrentWidget(ptx);
        const int store = lineWith(*bench->editor(), "out[blockIdx.x]"), sum = lineWith(*bench->editor(), "part[t] +=");
        QTemporaryDir folder;
        const auto tool = [&](const char* name, const QString& text) {
            QFile file(folder.filePath(s(name)));
            if (!file.open(QIODevice::WriteOnly) || file.write("#!/bin/sh\n" + text.toUtf8()) < 0)
                qFatal("no stand-in");
            file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
            return file.fileName().toUtf8();
        };
        const QByteArray ptxas = qgetenv("RIDGE_PTXAS"), before = qgetenv("RIDGE_NVDISASM");
        qputenv("RIDGE_PTXAS", tool("ptxas", s(": > kernel.cubin\n")));
        qputenv("RIDGE_NVDISASM",
                tool("nvdisasm",
                     s("cat <<'EOF'\n.text.sum:\n//## File \"racy_reduction.cu\", line %1\n/*0000*/ LDS R1, [R2] ;\n"
                       "//## File \"racy_reduction.cu\", line %2\n/*0010*/ STG.E [R4.64], R1 ;\nEOF\n")
                         .arg(sum)
                         .arg(store)));
        QVERIFY(person.compiled());
        bench->compileNow();
        QTRY_VERIFY_WITH_TIMEOUT(!ptx->sass()->isHidden(), 60000);
        const QAbstractItemModel* table = ptx->sass()->model();
        QCOMPARE(table->rowCount(), 3); // the kernel's name and two instructions
        QVERIFY(table->index(2, 2).data().toString().contains(s("0010 STG.E [R4.64], R1")));
        bench->editor()->goToLine(store);
        QCOMPARE(ptx->markedSass(), std::vector<int>{3});
        QVERIFY(!ptx->markedRows().empty());
        ptx->sass()->setFocus();
        ptx->sass()->setCurrentIndex(table->index(1, 0));
        QCOMPARE(bench->editor()->currentLine(), sum);
        QCOMPARE(ptx->markedSass(), std::vector<int>{2});
        QTest::keyClick(ptx->sass(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().contains(s("LDS R1, [R2]")));

        // Without the tool the reason stands there, and the PTX as before.
        qputenv("RIDGE_NVDISASM", "/none");
        bench->compileNow();
        QTRY_VERIFY_WITH_TIMEOUT(ptx->sass()->isHidden() && !bench->compileJob()->busy(), 60000);
        QVERIFY(ptx->table()->model()->rowCount() > 10);
        QVERIFY(std::ranges::any_of(ptx->findChildren<QLabel*>(), [](QLabel* label) {
            return label->text().contains(s("No SASS: RIDGE_NVDISASM names /none"));
        }));
        qputenv("RIDGE_PTXAS", ptxas);
        qputenv("RIDGE_NVDISASM", before);
    }

    void whatIsWrittenComesBack()
    {
        Person person("strided_copy.cu");
        person.bench()->editor()->insertPlainText(s("// mine\n"));
        LaunchSettings launch = person.bench()->form()->launch();
        launch.grid = "7";
        person.bench()->form()->setLaunch(launch);
        person.place.restart();
        MainWindow& window = person.place.makeWindow();
        QVERIFY(window.open(s("kernel/strided_copy")).ok());
        auto* page = qobject_cast<KernelPage*>(window.page());
        QVERIFY(page->bench()->editor()->toPlainText().startsWith(s("// mine\n")));
        QCOMPARE(page->bench()->form()->launch().grid, std::string("7"));
        QVERIFY(!window.open(s("kernel/no-such-one")).ok());
        QVERIFY(window.open(s("kernel")).ok());
        QCOMPARE(page->shelf()->own()->rowCount(), 1);
        // A second copy has a name of its own.
        QVERIFY(page->addFile(QString::fromStdString(example("strided_copy.cu"))).ok());
        QCOMPARE(window.currentPage(), s("kernel/strided_copy-2"));
        QVERIFY(!page->addFile(s("/no/such/file.cu")).ok());
    }

    void errorsStandWhereTheyAre()
    {
        Person person("vector_add.cu");
        if (!hasCompiler(*person.place.context))
            QSKIP("no compiler here");
        KernelBench* bench = person.bench();
        QVERIFY(person.compiled());
        const QString good = bench->editor()->toPlainText();
        QTextCursor cursor = bench->editor()->document()->find(s("b[i]"));
        bench->editor()->setTextCursor(cursor);
        bench->editor()->insertPlainText(s("nothing[i]"));
        QTRY_VERIFY_WITH_TIMEOUT(!bench->editor()->notes().empty(), kRunMs);
        const SourceNote note = bench->editor()->notes().front();
        QCOMPARE(note.line, bench->editor()->currentLine());
        QVERIFY(note.text.contains(s("nothing")));
        person.shot("kernel_error");
        bench->editor()->goToLine(1);
        bench->problems()->list()->setFocus();
        QTest::keyClick(bench->problems()->list(), Qt::Key_Return);
        QCOMPARE(bench->editor()->currentLine(), note.line);
        bench->editor()->undo();
        QCOMPARE(bench->editor()->toPlainText(), good);
        QTRY_VERIFY_WITH_TIMEOUT(bench->editor()->notes().empty(), kRunMs);
    }

    void detectorsTeachInPlace()
    {
        Person person("racy_reduction.cu");
        if (!hasCompiler(*person.place.context))
            QSKIP("no compiler here");
        QVERIFY(person.compiled());
        QVERIFY(person.ran());
        KernelBench* bench = person.bench();
        QVERIFY(!bench->editor()->notes().empty());
        const SourceNote note = bench->editor()->notes().front();
        QVERIFY(bench->editor()->document()->findBlockByNumber(note.line - 1).text().contains(s("part[t")));
        QVERIFY(bench->problems()->shownText().contains(s("__syncthreads")));
        QVERIFY(bench->results()->scoreText().contains(s("detectors")));
        person.shot("kernel_race");
        // Mended, it is a version that counts.
        QTextCursor cursor = bench->editor()->document()->find(s("part[t] += part[t + half];"));
        cursor.movePosition(QTextCursor::NextBlock);
        bench->editor()->setTextCursor(cursor);
        bench->editor()->insertPlainText(s("        __syncthreads();\n"));
        QVERIFY(person.compiled());
        QVERIFY(person.ran());
        QVERIFY2(bench->editor()->notes().empty(), qPrintable(bench->problems()->shownText()));
    }

    void aFaultNeverTakesTheWindowDown()
    {
        Person person("vector_add.cu");
        if (!hasCompiler(*person.place.context))
            QSKIP("no compiler here");
        KernelBench* bench = person.bench();
        // Reads far beyond its buffer, prints nothing, never ends: each is told, and the next run goes.
        const auto write = [&](const QString& body) {
            bench->editor()->selectAll();
            bench->editor()->insertPlainText(
                s("__global__ void vectorAdd(const float* a, const float* b, float* c, int n)\n{\n    %1\n}\n")
                    .arg(body));
            QVERIFY(person.compiled());
        };
        write(s("c[threadIdx.x] = a[100000000 + threadIdx.x];"));
        QVERIFY(person.ran());
        QVERIFY(!bench->editor()->notes().empty());
        QVERIFY(bench->editor()->notes().front().title.startsWith(s("Out of bounds")));
        // The worker dies of a signal.
        write(s("volatile float* p = c; int x = n; while (x != 0) { p[threadIdx.x] = float(x); x = x * 1664525 + "
                "1013904223; if (x == 0) x = 1; }"));
        QSignalSpy failed(bench->runJob(), &KernelJob::failed);
        person.place.actions->find(s("run.run"))->trigger();
        QVERIFY(bench->running());
        QTRY_VERIFY_WITH_TIMEOUT(bench->runJob()->processId() > 0, kRunMs);
        QVERIFY(::kill(pid_t(bench->runJob()->processId()), SIGKILL) == 0);
        QVERIFY(failed.wait(kRunMs));
        QCOMPARE(failed.front().front().value<Error>().code, std::string("worker-crashed"));
        QVERIFY(!bench->running());
        // Stopped by the learner.
        LaunchSettings launch = bench->form()->launch();
        launch.check = false;
        launch.seconds = 60;
        bench->form()->setLaunch(launch);
        person.place.actions->find(s("run.run"))->trigger();
        QVERIFY(bench->running());
        QVERIFY(person.place.actions->find(s("run.stop"))->isEnabled());
        QSignalSpy done(bench->runJob(), &KernelJob::done);
        person.place.actions->find(s("run.stop"))->trigger();
        QVERIFY(done.wait(kRunMs));
        QVERIFY(person.window->isVisible());
        write(s("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i];"));
        QVERIFY(person.ran());
        QVERIFY(!bench->results()->scoreText().isEmpty());
    }

    void theListIsKeptInOrder()
    {
        Person person("vector_add.cu");
        QVERIFY(person.page->addFile(QString::fromStdString(example("strided_copy.cu"))).ok());
        person.bench()->editor()->insertPlainText(s("// mine\n"));
        person.bench()->keepVersion(s("kept"));
        QVERIFY(person.window->open(s("kernel")).ok());
        auto* own = person.page->shelf()->own();
        QCOMPARE(own->rowCount(), 2);
        // The palette knows both.
        person.window->commandPalette()->openWith(s("strided_copy"));
        const PaletteModel* palette = person.window->commandPalette()->model();
        QCOMPARE(int(palette->entry(palette->index(0))->kind), int(PaletteEntry::Kind::Kernel));
        QTest::keyClick(person.window->commandPalette()->field(), Qt::Key_Return);
        QCOMPARE(person.window->currentPage(), s("kernel/strided_copy"));
        QVERIFY(person.window->open(s("kernel")).ok());
        // F2 renames in place; what was typed just before is not lost.
        own->setFocus();
        person.page->shelf()->choose(s("strided_copy"));
        QTest::keyClick(own, Qt::Key_F2);
        auto* field = own->findChild<QLineEdit*>();
        QVERIFY(field);
        field->setText(s("my copy"));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(person.page->shelf()->chosen(), s("strided_copy")); // a space is no part of a name
        QVERIFY(hasKernel(homeFolder(), "strided_copy"));
        QTest::keyClick(own, Qt::Key_F2);
        field = own->findChild<QLineEdit*>();
        QVERIFY(field);
        field->setText(s("my_copy"));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(person.page->shelf()->chosen(), s("my_copy"));
        QVERIFY(person.window->open(s("kernel/my_copy")).ok());
        QVERIFY(person.bench()->editor()->toPlainText().startsWith(s("// mine\n")));
        QCOMPARE(person.bench()->history().versions().back().name, std::string("kept"));
        // Delete takes away, Ctrl+Z brings back.
        QVERIFY(person.window->open(s("kernel")).ok());
        person.page->shelf()->choose(s("my_copy"));
        QTest::keyClick(own, Qt::Key_Delete);
        QCOMPARE(own->rowCount(), 1);
        QVERIFY(!person.window->open(s("kernel/my_copy")).ok());
        QVERIFY(person.page->can(Page::Command::Undo));
        person.page->perform(Page::Command::Undo);
        QCOMPARE(own->rowCount(), 2);
        QCOMPARE(person.page->shelf()->chosen(), s("my_copy"));
        person.page->perform(Page::Command::Undo); // and its name
        QVERIFY(hasKernel(homeFolder(), "strided_copy"));
        person.page->perform(Page::Command::Redo);
        QVERIFY(person.window->open(s("kernel/my_copy")).ok());
        QVERIFY(person.bench()->editor()->toPlainText().startsWith(s("// mine\n")));
    }

    void crashesLoseNothingOlderThanTwoSeconds()
    {
        for (const int wait : {2600, 3100, 3700}) {
            QTemporaryDir home;
            QProcess child;
            auto environment = QProcessEnvironment::systemEnvironment();
            environment.insert(s("RIDGE_HOME"), home.path());
            environment.insert(s("RIDGE_CACHE"), home.path() + s("/cache"));
            environment.insert(s("RIDGE_TYPIST"), s("1"));
            child.setProcessEnvironment(environment);
            child.start(QCoreApplication::applicationFilePath(), {s("-platform"), s("offscreen")});
            QVERIFY(child.waitForReadyRead(60000)); // the first key
            QElapsedTimer typed;
            typed.start();
            QByteArray said = child.readAllStandardOutput();
            while (typed.elapsed() < wait) {
                child.waitForReadyRead(int(wait - typed.elapsed()));
                said += child.readAllStandardOutput();
            }
            const qint64 killed = QDateTime::currentMSecsSinceEpoch();
            QVERIFY(::kill(pid_t(child.processId()), SIGKILL) == 0);
            QVERIFY(child.waitForFinished(60000));
            int old = 0;
            for (const QByteArray& line : said.split('\n'))
                if (const QList<QByteArray> parts = line.split(' '); parts.size() == 2)
                    if (killed - parts[1].toLongLong() > 2000)
                        old = std::max(old, parts[0].toInt());
            QVERIFY(old > 10);
            const DraftFile file(home.path().toStdString(), "kernels", "typed");
            const KernelDraft draft = draftFromJson(file.load(), "typed");
            QVERIFY2(int(draft.text.size()) >= old,
                     qPrintable(s("%1 kept, %2 were older than 2 s").arg(draft.text.size()).arg(old)));
        }
    }

    void droppedFilesBecomeKernels()
    {
        Person person;
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QString::fromStdString(example("racy_reduction.cu")))});
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(person.window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(person.window, &drop);
        QCOMPARE(person.window->currentPage(), s("kernel/racy_reduction"));
        person.place.actions->find(s("file.newKernel"))->trigger();
        QCOMPARE(person.page->bench()->name(), s("kernel"));
        // Ctrl+F finds, Ctrl+S leads to the version's name.
        QVERIFY(person.page->can(Page::Command::Find));
        person.page->perform(Page::Command::Find);
        QVERIFY(!person.bench()->findBar()->isHidden());
        person.place.actions->find(s("edit.keepVersion"))->trigger();
        QCOMPARE(person.bench()->side()->currentWidget(), static_cast<QWidget*>(person.bench()->historyPanel()));
        person.bench()->historyPanel()->nameField()->setText(s("before the change"));
        QTest::keyClick(person.bench()->historyPanel()->nameField(), Qt::Key_Return);
        QCOMPARE(person.bench()->history().versions().back().name, std::string("before the change"));
    }

    void everyWidgetHasAName()
    {
        Person person("vector_add.cu");
        for (const char* place : {"kernel", "kernel/vector_add"}) {
            QVERIFY(person.window->open(s(place)).ok());
            for (QWidget* widget : person.page->findChildren<QWidget*>()) {
                if (!(widget->focusPolicy() & Qt::TabFocus) || widget->objectName().startsWith(s("qt_")) ||
                    widget->window() != person.window)
                    continue;
                QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
                QVERIFY2(face && !face->text(QAccessible::Name).trimmed().isEmpty(), widget->metaObject()->className());
            }
        }
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("textPercent");
        for (const char* theme : {"light", "dark"})
            for (const char* what : {"bench", "shelf", "launch", "lines", "ptx", "counters", "stalls"})
                QTest::addRow("%s %s", what, theme) << s(what) << s(theme) << 100;
        for (const char* what : {"bench", "shelf"})
            QTest::addRow("%s 200", what) << s(what) << s("light") << 200;
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, what);
        QFETCH(QString, theme);
        QFETCH(int, textPercent);
        const bool bench = what != s("shelf");
        Person person(bench ? "racy_reduction.cu" : nullptr);
        // Another compiler makes other instructions, and other numbers.
        if (bench && !hasCompiler(*person.place.context, s("nvrtc"), s("13.0")))
            QSKIP("the picture is that of NVRTC 13.0");
        QVERIFY(person.place.theme.load(theme).ok());
        person.place.theme.setTextScale(textPercent / 100.0);
        if (bench) {
            QVERIFY(person.compiled());
            QVERIFY(person.ran());
        }
        if (!bench && textPercent != 100) // what the window's status takes depends on what it has to say
            person.page->setFixedHeight(640);
        person.hideMachine();
        if (bench && textPercent == 100) // at 1280 every tab is seen
            QVERIFY(person.bench()->side()->tabBar()->sizeHint().width() <= person.bench()->side()->width());
        const QString name = s("kernel_%1_%2").arg(what, theme);
        QWidget* side = person.sideAt(what);
        QWidget* shown = side ? side : person.page;
        const QString wrong = textPercent == 100 ? golden::checkView(name, *shown)
                                                 : golden::checkImage(name + s("_200"), shown->grab().toImage());
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

int main(int argc, char** argv)
{
    QApplication program(argc, argv);
    if (qEnvironmentVariableIsSet("RIDGE_TYPIST"))
        return typist();
    TestKernelPage test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_kernel_page.moc"
