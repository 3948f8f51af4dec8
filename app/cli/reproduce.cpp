// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge reproduce`: an artifact's runs, or its kernel's grading, once more, and whether they say the same.
#include "cli/commands.h"

#include "base/paths.h"
#include "base/units.h"
#include "classroom/feedback_policy.h"
#include "cli/interrupt_watch.h"
#include "record/clock.h"
#include "record/graded_kernel.h"
#include "record/reproduce.h"
#include "record/trust.h"

#include <QEventLoop>
#include <cstdio>

namespace ridge::cli {
namespace {

struct Outcome {
    record::ReproductionRow row;
    QStringList notes;
};

Result<Outcome> reproduce(record::Store& store, const record::ArtifactRow& artifact, const std::string& target)
{
    std::optional<Outcome> outcome;
    std::optional<Error> error;
    QEventLoop loop;
    ProgressBar bar(true);
    record::Reproducer reproducer(store, {record::defaultWorkerProgram(), {}}, artifact, target);
    QObject::connect(&reproducer, &record::Reproducer::progress, [&](int finished, int all, const QString& what) {
        bar.show(all > 0 ? double(finished) / all : 0, what.toStdString());
    });
    QObject::connect(&reproducer, &record::Reproducer::done,
                     [&](const record::ReproductionRow& row, const QStringList& notes) {
                         outcome = Outcome{row, notes};
                         loop.quit();
                     });
    QObject::connect(&reproducer, &record::Reproducer::failed, [&](const Error& why) {
        error = why;
        loop.quit();
    });
    InterruptWatch watch([&] { reproducer.cancel(); });
    reproducer.start();
    loop.exec();
    bar.clear();
    if (error)
        return *error;
    return *outcome;
}

/// What an assignment keeps back of an artifact's lesson.
struct Kept {
    std::string values, trust; ///< why; empty: they are told
};

Kept keptOf(const std::string& lesson)
{
    const auto policy = classroom::FeedbackPolicy::ofHome(homeFolder());
    const std::string now = record::timeStamp().toStdString();
    const auto why = [&](classroom::Outcome outcome) {
        const auto held = policy.held(lesson, outcome, now);
        return held ? classroom::heldText(*held) : std::string();
    };
    return {why(classroom::Outcome::Result), why(classroom::Outcome::Artifact)};
}

Json documentOf(const record::ArtifactRow& artifact, const Outcome& outcome, const record::Trust& trust,
                const Kept& kept)
{
    const auto value = [&](double number) { return kept.values.empty() ? Json(number) : Json(); };
    Json document{
        {"artifact", outcome.row.artifactId},
        {"title", artifact.title},
        {"reproduction", outcome.row.id},
        {"target", outcome.row.target},
        {"by", outcome.row.by},
        {"verdict", outcome.row.verdict},
        {"pairs", Json::array()},
        {"notes", Json::array()},
        {"trust", kept.trust.empty() ? Json{{"level", record::toText(trust.level)}, {"why", trust.why}} : Json()},
        {"held", Json::array()}};
    for (const std::string& why : {kept.values, kept.trust})
        if (!why.empty())
            document["held"].push_back(why);
    for (const record::ReproductionPair& pair : outcome.row.pairs)
        document["pairs"].push_back(Json{{"old_run", pair.oldRun},
                                         {"new_run", pair.newRun},
                                         {"metric", pair.metric},
                                         {"unit", pair.unit},
                                         {"old", value(pair.before)},
                                         {"new", value(pair.now)},
                                         {"factor", pair.factor ? value(*pair.factor) : Json()},
                                         {"verdict", pair.verdict}});
    for (const QString& note : outcome.notes)
        document["notes"].push_back(note.toStdString());
    return document;
}

void print(const record::ArtifactRow& artifact, const Outcome& outcome, const record::Trust& trust, const Kept& kept)
{
    std::printf("%s, %s again on %s\n\n", plain(artifact.title).c_str(),
                record::isGradedKernel(artifact) ? "graded" : "run", outcome.row.target.c_str());
    std::vector<std::vector<std::string>> rows;
    std::size_t same = 0;
    const bool graded = record::isGradedKernel(artifact);
    for (const record::ReproductionPair& pair : outcome.row.pairs) {
        if (pair.verdict == "reproduced") {
            ++same;
            continue;
        }
        const bool none = pair.metric.empty();
        rows.push_back({graded ? pair.oldRun : pair.oldRun.substr(pair.oldRun.size() - 6), none ? "–" : pair.metric,
                        none ? "–" : formatQuantity(pair.before, pair.unit),
                        none ? "–" : formatQuantity(pair.now, pair.unit),
                        pair.factor ? formatNumber(*pair.factor) : "–", pair.verdict});
    }
    if (!kept.values.empty())
        std::printf("  %s\n", kept.values.c_str());
    else if (!rows.empty())
        std::printf("%s\n",
                    table({graded ? "CASES" : "RUN", "METRIC", "THEN", "NOW", "FACTOR", "VERDICT"}, rows).c_str());
    std::printf("  %zu of %zu values are the same as before\n", same, outcome.row.pairs.size());
    for (const QString& note : outcome.notes)
        std::printf("  %s\n", qUtf8Printable(note));
    std::printf("  verdict: %s\n", outcome.row.verdict.c_str());
    if (kept.trust.empty())
        std::printf("  trust %s: %s\n", std::string(record::toText(trust.level)).c_str(), trust.why.c_str());
    else
        std::printf("  trust: %s\n", kept.trust.c_str());
}

} // namespace

int reproduceCommand(const std::string& artifactId, const std::string& target, bool json)
{
    const auto store = record::Store::open(homeFolder());
    if (!store)
        return report(store.error());
    const auto artifact = (*store)->artifact(artifactId);
    if (!artifact)
        return report(artifact.error());
    const auto outcome = reproduce(**store, *artifact, target);
    if (!outcome)
        return report(outcome.error());
    const auto trust = record::trustOf(**store, *artifact);
    if (!trust)
        return report(trust.error());
    const Kept kept = keptOf(artifact->lesson);
    if (json)
        printJson(documentOf(*artifact, *outcome, *trust, kept));
    else
        print(*artifact, *outcome, *trust, kept);
    return outcome->row.verdict == "not reproduced" ? Failed : Done;
}

} // namespace ridge::cli
