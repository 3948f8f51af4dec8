// SPDX-License-Identifier: GPL-3.0-or-later
// What other machines gave, where a lesson offers it: below its sweeps, charts and runs, after the own run.
#include "tests/app/window/shell_fixture.h"

#include "app/lesson/reader/blocks/compared_rows.h"
#include "app/lesson/reader/blocks/run_blocks.h"
#include "app/lesson/reader/chart_data.h"
#include "app/runs/overlays/overlay_bar.h"
#include "app/theme/kept_units.h"
#include "app/ui/panels.h"
#include "app/window/settler.h"
#include "base/sweep_points.h"

#include <QCheckBox>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

std::vector<const record::RunRow*> pointers(const std::vector<record::RunRow>& rows)
{
    std::vector<const record::RunRow*> all;
    for (const record::RunRow& row : rows)
        all.push_back(&row);
    return all;
}

} // namespace

class OverlayLessons : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> m_place;

    /// For the eye: RIDGE_SHOTS=folder keeps it.
    void look(QWidget* block, const char* name)
    {
        const QString folder = qEnvironmentVariable("RIDGE_SHOTS");
        if (folder.isEmpty())
            return;
        Settler settler(*m_place->window, false, 20000);
        QSignalSpy settled(&settler, &Settler::settled);
        settler.start();
        QVERIFY(settled.wait(60000));
        block->grab().save(folder + u'/' + s(name));
    }

    void openLesson(const char* page)
    {
        QVERIFY(m_place->loadCatalogue());
        m_place->makeWindow();
        QVERIFY(m_place->window->open(s(page)).ok());
        QTRY_VERIFY_WITH_TIMEOUT(m_place->window->page()->ready(), 20000);
    }

    template<typename Block>
    Block* blockOf(const char* id) const
    {
        for (Block* block : m_place->window->page()->findChildren<Block*>())
            if (block->blockId() == s(id))
                return block;
        return nullptr;
    }

private Q_SLOTS:
    void cleanup() { m_place.reset(); }

    void aLessonOffersThemAfterTheOwnRun()
    {
        m_place = std::make_unique<Workplace>();
        openLesson("lesson/1.3");
        QVERIFY(blockOf<SweepBlockWidget>("stairs")->overlays()->offered().empty()); // before the own result they would
                                                                                     // give it away
        record::RunRow row;
        row.lesson = "1.3";
        row.block = "stairs";
        row.sweepId = "s1";
        row.experiment = "latency";
        row.target = "sim:h100-sxm";
        row.status = "finished";
        row.validity = "valid";
        row.params = {{"working_set", std::int64_t{16384}}, {"stride", std::int64_t{128}}, {"load", std::string("ca")}};
        row.metrics["cycles_per_load"] = {32, "cycles", Provenance::Simulated};
        row.metrics["ns_per_load"] = {16, "ns", Provenance::Simulated};
        m_place->store(row);
        m_place->restart();
        openLesson("lesson/1.3");
        auto* chase = blockOf<SweepBlockWidget>("stairs");
        QTRY_VERIFY(!chase->overlays()->offered().empty());
        chase->overlays()->setShown(s("gh200-rrze"), true);
        QCOMPARE(chase->chart()->data().series.size(), 2u);
        QCOMPARE(chase->overlays()->findChildren<Card*>().size(), 1);
        look(chase, "lesson-overlay.png");
    }

    void aRunStandsBesideWhatOthersGave()
    {
        m_place = std::make_unique<Workplace>();
        record::RunRow row;
        row.lesson = "1.5";
        row.block = "run-probe";
        row.experiment = "probe";
        row.target = "sim:h100-sxm";
        row.status = "finished";
        row.validity = "valid";
        row.metrics["l2_bytes"] = {52428800, "B", Provenance::Simulated};
        row.metrics["sms"] = {132, "SMs", Provenance::Simulated};
        openLesson("lesson/1.5");
        QVERIFY(blockOf<RunBlockWidget>("run-probe")->overlays()->offered().empty()); // it would give the answer away
        m_place->store(row);
        m_place->restart();
        openLesson("lesson/1.5");
        auto* block = blockOf<RunBlockWidget>("run-probe");
        QTRY_COMPARE(block->overlays()->offered().size(), std::size_t{7});
        QVERIFY(block->overlays()->findChildren<Card*>().isEmpty());
        block->overlays()->setShown(s("rtx5090-devicequery"), true);
        QCOMPARE(block->overlays()->findChildren<Card*>().size(), 1);
        QString words;
        for (const QLabel* label : block->overlays()->findChildren<QLabel*>())
            words += withoutJoiners(label->text()) + u'\n';
        for (const char* word :
             {"96 MiB", "here 50 MiB", "170 SMs", "here 132 SMs", "aikitoria", "nobody tried kernels"})
            QVERIFY2(words.contains(s(word)), qPrintable(s(word) + u'\n' + words));
        for (const QCheckBox* box : block->overlays()->findChildren<QCheckBox*>())
            QVERIFY(!box->isVisibleTo(block) || !box->text().contains(s("roofline"))); // there is no scale to share
        look(block, "run-overlay.png");
    }

    void everyLessonOfTheFirstModuleOffersOne_data()
    {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<QString>("baseline");
        // 1.8 sweeps prices; what others measured of its chips is in its text.
        QTest::newRow("1.1") << s("1.1") << s("epyc-vm");
        QTest::newRow("1.2") << s("1.2") << s("v100-pcie-gpu-benches");
        QTest::newRow("1.3") << s("1.3") << s("a100-rrze");
        QTest::newRow("1.4, compared") << s("1.4") << s("h200-sxm");
        QTest::newRow("1.5, probe") << s("1.5") << s("rtx5090-devicequery");
        QTest::newRow("1.5, model") << s("1.5") << s("azure-triad");
        QTest::newRow("1.6") << s("1.6") << s("h200-rrze");
        QTest::newRow("1.7") << s("1.7") << s("v100-pcie-gpu-benches");
    }
    void everyLessonOfTheFirstModuleOffersOne()
    {
        QFETCH(QString, lesson);
        QFETCH(QString, baseline);
        m_place = std::make_unique<Workplace>();
        QVERIFY(m_place->loadCatalogue());
        const auto& library = m_place->context->baselines();
        const auto read = lessons::loadLesson(m_place->context->curriculum(), lesson.toStdString());
        QVERIFY2(read.ok(), read.ok() ? "" : toText(read.error()).c_str());
        // The runs that the lesson's own blocks make, with every metric of the experiment.
        std::map<std::string, std::vector<record::RunRow>> all;
        QStringList offered;
        const auto made = [&](const ExperimentInfo& info, const ParamSet& params) {
            record::RunRow row;
            row.experiment = info.id;
            row.params = params;
            for (const MetricSpec& metric : info.metrics)
                row.metrics[metric.name] = {1, metric.unit, Provenance::Simulated};
            all[info.id].push_back(row);
            return row;
        };
        const auto take = [&](const std::vector<MachineOverlay>& overlays) {
            for (const MachineOverlay& overlay : overlays)
                offered << QString::fromStdString(overlay.baseline->id);
        };
        const auto chart = [&](const ExperimentInfo& info, const std::string& id,
                               const std::vector<record::RunRow>& rows) {
            if (const ChartSpec* spec = chartOf(info, id))
                take(overlaysFor(library, info, *spec, pointers(rows)));
        };
        for (const lessons::Block* block : read->blocks()) {
            if (const auto* run = std::get_if<lessons::RunBlock>(&block->body)) {
                const ExperimentInfo& info = *m_place->context->experiment(run->experiment);
                take(overlaysAt(library, info, made(info, run->set)));
            } else if (const auto* sweep = std::get_if<lessons::SweepBlock>(&block->body)) {
                const ExperimentInfo& info = *m_place->context->experiment(sweep->experiment);
                const auto points = sweepPoints(info.parameters, sweep->set, sweep->sweep);
                QVERIFY(points.ok());
                std::vector<record::RunRow> rows;
                for (const ParamSet& point : *points)
                    rows.push_back(made(info, point));
                chart(info, sweep->chart, rows);
            } else if (const auto* compare = std::get_if<lessons::CompareBlock>(&block->body)) {
                const ExperimentInfo& info = *m_place->context->experiment(compare->experiment);
                const std::vector<record::RunRow> runs{made(info, compare->at)};
                for (const ComparedMachine& side :
                     comparedRows({info, *compare, "sim:h100-sxm", pointers(runs), library}))
                    if (side.provenance == Provenance::Recorded && side.value)
                        for (const record::Baseline& each : library.baselines)
                            if (side.name == QString::fromStdString(each.machine))
                                offered << QString::fromStdString(each.id);
            }
        }
        for (const lessons::Block* block : read->blocks())
            if (const auto* view = std::get_if<lessons::ChartBlock>(&block->body))
                chart(*m_place->context->experiment(view->experiment), view->chart, all[view->experiment]);
        QVERIFY2(offered.contains(baseline), qPrintable(offered.join(u' ')));
    }
};

QTEST_MAIN(OverlayLessons)
#include "tst_overlay_lessons.moc"
