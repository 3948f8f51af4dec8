// SPDX-License-Identifier: GPL-3.0-or-later
// The other pictures of a bench result: from a real sweep of the worker, through the pickers of the Lab.
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/cost_bar.h"
#include "app/drawing/charts/figure_plot.h"
#include "app/runs/lab/lab_page.h"
#include "app/runs/lab/lab_results.h"
#include "app/runs/lab/sweep_editor.h"
#include "app/ui/parameter_form.h"
#include "app/ui/target_box.h"
#include "tests/app/window/readable.h"
#include "tests/app/window/shell_fixture.h"

#include <QComboBox>
#include <QtTest>
#include <QtWidgets>
#include <numeric>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

double numberAt(const QAbstractItemModel* table, int row, int column)
{
    return table->index(row, column).data(Qt::UserRole).toDouble();
}

} // namespace

class LabViews : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> m_place;
    LabPage* m_lab = nullptr;

    LabResults* results() const { return m_lab->results(); }

    void run(const char* axis, const char* values, const char* second = nullptr, const char* more = nullptr)
    {
        m_lab->sweep()->setAxis(0, s(axis), s(values));
        if (second)
            m_lab->sweep()->setAxis(1, s(second), s(more));
        QVERIFY(m_lab->request().ok());
        QSignalSpy done(m_lab->controller(), &RunController::done);
        m_place->actions->find(s("run.run"))->trigger();
        QVERIFY(done.wait(90000));
        QTRY_COMPARE(results()->rows().size(), m_lab->request()->points.size());
    }

    /// A look at what stands in the window, for the eye: RIDGE_SHOTS=folder keeps it.
    void shot(const char* name) const
    {
        const QString folder = qEnvironmentVariable("RIDGE_SHOTS");
        if (!folder.isEmpty())
            m_place->window->grab().save(folder + QLatin1Char('/') + s(name) + s(".png"));
    }

    static void look(QWidget* widget, const QString& name)
    {
        const QString folder = qEnvironmentVariable("RIDGE_SHOTS");
        if (!folder.isEmpty())
            widget->grab().save(folder + QLatin1Char('/') + name + s(".png"));
    }

private Q_SLOTS:
    void init()
    {
        m_place = std::make_unique<Workplace>();
        QVERIFY(m_place->loadCatalogue());
        MainWindow& window = m_place->makeWindow();
        window.resize(1280, 720);
        QVERIFY(window.open(s("lab/coalescing")).ok());
        m_lab = qobject_cast<LabPage*>(window.page());
        QVERIFY(m_lab);
    }
    void cleanup() { m_place.reset(); }

    void aSweepGoesOnWhereItWas()
    {
        auto* resume = m_lab->findChild<QPushButton*>(s("resume"));
        QVERIFY(resume && !resume->isVisible());
        run("stride", "1,2,4");
        const std::string sweep = results()->rows().front().sweepId;
        QVERIFY(!resume->isVisible());
        m_lab->sweep()->setAxis(0, s("stride"), s("1,2,4,8,16"));
        QTRY_VERIFY(resume->isVisible());
        QCOMPARE(resume->text(), s("Run the other 2"));
        m_lab->sweep()->setAxis(0, s("stride"), s("2,4,8"));
        QVERIFY(!resume->isVisible()); // 1 is not asked for: another sweep
        m_lab->sweep()->setAxis(0, s("stride"), s("1,2,4,8,16"));
        QTRY_VERIFY(resume->isVisible());
        shot("lab-resume");
        QSignalSpy done(m_lab->controller(), &RunController::done);
        QTest::mouseClick(resume, Qt::LeftButton);
        QVERIFY(done.wait(90000));
        QTRY_COMPARE(results()->rows().size(), 5u);
        for (const record::RunRow& row : results()->rows())
            QCOMPARE(row.sweepId, sweep);
        QCOMPARE(m_place->context->store()->runs({})->size(), 5u);
        QVERIFY(!resume->isVisible());
    }

    /// However many chips there are, the list of targets leaves the window to be seen.
    void theMenuOfTargetsFitsIntoTheWindow()
    {
        auto* box = m_lab->findChild<TargetBox*>();
        QVERIFY(box);
        for (const char* theme : {"light", "dark"}) {
            QVERIFY(m_place->theme.load(s(theme)));
            box->showPopup();
            auto* menu = box->findChild<QMenu*>(s("targetMenu"));
            QVERIFY(menu);
            QTRY_VERIFY(menu->isVisible());
            look(menu, s("target-menu-") + s(theme));
            QVERIFY2(menu->height() < 600 && menu->width() < 640,
                     qPrintable(QStringLiteral("%1 x %2").arg(menu->width()).arg(menu->height())));
            menu->findChild<QLineEdit*>(s("targetSearch"))->setText(s("laptop"));
            QCoreApplication::processEvents();
            look(menu, s("target-menu-search-") + s(theme));
            QVERIFY(menu->height() < 600);
            const auto* group = menu->findChild<QMenu*>(s("group-Data centre"));
            QVERIFY(group);
            look(const_cast<QMenu*>(group), s("target-menu-group-") + s(theme));
            menu->close();
            QTRY_VERIFY(!box->findChild<QMenu*>(s("targetMenu")));
        }
    }

    /// Experiment, values and sweep are as they were left, and a sweep that was cut short is offered at once.
    void theBenchComesBack()
    {
        run("stride", "1,2,4");
        m_lab->sweep()->setAxis(0, s("stride"), s("1,2,4,8,16"));
        const auto left = m_lab->request();
        QVERIFY(left.ok());
        m_place->restart();
        QVERIFY(m_place->loadCatalogue());
        MainWindow& window = m_place->makeWindow();
        window.resize(1280, 720);
        QVERIFY(window.open(s("lab")).ok());
        m_lab = qobject_cast<LabPage*>(window.page());
        const auto now = m_lab->request();
        QVERIFY(now.ok());
        QCOMPARE(now->experiment, std::string("coalescing"));
        QVERIFY(now->points == left->points);
        auto* resume = m_lab->findChild<QPushButton*>(s("resume"));
        QTRY_VERIFY(resume->isVisible());
        const auto offer = [&]() -> QPushButton* {
            for (QPushButton* button : m_lab->results()->findChildren<QPushButton*>())
                if (button->isVisible() && button->text() == s("Run the other 2"))
                    return button;
            return nullptr;
        };
        QTRY_VERIFY(offer());
        shot("lab-restored");
        QSignalSpy done(m_lab->controller(), &RunController::done);
        QTest::mouseClick(offer(), Qt::LeftButton);
        QVERIFY(done.wait(90000));
        QTRY_COMPARE(results()->rows().size(), 5u);
        QCOMPARE(m_place->context->store()->runs({})->size(), 5u);
        // What is gone or was never right is left out.
        QSettings().setValue(s("lab/bench"), QByteArray("{\"experiment\": \"coalescing\", \"params\": {\"stride\": 0, "
                                                        "\"x\": 1}, \"sweep\": [7, \"y=1\"]}"));
        LabPage fresh(*m_place->context);
        QCOMPARE(fresh.part(), s("coalescing"));
        QVERIFY(fresh.request().ok());
        QCOMPARE(fresh.request()->points.size(), std::size_t{1});
    }

    /// The chart never opens on what the runs lack, and what they lack cannot be chosen.
    void theChartShowsAMetricThatThereIs()
    {
        const ExperimentInfo* info = m_place->context->experiment("coalescing");
        QVERIFY(info);
        auto* metrics = results()->findChild<QComboBox*>(s("resultMetric"));
        QVERIFY(metrics);
        results()->begin(*info, s("stride"));
        const QString own = metrics->currentData().toString();
        QVERIFY(own != s("bytes_moved"));
        record::RunRow row;
        row.experiment = "coalescing";
        row.target = "cpu";
        row.status = "finished";
        row.validity = "valid";
        row.params = {{"stride", ParamValue(std::int64_t{2})}};
        row.metrics["bytes_moved"] = {4096, "B", Provenance::Measured};
        results()->addRow(row);
        QTRY_COMPARE(metrics->currentData().toString(), s("bytes_moved"));
        QVERIFY(!(metrics->model()->index(metrics->findData(own), 0).flags() & Qt::ItemIsEnabled));
        // Where there is the experiment's own, it stays.
        results()->begin(*info, s("stride"));
        metrics->setCurrentIndex(metrics->findData(own));
        row.metrics[own.toStdString()] = {4, "sectors/request", Provenance::Simulated};
        results()->addRow(row);
        QTRY_VERIFY(metrics->model()->index(metrics->findData(own), 0).flags() & Qt::ItemIsEnabled);
        QCOMPARE(metrics->currentData().toString(), own);
    }

    void changedParametersAreTakenBack()
    {
        const auto now = [this] { return m_lab->form()->values(); };
        const ParamSet first = now();
        QVERIFY(first.count("stride") == 1 && first.count("element_bytes") == 1);
        QVERIFY(!m_place->actions->find(s("edit.undo"))->isEnabled());
        // A slider that passes values by is one step; what ran is a step of its own.
        for (const std::int64_t stride : {2, 4, 8})
            m_lab->form()->setValue("stride", ParamValue(stride));
        run("stride", "8");
        m_lab->form()->setValue("stride", ParamValue(std::int64_t{16}));
        m_lab->form()->setValue("element_bytes", ParamValue(std::int64_t{8}));
        const ParamSet last = now();
        QAction* undo = m_place->actions->find(s("edit.undo"));
        QAction* redo = m_place->actions->find(s("edit.redo"));
        QVERIFY(undo->isEnabled() && !redo->isEnabled());
        undo->trigger();
        QVERIFY(now().at("element_bytes") == first.at("element_bytes"));
        QVERIFY(now().at("stride") == ParamValue(std::int64_t{16}));
        undo->trigger();
        QVERIFY(now().at("stride") == ParamValue(std::int64_t{8}));
        undo->trigger();
        QVERIFY(now() == first);
        QVERIFY(!undo->isEnabled());
        for (int steps = 0; steps < 3; ++steps)
            redo->trigger();
        QVERIFY(now() == last);
        // Another experiment has another form, and no past.
        QVERIFY(m_place->window->open(s("lab/bank_conflicts")).ok());
        QVERIFY(!undo->isEnabled() && !redo->isEnabled());
    }

    /// The forms of a lesson's blocks are one document: changes go back in the order in which they were made.
    void changesInALessonAreTakenBack()
    {
        QAction* undo = m_place->actions->find(s("edit.undo"));
        QAction* redo = m_place->actions->find(s("edit.redo"));
        QVERIFY(m_place->window->open(s("lesson/7.3")).ok());
        QTRY_VERIFY_WITH_TIMEOUT(m_place->window->page()->ready(), 20000);
        std::vector<std::pair<ParameterForm*, std::string>> sliders;
        for (auto* form : m_place->window->page()->findChildren<ParameterForm*>())
            for (const QSlider* slider : form->findChildren<QSlider*>())
                if (slider->maximum() > 2)
                    sliders.emplace_back(form, slider->objectName().section(QLatin1Char(':'), 1).toStdString());
        QVERIFY(sliders.size() >= 2 && sliders.front().first != sliders.back().first);
        const auto slider = [&](std::size_t at) {
            return sliders[at].first->findChild<QSlider*>(s("slider:") + QString::fromStdString(sliders[at].second));
        };
        const auto value = [&](std::size_t at) { return sliders[at].first->values().at(sliders[at].second); };
        const std::size_t a = 0, b = sliders.size() - 1;
        const ParamValue firstA = value(a), firstB = value(b);
        QVERIFY(!undo->isEnabled());
        for (const int step : {0, 1, 2}) // pulled: one step back
            slider(a)->setValue(step == slider(a)->value() ? 3 : step);
        const ParamValue movedA = value(a);
        slider(b)->setValue(slider(b)->value() == 1 ? 2 : 1);
        QVERIFY(value(b) != firstB && movedA != firstA);
        slider(a)->setValue(slider(a)->value() == 0 ? 1 : 0);
        QVERIFY(undo->isEnabled());
        undo->trigger();
        QVERIFY(value(a) == movedA && value(b) != firstB);
        undo->trigger();
        QVERIFY(value(b) == firstB && value(a) == movedA);
        undo->trigger();
        QVERIFY(value(a) == firstA);
        QVERIFY(!undo->isEnabled() && redo->isEnabled());
        redo->trigger();
        QVERIFY(value(a) == movedA);
        // Another page has a past of its own.
        QVERIFY(m_place->window->open(s("lab/coalescing")).ok());
        QVERIFY(!undo->isEnabled() && !redo->isEnabled());
        QVERIFY(m_place->window->open(s("lesson/7.3")).ok());
        QVERIFY(undo->isEnabled());
    }

    void twoParametersMakeAHeatMap()
    {
        run("stride", "1,2,4,8,16,32", "element_bytes", "4,8,16");
        results()->setView(LabResults::View::HeatMap);
        const auto* plot = dynamic_cast<const HeatMapPlot*>(results()->shownChart()->plot().get());
        QVERIFY(plot && !plot->empty());
        QCOMPARE(plot->data().xs.size() * plot->data().ys.size(), std::size_t{18});
        // Every cell is the run's number, in the picture's data and in its twin.
        QCOMPARE(results()->shownChart()->table()->rowCount(), 18);
        for (const record::RunRow& row : results()->rows()) {
            const double stride = *asNumber(row.params.at("stride")), bytes = *asNumber(row.params.at("element_bytes"));
            const auto* table = results()->shownChart()->table();
            bool found = false;
            const bool strideFirst = plot->data().xTitle == s("stride");
            for (int i = 0; i < table->rowCount(); ++i)
                if (numberAt(table, i, strideFirst ? 0 : 1) == stride &&
                    numberAt(table, i, strideFirst ? 1 : 0) == bytes) {
                    QCOMPARE(numberAt(table, i, 2), row.metrics.at("sectors_per_request").value);
                    found = true;
                }
            QVERIFY(found);
        }
        QVERIFY(results()->shownChart()->summary().contains(s("18 of 18 cells")));
        shot("lab_heat_map");

        results()->setView(LabResults::View::Histogram);
        const auto* histogram = dynamic_cast<const HistogramPlot*>(results()->shownChart()->plot().get());
        QVERIFY(histogram);
        QCOMPARE(histogram->stats().n, std::size_t{18});
        shot("lab_histogram");

        results()->setView(LabResults::View::WarpStates);
        const auto* states = dynamic_cast<const CostPlot*>(results()->shownChart()->plot().get());
        QVERIFY(states && !states->empty());
        for (const CostBar& bar : states->data().bars)
            QVERIFY(std::abs(std::accumulate(bar.values.begin(), bar.values.end(), 0.0) - 100) < 0.01);
        QVERIFY(results()->shownChart()->plot()->text().caption.contains(s("the last 8 of 18 runs")));
        shot("lab_warp_states");

        results()->setView(LabResults::View::Roofline);
        const auto* roofline = dynamic_cast<const RooflinePlot*>(results()->shownChart()->plot().get());
        QVERIFY(roofline && !roofline->empty());
        // Pins of an H100 SXM by its data sheet, and what the runs reached, which stays below.
        double pins = 0, reached = 0;
        for (const RooflineRoof& roof : roofline->data().roofs)
            if (roof.level == MemoryLevel::Hbm)
                (roof.datasheet ? pins : reached) = roof.bytesPerSecond;
        QCOMPARE(pins, 3.35e12);
        QVERIFY2(reached > 1e11 && reached < pins, qPrintable(QString::number(reached)));
        QVERIFY(roofline->data().kernels.empty());
        QVERIFY(roofline->text().caption.contains(s("count no floating-point operations")));
        shot("lab_roofline");

        results()->setView(LabResults::View::Line);
        shot("lab_line");
        QCOMPARE(results()->shownChart(), results()->chart());
        for (const char* name : {"x.png", "x.svg", "x.md"}) {
            const QString path = m_place->home() + QLatin1Char('/') + s(name);
            QVERIFY2(results()->exportTo(path).ok(), name);
            QVERIFY(QFileInfo(path).size() > 100);
        }
        QVERIFY(!results()->exportTo(m_place->home() + s("/x.bmp")).ok());
    }

    /// 46 chips along a line would be 46 curves of a point each.
    void namesMakeBars()
    {
        QVERIFY(m_place->window->open(s("lab/gpu_choice")).ok());
        run("chip", "l4,h100-sxm,t4");
        QCOMPARE(results()->view(), LabResults::View::Bars);
        QTRY_COMPARE(results()->shownChart()->plot()->table().rows.size(), std::size_t(3));
        const auto plot = results()->shownChart()->plot();
        const ChartTable table = plot->table();
        QStringList names, sources;
        for (const auto& row : table.rows) {
            names << std::get<QString>(row[0]);
            sources << std::get<QString>(row[2]);
        }
        QCOMPARE(names, QStringList({s("L4"), s("H100 SXM5 80GB"), s("Tesla T4")}));
        const auto rate = [&](std::size_t row) { return std::get<double>(table.rows[row][1]); };
        QCOMPARE(rate(0), results()->rows()[0].metrics.at("tokens_per_second").value);
        QVERIFY(rate(1) > rate(0));
        QCOMPARE(sources[0], s("MODEL"));
        QVERIFY(std::holds_alternative<std::monostate>(table.rows[2][1])); // it has no BF16: no number, but a reason
        QVERIFY(!sources[2].isEmpty());
        QVERIFY2(plot->summary().contains(s("H100 SXM5 80GB")), qPrintable(plot->summary()));
        QVERIFY(plot->text().caption.contains(s("MODELLED")));
        // A later sweep over numbers is a line again; a view that a person chose stays.
        run("price", "1,2,4");
        QCOMPARE(results()->view(), LabResults::View::Line);
        results()->setView(LabResults::View::Bars);
        run("price", "1,2,4");
        QCOMPARE(results()->view(), LabResults::View::Bars);
    }

    /// Charts that an experiment declares and that are no lines stand in the list of views; a sweep of what one is
    /// about begins with it.
    void declaredChartsAreOffered()
    {
        const auto offered = [this] {
            QStringList names;
            const auto pickers = results()->findChildren<QComboBox*>();
            for (const QComboBox* box : pickers)
                for (int i = 0; box->accessibleName() == s("View") && i < box->count(); ++i)
                    names << box->itemText(i);
            return names;
        };
        run("stride", "1,2");
        QVERIFY(results()->declared().isEmpty());
        const auto own = offered().size();
        QVERIFY(m_place->window->open(s("lab/capacity")).ok());
        run("optimizer", "adam,adam_8bit,sgd");
        QCOMPARE(offered().size(), own + 1);
        QCOMPARE(offered().last(), s("States by optimizer"));
        QCOMPARE(results()->declared(), s("states_over_optimizer"));
        const CostPlot* cost = nullptr;
        const auto bars = [&] {
            cost = dynamic_cast<const CostPlot*>(results()->shownChart()->plot().get());
            return cost ? cost->data().bars.size() : 0;
        };
        QTRY_COMPARE(bars(), std::size_t{3});
        const MetricValue& weights = results()->rows()[2].metrics.at("weights");
        QVERIFY(std::ranges::any_of(cost->data().bars, [&](const CostBar& bar) {
            return bar.name.contains(s("sgd")) && bar.values[0] == weights.value;
        }));
        shot("lab_declared_cost");
        const QString path = m_place->home() + s("/cost.svg");
        QVERIFY(results()->exportTo(path).ok());
        QVERIFY(QFileInfo(path).size() > 1000);
        // Another sweep of the same experiment that no such chart is about is a line again.
        run("batch", "1,2,4");
        QCOMPARE(results()->view(), LabResults::View::Line);
        // What a person chose stays, until another experiment has no such chart.
        QVERIFY(m_place->window->open(s("lab/codesign")).ok());
        run("rows", "8,16,32,64");
        QCOMPARE(offered().size(), own + 2);
        QCOMPARE(results()->view(), LabResults::View::Line); // its chart over rows is one
        results()->setDeclared(s("time_area"));
        const auto front = [&] { return dynamic_cast<const FigurePlot*>(results()->shownChart()->plot().get()); };
        QVERIFY(front());
        QCOMPARE(front()->data().marks.size(), std::size_t{4});
        shot("lab_declared_pareto");
        run("cols", "8,16");
        QCOMPARE(results()->declared(), s("time_area"));
        QTRY_COMPARE(front() ? front()->data().marks.size() : 0, std::size_t{2});
        QVERIFY(m_place->window->open(s("lab/coalescing")).ok());
        run("stride", "1,2");
        QCOMPARE(offered().size(), own);
        QCOMPARE(results()->view(), LabResults::View::Line);
    }

    void oneParameterSaysWhyThereIsNoHeatMap()
    {
        run("stride", "1,2");
        results()->setView(LabResults::View::HeatMap);
        QVERIFY(results()->shownChart()->plot()->empty());
        QCOMPARE(results()->shownChart()->summary(),
                 s("A heat map needs a sweep over two parameters; here only stride varies."));
        shot("lab_no_heat_map");
    }

    void pickersThatHaveNoUseAreAway()
    {
        run("stride", "1,2");
        const auto pickers = results()->findChildren<QComboBox*>();
        const auto visible = [&](const char* name) {
            return std::any_of(pickers.begin(), pickers.end(), [&](const QComboBox* box) {
                return box->accessibleName() == s(name) && box->isVisibleTo(results()->tabs()->currentWidget());
            });
        };
        QVERIFY(visible("View") && visible("Metric") && visible("over"));
        results()->setView(LabResults::View::Histogram);
        QVERIFY(visible("Metric") && !visible("over"));
        results()->setView(LabResults::View::Roofline);
        QVERIFY(visible("View") && !visible("Metric") && !visible("over"));
    }

    /// Results in the largest text beside the bench in the smallest window: pickers go below each other.
    void largeTextFindsRoom()
    {
        QTRY_VERIFY(m_lab->form()->testAttribute(Qt::WA_WState_Polished)); // the sheet has seen it in its first size
        m_place->theme.setTextScale(2);
        run("stride", "1,2,4");
        const auto wrong = [this] { return cutOff(results()) + pushedOut(m_place->window.get()); };
        (void)QTest::qWaitFor([&] { return wrong().isEmpty(); }, 5000);
        const QStringList found = wrong();
        shot("lab_large_text");
        m_place->theme.setTextScale(1);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
    }

    void streamsLeaveATimeLine()
    {
        results()->setView(LabResults::View::TimeLine);
        QVERIFY(m_place->window->open(s("lab/streams")).ok());
        run("chunks", "2,4");
        results()->setView(LabResults::View::TimeLine);
        const auto plot = [&] { return dynamic_cast<const GanttPlot*>(results()->shownChart()->plot().get()); };
        QTRY_VERIFY(plot() && !plot()->data().spans.empty());
        // Four chunks, each in, kernel and out, and nothing runs before the first or after the last.
        QVERIFY(plot()->data().spans.size() >= 12);
        QVERIFY(plot()->data().lanes.size() >= 2);
        QVERIFY(results()->shownChart()->table()->rowCount() >= 12);
        shot("lab_time_line");
    }

    void kernelsStandUnderTheirRoofs()
    {
        QVERIFY(m_place->window->open(s("lab/roofline")).ok());
        run("fma_per_16", "4,64,1024");
        results()->setView(LabResults::View::Roofline);
        const auto* plot = dynamic_cast<const RooflinePlot*>(results()->shownChart()->plot().get());
        QVERIFY(plot);
        QCOMPARE(plot->data().kernels.size(), std::size_t{3});
        for (const RooflineKernel& kernel : plot->data().kernels)
            for (const auto& [level, intensity] : kernel.intensity) {
                const auto roof = roofAbove(plot->data(), level, intensity);
                QVERIFY(!roof || kernel.flopsPerSecond <= *roof * 1.001);
            }
        shot("lab_roofline_dots");
    }

    void calibratedRoofsAreSolidLines()
    {
        MachineCalibration known;
        known.figures.push_back({{"copy_bandwidth", "Memory copy", "dram", "stream", {}, "bandwidth"},
                                 {3000, "GB/s", Provenance::Measured},
                                 "valid",
                                 "run",
                                 "2026-01-01"});
        known.figures.push_back({{"fma_fp32", "FP32 FMA", "FP32", "throughput", {}, "gpu_rate"},
                                 {60000, "Gop/s", Provenance::Measured},
                                 "valid",
                                 "run",
                                 "2026-01-01"});
        ChipLines lines;
        addCalibrated(lines, known);
        QCOMPARE(lines.roofs.size(), std::size_t{1});
        QCOMPARE(lines.roofs[0].bytesPerSecond, 3e12);
        QVERIFY(!lines.roofs[0].datasheet && lines.roofs[0].provenance == Provenance::Measured);
        QCOMPARE(lines.ceilings.size(), std::size_t{1});
        QCOMPARE(lines.ceilings[0].flopsPerSecond, 6e13);
    }

    void theStoredRunsOfAnotherExperimentDoNotStay()
    {
        run("stride", "1,2", "element_bytes", "4,8");
        results()->setView(LabResults::View::Roofline);
        QVERIFY(!results()->shownChart()->plot()->empty());
        results()->begin(*m_place->context->experiment("bank_conflicts"), {});
        QVERIFY(results()->shownChart()->plot()->empty());
        QVERIFY(!results()->shownChart()->summary().isEmpty());
    }
};

QTEST_MAIN(LabViews)
#include "tst_lab_views.moc"
