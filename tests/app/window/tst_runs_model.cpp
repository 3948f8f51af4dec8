// SPDX-License-Identifier: GPL-3.0-or-later
// The run table's filters and orders over random runs, compared with each run looked at by itself.
#include "app/runs/table/runs_model.h"
#include "base/hash.h"
#include "base/json.h"

#include <QtTest>
#include <algorithm>
#include <random>

using namespace ridge;
using namespace ridge::app;

namespace {

using Random = std::mt19937;
using Entry = RunsModel::Entry;

int below(Random& random, int count)
{
    return static_cast<int>(random() % static_cast<unsigned>(count));
}

QString q(const std::string& text)
{
    return QString::fromStdString(text);
}

record::RunRow randomRun(Random& random)
{
    static const std::vector<std::string> lessons{"", "1.1", "2.4"};
    static const std::vector<std::string> targets{"cpu", "gpu:0", "sim:h100-sxm", "sim:t4"};
    record::RunRow run;
    run.id = newUuid7();
    run.sweepId = "s" + std::to_string(below(random, 30));
    run.lesson = lessons[random() % lessons.size()];
    run.target = targets[random() % targets.size()];
    run.experiment = below(random, 3) == 0 ? "occupancy" : "coalescing";
    if (run.experiment == "coalescing")
        run.params = {{"stride", std::int64_t{1} << below(random, 6)},
                      {"elements", std::int64_t{1000} * below(random, 4)}};
    else
        run.params = {{"warps", std::int64_t{below(random, 16)}},
                      {"work", std::string(below(random, 2) ? "load" : "fma")}};
    run.metrics["time"] = {below(random, 50) / 4.0, "us", Provenance::Simulated};
    run.validity = below(random, 4) == 0 ? "throttled" : "valid";
    run.status = "finished";
    run.createdAt =
        "2027-03-0" + std::to_string(1 + below(random, 2)) + "T1" + std::to_string(below(random, 3)) + ":00:00.000Z";
    if (below(random, 6) == 0) {
        run.status = "failed";
        run.validity.clear();
        run.error = Error{"out-of-memory", "no room", run.target, ""};
    }
    return run;
}

bool newer(const Entry& a, const Entry& b)
{
    return std::tie(a.at, a.position, a.id) > std::tie(b.at, b.position, b.id);
}

QStringList tagsOf(const Entry& entry, const TagMap& runs, const TagMap& sweeps)
{
    QStringList all = sweeps.value(entry.sweep) + runs.value(q(entry.id));
    all.sort(Qt::CaseInsensitive);
    all.removeDuplicates();
    return all;
}

/// A number is meant as a whole.
bool holds(const QString& text, const QString& word)
{
    const bool number = std::all_of(word.begin(), word.end(), [](QChar c) { return c.isDigit(); });
    return QRegularExpression(number ? QStringLiteral("(?<!\\d)%1(?!\\d)").arg(word) : QRegularExpression::escape(word))
        .match(text)
        .hasMatch();
}

/// -1, 0 or 1: how two runs stand in a column that goes up.
int compare(const Entry& a, const Entry& b, int column, const TagMap& runs, const TagMap& sweeps)
{
    const auto sign = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
    switch (column) {
    case RunsModel::When:
        return newer(b, a) ? -1 : newer(a, b) ? 1 : 0;
    case RunsModel::Result:
        return sign(a.value, b.value);
    case RunsModel::Parameters:
        return sign(a.point->params, b.point->params);
    case RunsModel::Tags:
        return tagsOf(a, runs, sweeps)
            .join(QStringLiteral(", "))
            .compare(tagsOf(b, runs, sweeps).join(QStringLiteral(", ")), Qt::CaseInsensitive);
    default:
        return a.point->cells[static_cast<std::size_t>(column)].localeAwareCompare(
            b.point->cells[static_cast<std::size_t>(column)]);
    }
}

} // namespace

class TestRunsModel : public QObject {
    Q_OBJECT

    /// Every text a run shows, and its id where the word is long enough to be part of one.
    static bool matches(const Entry& entry, const RunQuery& query, const TagMap& runs, const TagMap& sweeps)
    {
        const QStringList tags = tagsOf(entry, runs, sweeps);
        const auto fits = [&](const QString& wanted, RunsModel::Column column) {
            return wanted.isEmpty() || entry.cell(column) == wanted;
        };
        if (!fits(query.experiment, RunsModel::Experiment) || !fits(query.target, RunsModel::Target) ||
            !fits(query.lesson, RunsModel::Lesson) || !(query.tag.isEmpty() || tags.contains(query.tag)))
            return false;
        for (const QString& word : query.text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            bool found = word.size() >= 8 && q(entry.id).contains(word);
            for (int column = 0; column < RunsModel::Tags; ++column)
                found = found || holds(entry.cell(static_cast<RunsModel::Column>(column)).toLower(), word);
            for (const QString& tag : tags)
                found = found || holds(tag.toLower(), word);
            if (!found)
                return false;
        }
        return true;
    }

    static std::vector<std::string> naive(std::vector<Entry> all, const RunQuery& query, int column, bool up,
                                          const TagMap& runs, const TagMap& sweeps)
    {
        std::erase_if(all, [&](const Entry& entry) { return !matches(entry, query, runs, sweeps); });
        std::sort(all.begin(), all.end(), [&](const Entry& a, const Entry& b) {
            const int order = compare(a, b, column, runs, sweeps);
            return order == 0 ? newer(a, b) : (order < 0) == up;
        });
        std::vector<std::string> ids;
        for (const Entry& entry : all)
            ids.push_back(entry.id);
        return ids;
    }

private Q_SLOTS:
    void everyOrderAndFilterIsThatOfAFullScan_data()
    {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 1; seed <= 4; ++seed)
            QTest::addRow("%u", seed) << seed;
    }
    void everyOrderAndFilterIsThatOfAFullScan()
    {
        QFETCH(unsigned, seed);
        Random random(seed);
        std::vector<Entry> all;
        for (int i = 0; i < 400; ++i) {
            all.push_back(RunsModel::makeEntry(randomRun(random), {}));
            all.back().position = 1 + i;
        }
        TagMap runs, sweeps;
        for (int i = 0; i < 40; ++i)
            runs[q(all[random() % all.size()].id)]
                << (below(random, 2) ? QStringLiteral("baseline") : QStringLiteral("Odd 7"));
        for (int i = 0; i < 5; ++i)
            sweeps[QStringLiteral("s%1").arg(below(random, 30))] << QStringLiteral("kept");

        RunsModel model;
        model.setTags(runs, sweeps);
        // Part by part, as the page reads them: the newest first, older behind, now and then something new.
        std::vector<Entry> left = all;
        if (seed % 2 == 0)
            std::sort(left.begin(), left.end(), newer);
        for (std::size_t from = 0; from < left.size();) {
            const std::size_t part = std::min<std::size_t>(1 + random() % 90, left.size() - from);
            std::vector<Entry> some(left.begin() + static_cast<std::ptrdiff_t>(from),
                                    left.begin() + static_cast<std::ptrdiff_t>(from + part));
            if (from == 0)
                model.setEntries(some);
            else
                model.addEntries(some);
            from += part;
            if (below(random, 4) == 0)
                model.sort(below(random, RunsModel::ColumnCount), Qt::AscendingOrder);
            if (below(random, 3) == 0)
                model.sort(RunsModel::When, Qt::DescendingOrder);
        }
        QCOMPARE(model.total(), 400);
        const QStringList words{QStringLiteral("stride"),
                                QStringLiteral("4"),
                                QStringLiteral("H100"),
                                QStringLiteral("failed"),
                                QStringLiteral("kept"),
                                QStringLiteral("7"),
                                QStringLiteral("throttled stride"),
                                QStringLiteral("no-such-thing"),
                                q(all[3].id).left(23),
                                QString()};
        for (int round = 0; round < 60; ++round) {
            RunQuery query;
            query.text = words[below(random, static_cast<int>(words.size()))];
            if (below(random, 3) == 0)
                query.experiment = QStringLiteral("coalescing");
            if (below(random, 4) == 0)
                query.target = QStringLiteral("cpu");
            if (below(random, 4) == 0)
                query.lesson = QStringLiteral("2.4");
            if (below(random, 5) == 0)
                query.tag = QStringLiteral("baseline");
            const int column = below(random, RunsModel::ColumnCount);
            const bool up = below(random, 2) == 0;
            if (below(random, 2) == 0) {
                model.setQuery(query);
                model.sort(column, up ? Qt::AscendingOrder : Qt::DescendingOrder);
            } else {
                model.sort(column, up ? Qt::AscendingOrder : Qt::DescendingOrder);
                model.setQuery(query);
            }
            const auto wanted = naive(all, query, column, up, runs, sweeps);
            QVERIFY2(model.shownIds() == wanted,
                     qPrintable(QStringLiteral("round %1: '%2', column %3 %4: %5 shown, %6 wanted")
                                    .arg(round)
                                    .arg(query.text)
                                    .arg(column)
                                    .arg(up ? QStringLiteral("up") : QStringLiteral("down"))
                                    .arg(model.shown())
                                    .arg(wanted.size())));
        }
    }
};

QTEST_GUILESS_MAIN(TestRunsModel)
#include "tst_runs_model.moc"
