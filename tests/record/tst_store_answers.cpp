// SPDX-License-Identifier: GPL-3.0-or-later
// Every filter of the store over random rows, compared with the same question asked of all rows one by one.
#include "base/json.h"
#include "record/sqlite.h"
#include "tests/record/record_support.h"

#include <random>
#include <set>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

using Random = std::mt19937;

int below(Random& random, int count)
{
    return static_cast<int>(random() % static_cast<unsigned>(count));
}

std::string oneOf(Random& random, const std::vector<std::string>& names)
{
    return names[random() % names.size()];
}

const std::vector<std::string> kLessons{"", "1.1", "2.4", "2.4b"};
const std::vector<std::string> kBlocks{"", "run", "sweep-1", "sweep-2"};
const std::vector<std::string> kExperiments{"coalescing", "divergence", "occupancy", "zz"};
const std::vector<std::string> kTargets{"cpu", "gpu:0", "sim:h100-sxm"};

/// Few different values, so that groups, ties of time and empty answers all come up.
RunRow randomRun(Random& random, const std::vector<std::string>& predictions)
{
    RunRow run = someRun(1 << below(random, 4));
    run.lesson = oneOf(random, kLessons);
    run.block = oneOf(random, kBlocks);
    run.experiment = oneOf(random, kExperiments);
    run.target = oneOf(random, kTargets);
    run.sweepId = "s" + std::to_string(below(random, 20));
    run.predictionId = below(random, 3) == 0 || predictions.empty() ? std::string() : oneOf(random, predictions);
    run.validity = below(random, 4) == 0 ? "throttled" : "valid";
    run.createdAt =
        "2027-03-0" + std::to_string(1 + below(random, 3)) + "T10:00:00.00" + std::to_string(below(random, 3)) + "Z";
    run.metrics.clear();
    for (const char* name : {"alpha", "beta", "sectors_per_request"})
        if (below(random, 3) != 0)
            run.metrics[name] = {below(random, 100) / 8.0, name, Provenance::Simulated};
    if (below(random, 5) == 0) {
        run.status = "failed";
        run.validity.clear();
        run.error = Error{"out-of-memory", "no room", run.target, "choose fewer"};
    }
    return run;
}

void fill(Store& store, Random& random, int runs)
{
    std::vector<std::string> predictions;
    for (int i = 0; i < runs; ++i) {
        if (below(random, 8) == 0) {
            PredictionRow prediction = somePrediction();
            prediction.experiment = oneOf(random, kExperiments);
            predictions.push_back(store.append(prediction).result().value());
        }
        store.append(randomRun(random, predictions));
    }
    store.flush();
}

bool newerFirst(const RunRow& a, const RunRow& b)
{
    return std::tie(a.createdAt, a.seq, a.id) > std::tie(b.createdAt, b.seq, b.id);
}

/// What runs(filter) has to give, by its words alone.
std::vector<std::string> naive(const std::vector<RunRow>& all, const std::vector<PredictionRow>& predictions,
                               const RunFilter& filter)
{
    std::map<std::tuple<std::string, std::string, std::string>, const RunRow*> newest;
    for (const RunRow& run : all)
        if (run.status == "finished") {
            const RunRow*& best = newest[{run.lesson, run.block, run.experiment}];
            if (best == nullptr || newerFirst(run, *best))
                best = &run;
        }
    std::set<std::string> latest;
    for (const auto& [place, run] : newest)
        latest.insert(run->id);
    const auto eligible = [&](const RunRow& run) {
        return run.status == "finished" && run.validity == "valid" &&
               std::any_of(predictions.begin(), predictions.end(), [&](const PredictionRow& one) {
                   return one.id == run.predictionId && one.experiment == run.experiment && one.origin == run.origin &&
                          one.seq < run.seq;
               });
    };
    const auto fits = [](const std::string& wanted, const std::string& value) {
        return wanted.empty() || wanted == value;
    };
    std::vector<RunRow> found;
    for (const RunRow& run : all)
        if (fits(filter.experiment, run.experiment) && fits(filter.lesson, run.lesson) &&
            fits(filter.block, run.block) && fits(filter.sweepId, run.sweepId) && fits(filter.target, run.target) &&
            fits(filter.predictionId, run.predictionId) &&
            (filter.ids.empty() || std::ranges::find(filter.ids, run.id) != filter.ids.end()) &&
            (!filter.eligible || eligible(run)) && (!filter.latest || latest.contains(run.id)))
            found.push_back(run);
    std::sort(found.begin(), found.end(), newerFirst);
    std::vector<std::string> ids;
    for (const RunRow& run : found)
        if (filter.limit <= 0 || ids.size() < static_cast<std::size_t>(filter.limit))
            ids.push_back(run.id);
    return ids;
}

std::vector<std::string> idsOf(const std::vector<RunRow>& runs)
{
    std::vector<std::string> ids;
    for (const RunRow& run : runs)
        ids.push_back(run.id);
    return ids;
}

} // namespace

class TestStoreAnswers : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder, m_other;
    std::unique_ptr<Store> m_store;
    std::vector<RunRow> m_all;
    std::vector<PredictionRow> m_predictions;
    static constexpr int kRuns = 500;
    static constexpr unsigned kSeed = 20261122;

private Q_SLOTS:
    void initTestCase()
    {
        Random random(kSeed);
        {
            auto other = Store::open(pathOf(m_other));
            R_VERIFY(other);
            fill(**other, random, kRuns / 4);
        }
        auto store = Store::open(pathOf(m_folder));
        R_VERIFY(store);
        m_store = std::move(*store);
        fill(*m_store, random, kRuns / 2);
        R_VERIFY(m_store->mergeFrom(pathOf(m_other)));
        fill(*m_store, random, kRuns / 4);
        const auto all = m_store->runs({});
        R_VERIFY(all);
        m_all = *all;
        QCOMPARE(m_all.size(), std::size_t{kRuns / 4 * 4});
        m_predictions = m_store->predictions({}).value();
        std::set<std::string> origins;
        for (const RunRow& run : m_all)
            origins.insert(run.origin);
        QCOMPARE(origins.size(), std::size_t{2});
    }

    void everyFilterGivesWhatAFullScanGives()
    {
        Random random(kSeed + 1);
        int empty = 0, latest = 0, eligible = 0;
        for (int round = 0; round < 600; ++round) {
            RunFilter filter;
            const auto sometimes = [&](const std::vector<std::string>& names) {
                return below(random, 3) == 0 ? oneOf(random, names) : std::string();
            };
            filter.experiment = sometimes(kExperiments);
            filter.lesson = sometimes(kLessons);
            filter.block = sometimes(kBlocks);
            filter.target = sometimes(kTargets);
            if (below(random, 6) == 0)
                filter.sweepId = "s" + std::to_string(below(random, 22));
            if (below(random, 8) == 0)
                filter.predictionId = m_predictions[random() % m_predictions.size()].id;
            if (below(random, 6) == 0)
                for (int i = 0; i < 5; ++i)
                    filter.ids.push_back(m_all[random() % m_all.size()].id);
            filter.eligible = below(random, 3) == 0;
            filter.latest = below(random, 3) == 0;
            filter.limit = below(random, 2) == 0 ? 0 : 1 + below(random, 40);
            const auto found = m_store->runs(filter);
            R_VERIFY(found);
            const auto wanted = naive(m_all, m_predictions, filter);
            QVERIFY2(
                idsOf(*found) == wanted,
                qPrintable(
                    QStringLiteral("round %1: %2 rows, %3 wanted").arg(round).arg(found->size()).arg(wanted.size())));
            empty += wanted.empty();
            latest += filter.latest && !wanted.empty();
            eligible += filter.eligible && !wanted.empty();
        }
        QVERIFY(empty > 20 && latest > 50 && eligible > 50); // each kind of answer was asked for
    }

    /// The view that other programs may read, and what the store asks instead.
    void theNewestOfEachBlockAreThoseOfTheView()
    {
        for (const bool eligible : {false, true}) {
            const auto found = m_store->runs({.eligible = eligible, .latest = true});
            R_VERIFY(found);
            QVERIFY(!found->empty());
            QCOMPARE(idsOf(*found), naive(m_all, m_predictions, {.eligible = eligible, .latest = true}));
        }
        auto reader = Connection::open(pathOf(m_folder) / "ridgepoint.db", Connection::Mode::ReadOnly);
        R_VERIFY(reader);
        auto rows = (*reader)->query(QStringLiteral("SELECT id FROM latest_runs"));
        R_VERIFY(rows);
        std::set<std::string> ofView;
        while (rows->next())
            ofView.insert(rows->value(0).toString().toStdString());
        const auto ids = naive(m_all, m_predictions, {.latest = true});
        QVERIFY(ofView == std::set<std::string>(ids.begin(), ids.end()));
        QTemporaryDir empty;
        const auto fresh = Store::open(pathOf(empty));
        R_VERIFY(fresh);
        QVERIFY((*fresh)->runs({.latest = true})->empty());
    }

    void headsSayWhatTheRowsSay()
    {
        Random random(kSeed + 2);
        const auto all = m_store->runHeads({});
        R_VERIFY(all);
        QCOMPARE(all->size(), m_all.size());
        std::map<std::string, const RunRow*> byId;
        for (const RunRow& run : m_all)
            byId[run.id] = &run;
        for (int round = 0; round < 60; ++round) {
            RunHeadFilter filter;
            if (below(random, 2) == 0)
                filter.after = below(random, kRuns);
            if (below(random, 2) == 0)
                filter.before = 1 + below(random, kRuns + 20);
            filter.limit = below(random, 2) == 0 ? 0 : 1 + below(random, 60);
            for (const std::string& experiment : kExperiments)
                if (below(random, 2) == 0)
                    filter.metricOf[experiment] = below(random, 2) == 0 ? "beta" : "none";
            const auto heads = m_store->runHeads(filter);
            R_VERIFY(heads);
            std::vector<std::int64_t> wanted;
            for (const RunHead& head : *all)
                if (head.position > filter.after && (filter.before == 0 || head.position < filter.before) &&
                    (filter.limit == 0 || wanted.size() < static_cast<std::size_t>(filter.limit)))
                    wanted.push_back(head.position);
            QCOMPARE(heads->size(), wanted.size());
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                const RunHead& head = (*heads)[i];
                const RunRow& run = *byId.at(head.id);
                QCOMPARE(head.position, wanted[i]);
                QVERIFY(std::tie(head.sweepId, head.lesson, head.block, head.experiment, head.target, head.validity,
                                 head.createdAt) == std::tie(run.sweepId, run.lesson, run.block, run.experiment,
                                                             run.target, run.validity, run.createdAt));
                QCOMPARE(head.failed, run.status == "failed");
                QCOMPARE(head.errorCode, run.error ? run.error->code : std::string());
                const auto asked = filter.metricOf.find(head.experiment);
                const auto metric = asked != filter.metricOf.end() && run.metrics.contains(asked->second)
                                        ? run.metrics.find(asked->second)
                                        : run.metrics.begin();
                QCOMPARE(head.metric, metric == run.metrics.end() ? std::string() : metric->first);
                QCOMPARE(head.value, metric == run.metrics.end() ? 0.0 : metric->second.value);
                QCOMPARE(head.unit, metric == run.metrics.end() ? std::string() : metric->second.unit);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestStoreAnswers)
#include "tst_store_answers.moc"
