// SPDX-License-Identifier: GPL-3.0-or-later
// sample-learner SPEC FOLDER [COPIES]: fills an empty record the way a learner would: predictions from SPEC, then the
// runs of each lesson on its target, then the artifact with what SPEC says about it. COPIES ships every artifact so
// many times, for measuring how long many take. Used by tools/make-sample-portfolio and docs/benchmarks.md.
#include "base/json.h"
#include "base/paths.h"
#include "cli/commands.h"
#include "cli/lesson_steps.h"
#include "evidence/evidence.h"
#include "lessons/curriculum.h"

#include <QCoreApplication>
#include <cstdio>
#include <cstdlib>

using namespace ridge;

namespace {

struct Learner {
    record::Store& store;
    const lessons::Curriculum& curriculum;
    const std::vector<ExperimentInfo>& catalogue;
    int copies = 1;
};

std::string textAt(const Json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<std::string> commit(Learner& learner, const std::string& lesson, const lessons::Block& block,
                           const lessons::PredictBlock& predict, const Json& said)
{
    record::PredictionRow row;
    row.lesson = lesson;
    row.block = block.id;
    row.experiment = predict.experiment;
    row.metric = predict.metric;
    row.unit = predict.unit;
    row.params = predict.at;
    row.point = said.at(0).get<double>();
    row.low = said.at(1).get<double>();
    row.high = said.at(2).get<double>();
    return learner.store.append(row).result();
}

Result<void> take(Learner& learner, const Json& spec)
{
    const auto lesson = lessons::loadLesson(learner.curriculum, spec.at("lesson").get<std::string>());
    if (!lesson)
        return lesson.error();
    std::map<std::string, std::string> committed;
    for (const lessons::Block* block : lesson->blocks()) {
        if (const auto* predict = std::get_if<lessons::PredictBlock>(&block->body)) {
            const Json said = spec.at("predictions").value(block->id, Json());
            if (!said.is_array())
                continue;
            const auto id = commit(learner, lesson->id, *block, *predict, said);
            if (!id)
                return id.error();
            committed[block->id] = *id;
            if (const std::string reason = spec.value("reasons", Json::object()).value(block->id, std::string());
                !reason.empty())
                if (auto stored = learner.store.append(record::ReasonRow{{}, *id, "own", reason, {}, {}, 0}).result();
                    !stored)
                    return stored.error();
            continue;
        }
        const auto step = cli::stepOf(*block);
        if (!step)
            continue;
        const auto* sweep = std::get_if<lessons::SweepBlock>(&block->body);
        const std::string& after = sweep ? sweep->after : std::get<lessons::RunBlock>(block->body).after;
        const auto info = findExperiment(learner.catalogue, step->experiment);
        if (!info)
            return info.error();
        const auto prediction = committed.find(after);
        const auto done =
            cli::runStep(*step, targetFor(*info, spec.at("target").get<std::string>()),
                         {lesson->id, step->block, prediction == committed.end() ? "" : prediction->second},
                         learner.catalogue, &learner.store);
        if (!done)
            return done.error();
    }
    std::vector<std::string> journal;
    for (const Json& entry : spec.value("journal", Json::array())) {
        record::JournalRow row;
        row.kind = textAt(entry, "kind");
        row.lesson = lesson->id;
        row.title = textAt(entry, "title");
        row.text = textAt(entry, "text");
        const auto id = learner.store.append(row).result();
        if (!id)
            return id.error();
        journal.push_back(*id);
    }
    auto artifact = app::composeArtifact(learner.store, *lesson, learner.catalogue, textAt(spec, "reflection"));
    if (!artifact)
        return artifact.error();
    const Json sections = spec.value("sections", Json::object());
    for (const auto& [name, text] : sections.items())
        artifact->sections[name] = text.get<std::string>();
    artifact->journalIds = journal;
    for (const auto& [key, text] : {std::pair("title", &artifact->title), std::pair("question", &artifact->question),
                                    std::pair("claim", &artifact->claim)})
        if (const std::string own = textAt(spec, key); !own.empty())
            *text = own;
    const std::string title = artifact->title;
    for (int copy = 1; copy <= learner.copies; ++copy) {
        record::ArtifactRow row = *artifact;
        if (learner.copies > 1)
            row.title = title + " " + std::to_string(copy);
        if (auto stored = learner.store.append(std::move(row)).result(); !stored)
            return stored.error();
    }
    return {};
}

Result<void> fill(const std::string& specFile, const std::string& folder, int copies)
{
    const auto text = readFile(specFile);
    if (!text)
        return text.error();
    const auto spec = parseJson(*text, specFile);
    if (!spec)
        return spec.error();
    const auto data = dataFolder();
    if (!data)
        return data.error();
    const auto loaded = lessons::loadCurriculum(*data / "curriculum");
    const auto catalogue = cli::loadCatalogue();
    if (!catalogue)
        return catalogue.error();
    const auto store = record::Store::open(folder);
    if (!store)
        return store.error();
    Learner learner{**store, loaded.curriculum, *catalogue, copies};
    for (const Json& one : spec->at("artifacts"))
        if (auto done = take(learner, one); !done)
            return done;
    return {};
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication qt(argc, argv);
    if (argc < 3) {
        std::fprintf(stderr, "usage: sample-learner SPEC FOLDER [COPIES]\n");
        return 2;
    }
    const auto done = fill(argv[1], argv[2], argc > 3 ? std::max(1, std::atoi(argv[3])) : 1);
    return done ? 0 : cli::report(done.error());
}
