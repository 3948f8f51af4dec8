// SPDX-License-Identifier: GPL-3.0-or-later
// What a sweep that was stopped still lacks, and that its rest becomes part of it.
#include "worker_support.h"

#include "record/resume.h"

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

ExperimentInfo info()
{
    ExperimentInfo info;
    info.id = "normal";
    info.version = 7; // as the fake worker says
    ParamSpec stride;
    stride.name = "stride";
    stride.min = 0;
    stride.max = 1000;
    stride.defaultValue = std::int64_t{1};
    info.parameters = {stride};
    return info;
}

RunRow rowAt(std::int64_t stride, const std::string& sweep)
{
    RunRow row = someRun();
    row.sweepId = sweep;
    row.experiment = "normal";
    row.version = 7;
    row.target = "sim:fake";
    row.seed = 11;
    row.params = {{"stride", stride}};
    return row;
}

const RunContextIds kIds{"2.4", "run-stride", {}, {}};

} // namespace

class TestResume : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Store> m_store;

    void put(const RunRow& row) { QVERIFY(durable(m_store->append(row)).ok()); }
    /// Strides that the store's newest sweep lacks of 0 … points-1; nothing where none can be continued.
    std::optional<std::vector<std::int64_t>> missing(int points, const RunContextIds& ids = kIds,
                                                     std::uint64_t seed = 11) const
    {
        RunRequest request = requestFor("normal", points);
        request.seed = seed;
        const auto found = unfinishedSweep(*m_store, info(), request, ids);
        if (!found || !*found)
            return std::nullopt;
        std::vector<std::int64_t> strides;
        for (const ParamSet& point : (*found)->missing)
            strides.push_back(std::get<std::int64_t>(point.at("stride")));
        return strides;
    }
    using Strides = std::vector<std::int64_t>;

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_store = Store::open(pathOf(*m_folder)).value();
    }
    void cleanup() { m_store.reset(); }

    void theOthersAreMissing()
    {
        QVERIFY(!missing(4));
        put(rowAt(0, "a"));
        QVERIFY(!missing(4)); // a single run is no beginning of a sweep …
        put(rowAt(2, "a"));
        QVERIFY(missing(4) == Strides({1, 3}));
        QVERIFY(!missing(2)); // 2 is not asked for
        QVERIFY(!missing(1));
        RunRow broken = rowAt(1, "a");
        broken.status = "failed";
        broken.error = Error{"worker-crashed", "The worker was killed", "worker", "Run it again"};
        put(broken);
        QVERIFY(missing(4) == Strides({1, 3})); // a point that failed is asked for again
        put(rowAt(1, "a"));
        put(rowAt(3, "a"));
        QVERIFY(!missing(4));
        QVERIFY(missing(6) == Strides({4, 5}));
    }

    void aFailureMakesASingleRunABeginning()
    {
        put(rowAt(0, "a"));
        RunRow stopped = rowAt(1, "a");
        stopped.status = "failed";
        stopped.error = Error{"cancelled", "Cancelled", "worker", "Run it again"};
        put(stopped);
        QVERIFY(missing(3) == Strides({1, 2}));
    }

    void onlyTheSameSweepCounts()
    {
        put(rowAt(0, "a"));
        put(rowAt(1, "a"));
        QVERIFY(missing(4));
        QVERIFY(!missing(4, {"2.4", "run-stride", "another prediction", {}}));
        QVERIFY(!missing(4, {"2.4", "another block", {}, {}}));
        QVERIFY(!missing(4, kIds, 12));
        RunRow old = rowAt(0, "b");
        old.version = 6;
        put(old);
        old.params = {{"stride", std::int64_t{1}}};
        put(old);
        QVERIFY(missing(4) == Strides({2, 3})); // of a, not of b, which an older experiment made
        RunRow settled = rowAt(0, "c");
        settled.fingerprint = Json{{"regime", "settled"}};
        put(settled);
        settled.params = {{"stride", std::int64_t{3}}};
        put(settled);
        QVERIFY(missing(4) == Strides({2, 3}));
        // The newest that fits decides: behind a complete one nobody looks for an older half.
        for (std::int64_t stride = 0; stride < 4; ++stride)
            put(rowAt(stride, "d"));
        QVERIFY(!missing(4));
    }

    void rowsOfAnotherStoreAreNotContinued()
    {
        QTemporaryDir other;
        {
            auto store = Store::open(pathOf(other)).value();
            QVERIFY(durable(store->append(rowAt(0, "a"))).ok());
            QVERIFY(durable(store->append(rowAt(1, "a"))).ok());
        }
        const auto merged = m_store->mergeFrom(pathOf(other));
        QVERIFY2(merged.ok(), merged ? "" : toText(merged.error()).c_str());
        QCOMPARE(m_store->runs({})->size(), 2u);
        QVERIFY(!missing(4));
    }

    void aPointThatIsNotLegalIsNamed()
    {
        RunRequest request = requestFor("normal", 3);
        request.points[1] = {{"stride", std::int64_t{5000}}};
        const auto found = unfinishedSweep(*m_store, info(), request, kIds);
        QVERIFY(!found);
        QCOMPARE(found.error().code, std::string("out-of-range"));
    }

    /// Killed after its first points, the worker is started again with what is missing: one sweep, every point once.
    void aKilledSweepBecomesWhole()
    {
        RunRequest first = requestFor("crash");
        first.experiment = "crash";
        {
            WorkerRun run(fakeWorker(), first);
            Recorder recorder(*m_store, run, kIds);
            QSignalSpy done(&recorder, &Recorder::done);
            run.start();
            QTRY_COMPARE(done.count(), 1);
        }
        ExperimentInfo crashing = info();
        crashing.id = "crash";
        const auto found = unfinishedSweep(*m_store, crashing, first, kIds);
        QVERIFY2(found.ok(), found ? "" : toText(found.error()).c_str());
        QVERIFY(found->has_value());
        const UnfinishedSweep& sweep = **found;
        QCOMPARE(sweep.points(), 4u);
        QVERIFY(!sweep.rows.empty() && !sweep.missing.empty());
        RunRequest rest = first;
        rest.experiment = "normal";
        rest.points = sweep.missing;
        WorkerRun run(fakeWorker(), rest);
        Recorder recorder(*m_store, run, sweep.ids);
        QSignalSpy done(&recorder, &Recorder::done);
        run.start();
        QTRY_COMPARE(done.count(), 1);
        std::map<std::int64_t, int> times;
        const auto rows = m_store->runs({.sweepId = sweep.ids.sweepId});
        for (const RunRow& row : *rows)
            if (row.status == "finished")
                ++times[std::get<std::int64_t>(row.params.at("stride"))];
        QVERIFY(times == (std::map<std::int64_t, int>{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
    }
};

QTEST_GUILESS_MAIN(TestResume)
#include "tst_resume.moc"
