// SPDX-License-Identifier: GPL-3.0-or-later
// The workload explorer in the real window: its numbers against the experiment, dots and rows, files, keyboard,
// pictures.
#include "tests/app/window/shell_fixture.h"

#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_chart.h"
#include "app/drawing/scenes/scene_text.h"
#include "app/drawing/scenes/scene_view.h"
#include "app/explorer/explorer_page.h"
#include "app/explorer/operator_graph.h"
#include "app/explorer/stack_page.h"
#include "app/ui/learner_choices.h"
#include "app/ui/panels.h"
#include "app/window/opened_files.h"
#include "base/json.h"
#include "tests/golden/golden.h"
#include "tests/support/pace.h"
#include "tests/workload/onnx_writer.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QSlider>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTreeView>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

ExplorerPage* explorerPage(Workplace& place)
{
    return qobject_cast<ExplorerPage*>(place.window->page());
}

template<class Widget>
Widget* named(QWidget* page, const char* name)
{
    for (Widget* each : page->findChildren<Widget*>())
        if (each->accessibleName() == s(name))
            return each;
    qFatal("no %s", name);
}

void choose(QWidget* page, const char* name, const QString& text)
{
    auto* box = named<QComboBox>(page, name);
    const int at = box->findText(text);
    if (at < 0)
        qFatal("%s has no %s", name, qPrintable(text));
    box->setCurrentIndex(at);
}

int rowNamed(const ExplorerPage& page, const char* name)
{
    const auto& rows = page.explored().found.rows;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].op.name == name)
            return int(i);
    return -1;
}

QImage pictureOf(QWidget& page, double scale)
{
    QImage image(page.size() * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    if (QWidget* focused = QApplication::focusWidget())
        focused->clearFocus(); // its ring is no part of the picture
    image.fill(page.palette().color(QPalette::Window));
    page.render(&image);
    return image;
}

} // namespace

class TestExplorerPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// What the page shows and what the experiment "workload" gives are the same numbers.
    void numbersAreThoseOfTheExperiment_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("phase");
        QTest::addColumn<bool>("fused");
        QTest::newRow("decode") << s("llama-3-8b") << s("decode") << true;
        QTest::newRow("training, a kernel each") << s("gpt-2") << s("training") << false;
        QTest::newRow("layers") << s("lenet-5") << s("prefill") << true;
        QTest::newRow("experts") << s("mixtral-8x7b") << s("prefill") << true;
    }
    void numbersAreThoseOfTheExperiment()
    {
        QFETCH(QString, model);
        QFETCH(QString, phase);
        QFETCH(bool, fused);
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.makeWindow().open(s("explorer/") + model).ok());
        ExplorerPage* page = explorerPage(place);
        choose(page, "Step",
               phase == s("decode")     ? s("Decode")
               : phase == s("training") ? s("Training step")
                                        : s("Forward pass (prefill)"));
        named<QSlider>(page, "Batch")->setValue(3);
        named<QSlider>(page, "Sequence")->setValue(9);
        page->findChild<QCheckBox*>()->setChecked(fused);
        QProcess ridge;
        ridge.start(QString::fromLocal8Bit(qgetenv("RIDGE_BIN")) + s("/ridge"),
                    {s("run"), s("workload"), s("--target"), s("model"), s("--json"), s("--set"), s("model=") + model,
                     s("--set"), s("phase=") + phase, s("--set"), s("batch=8"), s("--set"), s("context=512"),
                     s("--set"), fused ? s("fused=1") : s("fused=0")});
        QVERIFY(ridge.waitForFinished(60000));
        const QByteArray out = ridge.readAllStandardOutput();
        QVERIFY2(ridge.exitCode() == 0, out + ridge.readAllStandardError());
        const auto json = parseJson(out.toStdString(), "ridge");
        QVERIFY(json.ok());
        const auto metric = [&](const char* name) -> double {
            const Json& run = (*json)["samples"][0];
            const Json& all = run["metrics"];
            if (!all.contains(name))
                qFatal("no metric %s in %s", name, run.dump().substr(0, 400).c_str());
            return all[name].is_object() ? all[name]["value"].get<double>() : all[name].get<double>();
        };
        const auto& found = page->explored().found;
        const auto same = [&](double shown, const char* name) {
            const double given = metric(name);
            return std::abs(shown - given) <= 1e-9 * std::abs(given);
        };
        QVERIFY(same(found.totals.flops, "flops"));
        QVERIFY(same(found.totals.bytes(), "bytes"));
        QVERIFY(same(found.totals.launches, "launches"));
        QVERIFY(same(found.seconds, "time"));
        QVERIFY(same(found.leastSeconds, "bound_time"));
        QVERIFY(same(workload::parameters(*page->explored().subject), "parameters"));
        // And they are what is written.
        const QString summary = named<QLabel>(page, "Summary")->text();
        QVERIFY2(summary.contains(quantity(found.seconds, s("s"))), qPrintable(summary));
    }

    /// From a dot to its row and to the lesson that explains it, for every dot of every kind of model.
    void everyDotOpensItsLesson()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        int dots = 0;
        for (const char* model : {"mlp", "lstm-medium", "vit-b-16", "resnet-50", "llama-3-8b", "deepseek-v3"}) {
            QVERIFY(window.open(s("explorer/") + s(model)).ok());
            ExplorerPage* page = explorerPage(place);
            const std::vector<int> rows = rowsWithDots(page->explored().found);
            for (int i = 0; i < int(rows.size()); ++i) {
                Q_EMIT page->roofline()->canvas()->cursorMoved({i, 0});
                QCOMPARE(page->chosenRow(), rows[std::size_t(i)]);
                const auto& row = page->explored().found.rows[std::size_t(rows[std::size_t(i)])];
                const auto link = workload::lessonOf(row, page->explored().step);
                const QString lesson = QString::fromUtf8(link.lesson.data(), qsizetype(link.lesson.size()));
                QVERIFY2(place.context->curriculum().head(std::string(link.lesson)), qPrintable(lesson));
                QVERIFY(page->lessonButton()->text().endsWith(lesson));
                ++dots;
            }
        }
        QVERIFY(dots > 60);
        // A click on a dot chooses it, the button opens the lesson.
        QVERIFY(window.open(s("explorer/llama-3-8b")).ok());
        ExplorerPage* page = explorerPage(place);
        choose(page, "Step", s("Decode"));
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const std::vector<int> rows = rowsWithDots(page->explored().found);
        const int wanted = rowNamed(*page, "attention");
        const int dot = int(std::ranges::find(rows, wanted) - rows.begin());
        ChartCanvas* canvas = page->roofline()->canvas();
        const auto outline = canvas->plot()->outline(canvas->frame(), {dot, 0});
        QVERIFY(outline);
        QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, outline->center().toPoint());
        QTRY_COMPARE(page->chosenRow(), wanted);
        QTest::mouseClick(page->lessonButton(), Qt::LeftButton);
        QCOMPARE(window.currentPage(), s("lesson/5.5"));
        window.goBack();
        QCOMPARE(window.currentPage(), s("explorer/llama-3-8b"));
    }

    void rowsAndGraphChooseTheSame()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("explorer/llama-3-8b")).ok());
        ExplorerPage* page = explorerPage(place);
        page->views()->setCurrentIndex(ExplorerPage::Graph);
        const int down = rowNamed(*page, "down");
        QVERIFY(down > 0);
        SceneState state = page->graph()->state();
        state.row = down;
        page->graph()->setState(state);
        QTRY_COMPARE(page->chosenRow(), down);
        QCOMPARE(page->list()->currentIndex().data().toString(), s("down"));
        QCOMPARE(page->list()->selectionModel()->selectedRows().size(), 1);
        QCOMPARE(page->list()->selectionModel()->selectedRows().front().data().toString(), s("down"));
        // Sorted by share, the largest first; the row that is chosen stays.
        page->list()->sortByColumn(int(OperatorColumn::Share), Qt::DescendingOrder);
        QCOMPARE(page->chosenRow(), down);
        const auto* model = page->list()->model();
        for (int row = 1; row < model->rowCount(); ++row)
            QVERIFY(model->index(row, int(OperatorColumn::Share)).data(Qt::UserRole).toDouble() <=
                    model->index(row - 1, int(OperatorColumn::Share)).data(Qt::UserRole).toDouble());
        page->list()->setCurrentIndex(model->index(0, 0));
        QTRY_COMPARE(page->graph()->state().row, page->chosenRow());
        // By keyboard: down a row, and Enter to its lesson.
        page->list()->setFocus();
        QTest::keyClick(page->list(), Qt::Key_Down);
        QVERIFY(page->list()->currentIndex().row() == 1);
        QTest::keyClick(page->list(), Qt::Key_Return);
        QVERIFY2(window.currentPage().startsWith(s("lesson/")), qPrintable(window.currentPage()));
    }

    void settingsChangeWhatIsFound()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.makeWindow().open(s("explorer/llama-3-8b")).ok());
        ExplorerPage* page = explorerPage(place);
        const double fused = page->explored().found.totals.launches;
        page->findChild<QCheckBox*>()->setChecked(false);
        QVERIFY(page->explored().found.totals.launches > fused);
        QCOMPARE(page->list()->model()->rowCount(), int(page->explored().found.rows.size()));
        page->findChild<QCheckBox*>()->setChecked(true);
        choose(page, "GPUs", s("8"));
        QVERIFY(rowNamed(*page, "all-reduce") >= 0);
        // A format that the chip does not compute in is said, with what it can, and mended by another.
        named<QComboBox>(page, "Chip")->setCurrentIndex(named<QComboBox>(page, "Chip")->findData(s("a100-sxm-80")));
        choose(page, "Format", s("fp8"));
        QVERIFY(page->banner()->isVisible());
        QVERIFY2(page->banner()->text().contains(s("fp8"), Qt::CaseInsensitive), qPrintable(page->banner()->text()));
        QVERIFY(!page->list()->isVisible());
        choose(page, "Format", s("bf16"));
        QVERIFY(!page->banner()->isVisible());
        QVERIFY(page->list()->isVisible());
        // GPT-2 has no positions beyond 1,024, and LeNet no decode.
        QVERIFY(place.window->open(s("explorer/gpt-2")).ok());
        QCOMPARE(named<QSlider>(page, "Sequence")->maximum(), 10);
        QVERIFY(place.window->open(s("explorer/lenet-5")).ok());
        QCOMPARE(named<QComboBox>(page, "Step")->findText(s("Decode")), -1);
        const auto unknown = place.window->open(s("explorer/lama-3-8b"));
        QVERIFY(!unknown.ok());
        QVERIFY(unknown.error().fix.find("llama-3-8b") != std::string::npos);
    }

    void filesAreReadOrRefused()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.makeWindow().open(s("explorer")).ok());
        ExplorerPage* page = explorerPage(place);
        const auto reads = [&](const QString& path) {
            page->openFile(path);
            return QTest::qWaitFor([&] { return !page->reading(); }, 60000) && !page->banner()->isVisible();
        };
        const auto write = [&](const char* name, const char* text) {
            const QString path = place.home() + QLatin1Char('/') + s(name);
            QFile file(path);
            if (!file.open(QIODevice::WriteOnly))
                qFatal("cannot write");
            file.write(text);
            return path;
        };
        QVERIFY(reads(write("own.yaml", "title: Mine\ninput: [8]\nlayers: [{linear: 4}, relu]\n")));
        QCOMPARE(named<QComboBox>(page, "Model")->currentText(), s("Mine"));
        QCOMPARE(page->explored().found.rows.size(), std::size_t{1});
        QCOMPARE(workload::parameters(*page->explored().subject), 36.0);
        for (const auto& [name, text, says] : {std::tuple{"bad.yaml", "input: [8]\nlayers: [{liner: 4}]\n", "liner"},
                                               {"empty.yaml", "\n", "empty"},
                                               {"config.json", "{\"model_type\": \"lama\"}", "lama"},
                                               {"half.json", "{\"model_type\": ", "half.json"}}) {
            QVERIFY(!reads(write(name, text)));
            QVERIFY(page->banner()->isVisible());
            QVERIFY2(page->banner()->text().contains(s(says)), qPrintable(page->banner()->text()));
            QVERIFY2(page->banner()->text().contains(s(name)), qPrintable(page->banner()->text())); // the place
            // What was shown is shown still.
            QCOMPARE(page->explored().found.rows.size(), std::size_t{1});
        }
        QVERIFY(!reads(place.home() + s("/none.yaml")));
        // A graph, and what is none; the experiment answers the same of it.
        const auto writeBytes = [&](const char* name, const std::string& bytes) {
            const QString path = place.home() + QLatin1Char('/') + s(name);
            QFile file(path);
            if (!file.open(QIODevice::WriteOnly) || file.write(bytes.data(), qint64(bytes.size())) < 0)
                qFatal("cannot write");
            return path;
        };
        namespace onnx = onnx_writer;
        const std::string graph = onnx::model(onnx::input("x", {"batch", "seq", "64"}) + onnx::weight("w", {64, 48}) +
                                              onnx::node("MatMul", {"x", "w"}, {"h"}) +
                                              onnx::node("Strange", {"h"}, {"t"}, {}, "com.example") +
                                              onnx::node("Relu", {"t"}, {"y"}) + onnx::output("y"));
        const QString file = writeBytes("own.onnx", graph);
        QVERIFY(reads(file));
        QVERIFY(!page->banner()->isVisible());
        QCOMPARE(named<QComboBox>(page, "Model")->currentText(), s("own.onnx"));
        QCOMPARE(page->explored().found.rows.size(), std::size_t{3});
        QVERIFY(named<QSlider>(page, "Sequence")->parentWidget()->isEnabled());
        QVERIFY2(named<QLabel>(page, "Of the model")->text().contains(s("com.example.Strange (1)")),
                 qPrintable(named<QLabel>(page, "Of the model")->text()));
        QCOMPARE(named<QLabel>(page, "Of the model")->textFormat(), Qt::PlainText); // whatever a name looks like
        named<QSlider>(page, "Batch")->setValue(3);
        named<QSlider>(page, "Sequence")->setValue(7);
        QCOMPARE(page->explored().found.totals.flops, 8.0 * 128 * (2 * 64 * 48 + 48));
        QProcess ridge;
        ridge.start(QString::fromLocal8Bit(qgetenv("RIDGE_BIN")) + s("/ridge"),
                    {s("run"), s("workload"), s("--target"), s("model"), s("--json"), s("--set"), s("config=") + file,
                     s("--set"), s("phase=prefill"), s("--set"), s("batch=8"), s("--set"), s("context=128")});
        QVERIFY(ridge.waitForFinished(120000));
        const QByteArray answer = ridge.readAllStandardOutput();
        const auto json = parseJson(answer.toStdString(), "ridge");
        QVERIFY2(json.ok() && ridge.exitCode() == 0, answer + ridge.readAllStandardError());
        const Json& flops = (*json)["samples"][0]["metrics"]["flops"];
        QVERIFY2(answer.contains("com.example.Strange (1)"), answer); // what was assumed is told here, too
        QCOMPARE(flops.is_object() ? flops["value"].get<double>() : flops.get<double>(),
                 page->explored().found.totals.flops);
        for (const auto& [name, bytes, says] :
             {std::tuple{"cut.onnx", graph.substr(0, graph.size() / 2), "protobuf"},
              {"text.onnx", std::string("input: [8]\n"), "protobuf"},
              {"circle.onnx",
               onnx::model(onnx::input("x", {"4"}) + onnx::node("Add", {"x", "b"}, {"a"}) +
                           onnx::node("Relu", {"a"}, {"b"}) + onnx::output("b")),
               "circle"}}) {
            QVERIFY(!reads(writeBytes(name, bytes)));
            QVERIFY(page->banner()->isVisible());
            QVERIFY2(page->banner()->text().contains(s(says)), qPrintable(page->banner()->text()));
            QVERIFY2(page->banner()->text().contains(s(name)), qPrintable(page->banner()->text()));
            QCOMPARE(page->explored().found.rows.size(), std::size_t{3});
        }
        // A config by drop.
        const QString config =
            write("config.json", R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12,
            "vocab_size": 50257, "n_positions": 1024})");
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(config)});
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(page, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(page, &drop);
        QTRY_VERIFY(!page->reading());
        QCOMPARE(workload::parameters(*page->explored().subject), 124439808.0);
        QVERIFY(!page->banner()->isVisible());
    }

    void modelsOpenFromAnywhere()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        const auto write = [&](const char* name, const char* text) {
            const QString path = place.home() + QLatin1Char('/') + s(name);
            QFile file(path);
            if (!file.open(QIODevice::WriteOnly))
                qFatal("cannot write");
            file.write(text);
            return path;
        };
        window.openFiles({write("tiny.yaml", "title: Tiny\ninput: [8]\nlayers: [{linear: 4}]\n")});
        QTRY_COMPARE(window.currentPage().section(QLatin1Char('/'), 0, 0), s("explorer"));
        QTRY_COMPARE(named<QComboBox>(explorerPage(place), "Model")->currentText(), s("Tiny"));
        window.openFiles({write("config.json", R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12,
            "vocab_size": 50257, "n_positions": 1024})")});
        QTRY_COMPARE(named<QComboBox>(explorerPage(place), "Model")->currentText(), s("config.json"));
        // What is wrong with a model is said of it as a model, and the page stays.
        QVERIFY(window.open(s("home")).ok());
        window.openFiles({write("config.json", R"({"model_type": "lama"})")});
        const Banner* banner = &window.files().banner();
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(banner->text().contains(s("lama")), qPrintable(banner->text()));
        QCOMPARE(window.currentPage(), s("home"));
    }

    /// An encoder before a decoder has two caches, a state space has a state and none.
    void whatAModelKeepsIsSaid()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.makeWindow().open(s("explorer/mlp")).ok());
        ExplorerPage* page = explorerPage(place);
        const auto show = [&](const char* config) {
            auto read = workload::subjectFromText(config, "config.json");
            if (!read)
                qFatal("%s", toText(read.error()).c_str());
            page->showModel(std::move(*read));
        };
        const auto facts = [&] { return named<QLabel>(page, "Of the model")->text(); };
        show(
            R"({"model_type": "mamba", "hidden_size": 96, "num_hidden_layers": 3, "vocab_size": 509, "state_size": 8})");
        QVERIFY2(facts().contains(groupedText(13824) + s(" B of state a sequence of any length, and no cache")) &&
                     !facts().contains(s("cache a token")),
                 qPrintable(facts()));
        QVERIFY(!named<QComboBox>(page, "GPUs")->isEnabled());
        choose(page, "Step", s("Decode"));
        QVERIFY(rowNamed(*page, "state update") >= 0);
        page->chooseRow(rowNamed(*page, "state update"));
        QVERIFY(operatorSentence(page->explored(), page->chosenRow()).contains(s("of states")));
        show(R"({"model_type": "t5"})");
        QVERIFY(named<QComboBox>(page, "GPUs")->isEnabled());
        QVERIFY2(facts().contains(groupedText(12288) + s(" B of cache a token ·")) &&
                     facts().contains(groupedText(12288) + s(" B of cache a token of the encoder's input")),
                 qPrintable(facts()));
        const double context = page->explored().step.context;
        QVERIFY(named<QLabel>(page, "Summary")
                    ->text()
                    .contains(s("over %1 of the encoder's input").arg(groupedText(context))));
        choose(page, "Step", s("Forward pass (prefill)"));
        QVERIFY(rowNamed(*page, "encoder, attention") >= 0 && rowNamed(*page, "cross attention") >= 0);
        // Sound has one length, and Whisper positions for 448 tokens.
        show(R"({"model_type": "whisper"})");
        QVERIFY(named<QLabel>(page, "Summary")
                    ->text()
                    .contains(s("over %1 of the encoder's input").arg(groupedText(1500))));
        QCOMPARE(named<QSlider>(page, "Sequence")->maximum(), 8);
    }

    void theTableHasEveryNumber()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.makeWindow().open(s("explorer/transformer-block")).ok());
        ExplorerPage* page = explorerPage(place);
        const QString path = place.home() + s("/operators.csv");
        QVERIFY(page->exportTo(path).ok());
        const auto csv = readFile(path.toStdString());
        QVERIFY(csv.ok());
        for (const char* each : {"up + relu", "down + sum", "layer norm", "4.6"})
            QVERIFY2(csv->find(each) != std::string::npos, csv->c_str());
        const QString wrong =
            golden::checkStructure(s("explorer_operators"), tableJson(operatorTable(page->explored())));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void theGraphIsDrawn()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.makeWindow().open(s("explorer/transformer-block")).ok());
        SceneFrame frame;
        frame.payloads.put(std::make_shared<const OperatorGraph>(operatorGraph(explorerPage(place)->explored())));
        const auto scene = makeOperatorGraphScene();
        SceneState state;
        state.row = 1;
        const SceneDrawing drawing = scene->draw({frame}, state, QSizeF(900, 320), 1);
        QString wrong = golden::checkStructure(s("explorer_graph"), describe(drawing));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        // No box is on another one, at no width and text size, in the largest network, too.
        QVERIFY(place.window->open(s("explorer/ddpm-cifar10")).ok());
        SceneFrame large;
        large.payloads.put(std::make_shared<const OperatorGraph>(operatorGraph(explorerPage(place)->explored())));
        for (const double width : {420.0, 900.0, 1800.0})
            for (const double text : {1.0, 2.0}) {
                const SceneDrawing all = scene->draw({large}, {}, QSizeF(width, 300), text);
                QCOMPARE(all.items.size(), explorerPage(place)->explored().found.rows.size());
                for (std::size_t i = 0; i < all.items.size(); ++i)
                    for (std::size_t k = i + 1; k < all.items.size(); ++k)
                        QVERIFY2(!all.items[i].rect.intersects(all.items[k].rect),
                                 qPrintable(all.items[i].id + s(" ") + all.items[k].id));
            }
    }

    /// Prints what docs/benchmarks.md states; nothing here depends on the clock.
    void fromSliderToPicture()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        for (const char* model : {"llama-3-8b", "deepseek-v3", "ddpm-cifar10"}) {
            QVERIFY(window.open(s("explorer/") + s(model)).ok());
            ExplorerPage* page = explorerPage(place);
            auto* slider = named<QSlider>(page, "Batch");
            for (const int view : {ExplorerPage::Roofline, ExplorerPage::Costs, ExplorerPage::Graph}) {
                page->views()->setCurrentIndex(view);
                QCoreApplication::processEvents();
                QList<double> took, computed;
                for (int i = 0; i < 12; ++i) {
                    QElapsedTimer timer;
                    timer.start();
                    const double began = ridge::test::threadMs();
                    slider->setValue(i);
                    QCoreApplication::processEvents();
                    took << double(timer.nsecsElapsed()) / 1e6;
                    computed << ridge::test::threadMs() - began;
                }
                std::ranges::sort(took);
                std::ranges::sort(computed);
                qInfo("%s, view %d: median %.1f ms, most %.1f ms; computing %.1f and %.1f", model, view,
                      took[took.size() / 2], took.last(), computed[computed.size() / 2], computed.last());
                QCOMPARE(page->explored().step.batch, 2048.0);
            }
        }
    }

    /// From "an MLP layer computes Y = XW + b" to launches, traffic, bound and fused kernel, by five clicks of the
    /// mouse.
    void fiveClicksToTheFusedKernel()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        int clicks = 0;
        const auto click = [&](QWidget* on, QPoint at) {
            QTest::mouseClick(on, Qt::LeftButton, {}, at);
            ++clicks;
        };
        // 1, 2: the menu and its entry.
        QMenuBar* bar = window.menuBar();
        QMenu* go = nullptr;
        QAction* entry = place.actions->find(s("go.explorer"));
        for (QAction* menu : bar->actions())
            if (menu->menu() && menu->menu()->actions().contains(entry)) {
                go = menu->menu();
                click(bar, bar->actionGeometry(menu).center());
            }
        QVERIFY(go);
        QTRY_VERIFY(go->isVisible());
        click(go, go->actionGeometry(entry).center());
        QTRY_COMPARE(window.currentPage(), s("explorer"));
        ExplorerPage* page = explorerPage(place);
        // It opens with the smallest model: an MLP.
        QVERIFY(named<QComboBox>(page, "Model")->currentText().startsWith(s("MLP")));
        // 3: its layer.
        const QModelIndex row = page->list()->model()->index(0, 0);
        click(page->list()->viewport(), page->list()->visualRect(row).center());
        QCOMPARE(page->chosenRow(), 0);
        const QString summary = named<QLabel>(page, "Summary")->text();
        QVERIFY2(summary.contains(s("2 launches")) && summary.contains(s(" move ")), qPrintable(summary));
        const auto& found = page->explored().found.rows[0];
        QCOMPARE(row.siblingAtColumn(int(OperatorColumn::Bound)).data().toString(), boundText(found.bound));
        QCOMPARE(row.data().toString(), s("hidden + relu")); // it is fused
        // 4: through the stack; 5: its kernel.
        click(page->stackButton(), page->stackButton()->rect().center());
        QTRY_COMPARE(window.currentPage(), s("stack/32x784x256"));
        auto* stack = qobject_cast<StackPage*>(window.page());
        QVERIFY(stack);
        auto* jump = stack->findChild<QPushButton*>(s("jump-kernel"));
        click(jump, jump->rect().center());
        QCOMPARE(clicks, 5);
        QVERIFY(stack->source()->toPlainText().contains(s("__global__")));
        QTRY_VERIFY(!stack->source()->visibleRegion().isEmpty());
        QCOMPARE(stack->question().rows, 32);
        QVERIFY2(stack->stack().stops[0].key.startsWith(s("3 kernels become 1")),
                 qPrintable(stack->stack().stops[0].key));
    }

    /// Each stop has a number, a lesson that is there and, if it names one, a page that opens.
    void everyStopOfTheStackIsAlive()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(place.loadCatalogue());
        QVERIFY(window.open(s("stack")).ok());
        auto* page = qobject_cast<StackPage*>(window.page());
        const MatmulStack before = page->stack();
        QCOMPARE(before.stops.size(), std::size_t{9});
        for (const StackStop& stop : before.stops) {
            QVERIFY(!stop.key.isEmpty() && !stop.says.isEmpty());
            QVERIFY2(place.context->curriculum().head(stop.lesson.toStdString()), qPrintable(stop.lesson));
            QVERIFY2(window.open(s("stack/") + stop.id).ok(), qPrintable(stop.id));
            if (!stop.place.isEmpty())
                QVERIFY2(window.open(stop.place).ok(), qPrintable(stop.place));
        }
        QVERIFY(window.open(s("stack")).ok());
        QTest::mouseClick(page->findChild<QPushButton*>(s("lesson-systolic")), Qt::LeftButton);
        QCOMPARE(window.currentPage(), s("lesson/3.1"));
        // By hand: 4096 x 1024 by 1024 x 4096. Fused it reads X, W, b and writes Y, in fp32.
        const double fused = 4.0 * (4096.0 * 1024 + 1024.0 * 4096 + 4096 + 4096.0 * 4096);
        const double eager = fused + 4 * (4 * 4096.0 * 4096);
        QVERIFY2(before.stops[0].says[0].contains(quantity(eager, s("B"))), qPrintable(before.stops[0].says[0]));
        QVERIFY2(before.stops[0].says[1].contains(quantity(fused, s("B"))), qPrintable(before.stops[0].says[1]));
        // 256 x 512 x 64 pieces of 16 x 8 x 16.
        QVERIFY2(before.stops[4].says[0].contains(groupedText(256.0 * 512 * 64)), qPrintable(before.stops[4].says[0]));
        // Element (5, 3) of A lies in lane 4 x 5 + 1, of C in the same.
        QVERIFY2(before.stops[4].says[1].contains(s("lane 21;")), qPrintable(before.stops[4].says[1]));
        // 8 x 32 folds of 128 + 128 + 4096 + 128 - 2 cycles.
        QVERIFY2(before.stops[6].says[0].contains(groupedText(256)) &&
                     before.stops[6].says[0].contains(groupedText(4478)),
                 qPrintable(before.stops[6].says[0]));
        // 63 whole dies, 46.8 % of them good.
        QVERIFY2(before.stops[8].says[1].contains(s("63 dies")) && before.stops[8].says[1].contains(s("47 %")),
                 qPrintable(before.stops[8].says[1]));
        // Other sizes are other numbers, and a stop that is none is refused.
        QVERIFY(window.open(s("stack/64x64x64")).ok());
        QVERIFY(page->stack().stops[2].key != before.stops[2].key);
        const auto none = window.open(s("stack/elsewhere"));
        QVERIFY(!none.ok());
        QVERIFY(none.error().fix.find("stack/kernel") != std::string::npos);
        named<QDoubleSpinBox>(page, "Defects")->setValue(0);
        QVERIFY(page->stack().stops[8].key != before.stops[8].key);
    }

    /// The stop of the RTL simulates its tile and shows the waveform; without Icarus Verilog the array in C++.
    void theTileOfTheRtlIsSimulated()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(place.loadCatalogue());
        QVERIFY(window.open(s("stack/rtl")).ok());
        auto* page = qobject_cast<StackPage*>(window.page());
        QVERIFY(page->waves()->isHidden());
        auto* button = page->findChild<QPushButton*>(s("simulate"));
        const bool tool = !QStandardPaths::findExecutable(s("iverilog")).isEmpty();
        for (const bool hidden : {false, true}) {
            const QByteArray path = qgetenv("PATH");
            if (hidden)
                qputenv("PATH", "/nowhere");
            button->click();
            const char* said = tool && !hidden ? "38 cycles, as the closed form says." : "array in C++";
            const auto told = [&] {
                return std::ranges::any_of(page->findChildren<QLabel*>(),
                                           [&](QLabel* each) { return each->text().contains(s(said)); });
            };
            QTRY_VERIFY_WITH_TIMEOUT(told() && button->isEnabled(), 120000);
            qputenv("PATH", path);
            QTRY_VERIFY(!page->waves()->isHidden());
            QCOMPARE(page->waves()->frames().size(), std::size_t{1});
            QVERIFY(page->waves()->frames().front().problem.isEmpty());
            // A waveform of the simulator's registers, the array cycle by cycle of the engine.
            QCOMPARE(page->waves()->sceneId(), s(tool && !hidden ? "lanes" : "grid"));
            QVERIFY(!page->waves()->summary().isEmpty());
            page->waves()->showTable(true);
            QTRY_VERIFY(page->waves()->table()->rowCount() > 0);
            page->waves()->showTable(false);
        }
    }

    /// PTX where there is a compiler, else why there is none.
    void theFusedKernelIsCompiled()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("stack/64x64x64")).ok());
        auto* page = qobject_cast<StackPage*>(window.page());
        QVERIFY(page->ptx()->isHidden());
        auto* button = page->findChild<QPushButton*>(s("compile"));
        button->click();
        QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), 120000);
        QLabel* told = nullptr;
        for (QLabel* each : page->findChildren<QLabel*>())
            if (each->text().contains(s("PTX instructions")))
                told = each;
        if (page->ptx()->isHidden())
            QSKIP("no compiler here");
        QVERIFY(told);
        QVERIFY(page->ptx()->toPlainText().contains(s(".entry")));
        QVERIFY(page->ptx()->toPlainText().contains(s("//"))); // with machine instructions
    }

    void lookAsDrawn_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<double>("scale");
        for (const char* theme : {"light", "dark"})
            for (const double scale : {1.0, 2.0})
                QTest::addRow("%s %.0fx", theme, scale) << s(theme) << scale;
    }
    void lookAsDrawn()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        QFETCH(double, scale);
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.theme.load(theme).ok());
        MainWindow& window = place.makeWindow();
        window.resize(1180, 860);
        QVERIFY(window.open(s("explorer/llama-3-8b")).ok());
        ExplorerPage* page = explorerPage(place);
        page->chooseRow(rowNamed(*page, "attention"));
        const auto check = [&](const char* name, int view) {
            page->views()->setCurrentIndex(view);
            page->chooseRow(page->chosenRow());
            QCoreApplication::processEvents();
            return golden::checkImage(s("%1_%2_%3x").arg(s(name), theme).arg(scale), pictureOf(*page, scale));
        };
        QString wrong = check("explorer_roofline", ExplorerPage::Roofline);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        wrong = check("explorer_cost", ExplorerPage::Costs);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        wrong = check("explorer_graph", ExplorerPage::Graph);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QVERIFY(window.open(s("stack")).ok());
        QCoreApplication::processEvents();
        wrong = golden::checkImage(s("stack_%1_%2x").arg(theme).arg(scale), pictureOf(*window.page(), scale));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(TestExplorerPage)
#include "tst_explorer_page.moc"
