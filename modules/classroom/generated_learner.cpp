// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/generated_learner.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/sweep_points.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "evidence/evidence.h"
#include "lessons/answers.h"
#include "lessons/learner.h"
#include "lessons/placeholders.h"
#include "lessons/worksheet.h"

#include <QDateTime>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ridge::classroom {
namespace {

/// Chips that laptops, a school's server and a rented machine have; the last is what learners without a GPU use.
const std::vector<std::string> kTargets = {"sim:rtx4060-laptop", "sim:t4", "sim:l40s", "sim:a100-sxm-80",
                                           kDefaultSimulator};

constexpr double kSeconds = 600;

std::uint64_t mixed(std::uint64_t seed, std::uint64_t number)
{
    Rng rng(seed * 0x9e3779b97f4a7c15u + number);
    return rng.next();
}

/// Three significant digits, as people say numbers.
double rounded(double value)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    const double scale = std::pow(10.0, 2 - std::floor(std::log10(std::abs(value))));
    return std::round(value * scale) / scale;
}

/// What is known about the machine, without what names the one on which the class was generated.
Json generatedFingerprint(const Json& fingerprint, std::uint64_t seed)
{
    Json kept{{"generated", Json{{"seed", seed}}}};
    if (!fingerprint.is_object())
        return kept;
    if (fingerprint.contains("kernels"))
        kept["kernels"] = fingerprint["kernels"];
    Json target = Json::object();
    if (fingerprint.contains("target") && fingerprint["target"].is_object())
        for (const char* key : {"simulator", "version", "build", "chip", "compute_capability", "timing", "name",
                                "model", "machine", "title", "machine_sha256", "engine_version"})
            if (fingerprint["target"].contains(key))
                target[key] = fingerprint["target"][key];
    kept["target"] = target;
    return kept;
}

} // namespace

Result<const Executed*> SharedRuns::run(const std::string& experiment, const ParamSet& set,
                                        const std::vector<std::string>& sweep, const std::string& wanted)
{
    const auto info = findExperiment(m_catalogue, experiment);
    if (!info)
        return info.error();
    auto points = blockPoints(info->parameters, set, sweep);
    if (!points)
        return points.error();
    RunRequest request{experiment, targetFor(*info, wanted), 1, std::move(*points), false, {kSeconds, 0}};
    const std::string key = toJson(request).dump();
    if (const auto done = m_done.find(key); done != m_done.end())
        return &done->second;
    auto executed = m_execute(request, "shipped");
    ++m_executed;
    if (!executed && request.target != kDefaultSimulator && simulatesKernels(request.target)) {
        request.target = kDefaultSimulator; // not every chip has what every kernel needs
        executed = m_execute(request, "shipped");
        ++m_executed;
    }
    if (!executed)
        return executed.error();
    return &m_done.emplace(key, std::move(*executed)).first->second;
}

GeneratedLearner::GeneratedLearner(std::uint64_t classSeed, int number, std::int64_t beganAtMs)
    : m_random(mixed(classSeed, static_cast<std::uint64_t>(number))), m_classSeed(classSeed)
{
    m_identity = identityFromSeed(randomBytes()).value();
    m_now = beganAtMs + static_cast<std::int64_t>(m_random.uniform() * 300e3);
    m_origin = uuid();
    m_target = kTargets[static_cast<std::size_t>(m_random.next() % kTargets.size())];
    m_skill = 0.25 + 0.75 * m_random.uniform();
    m_stamina = chance(0.7) ? 1 : 0.15 + 0.85 * m_random.uniform();
}

std::string GeneratedLearner::randomBytes()
{
    std::string bytes;
    while (bytes.size() < 32) {
        const std::uint32_t word = m_random.nextU32();
        for (int shift = 0; shift < 32; shift += 8)
            bytes += static_cast<char>((word >> shift) & 0xff);
    }
    return bytes;
}

/// Version 7 of RFC 9562 at the learner's own time.
std::string GeneratedLearner::uuid()
{
    const std::uint64_t high = (static_cast<std::uint64_t>(m_now) << 16) | 0x7000u | (m_random.next() & 0x0fffu);
    const std::uint64_t low = (m_random.next() & 0x3fffffffffffffffu) | 0x8000000000000000u;
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffffu, high & 0xffffu,
                       low >> 48, low & 0xffffffffffffu);
}

std::string GeneratedLearner::add(const char* kind, const Result<record::Columns>& columns, double minutes)
{
    m_now += static_cast<std::int64_t>(minutes * 60e3 * (0.5 + m_random.uniform())) + 1;
    record::RowLine row;
    row.kind = QLatin1String(kind);
    row.columns = columns.value();
    const std::string id = uuid();
    row.stamp = {QString::fromStdString(id), QDateTime::fromMSecsSinceEpoch(m_now, Qt::UTC).toString(Qt::ISODateWithMs),
                 QString::fromStdString(m_origin), static_cast<std::int64_t>(m_lines.size()) + 1,
                 m_lines.empty() ? QStringLiteral("") : m_lines.back().digest};
    row.digest = record::rowDigest(row.kind, row.stamp, row.columns);
    row.line = static_cast<int>(m_lines.size()) + 1;
    m_lines.push_back(std::move(row));
    return id;
}

std::string GeneratedLearner::rows() const
{
    std::string text;
    for (const record::RowLine& row : m_lines)
        text += toLine(row);
    return text;
}

Result<void> GeneratedLearner::predict(const lessons::Lesson& lesson, const lessons::Block& block, SharedRuns& runs)
{
    const auto& predict = std::get<lessons::PredictBlock>(block.body);
    const auto executed = runs.run(predict.experiment, predict.at, {}, m_on);
    if (!executed)
        return executed.error();
    double result = 0;
    for (const SampleEvent& sample : (*executed)->samples)
        if (const auto value = sample.metrics.find(predict.metric); value != sample.metrics.end())
            result = value->second.value;
    double point = 0;
    std::string misconception;
    if (chance(m_skill)) {
        point = chance(0.6) ? result : result * std::exp((m_random.uniform() - 0.5) * 0.5);
    } else if (!predict.misconceptions.empty() && chance(0.75)) {
        // The first one that the authors name is the one most people have.
        const std::size_t count = predict.misconceptions.size();
        const auto at = static_cast<std::size_t>(m_random.uniform() * m_random.uniform() * static_cast<double>(count));
        point = predict.misconceptions[at].value;
        misconception = predict.misconceptions[at].id;
    } else {
        const double part = m_random.uniform();
        point = predict.logScale && predict.min > 0 ? predict.min * std::pow(predict.max / predict.min, part)
                                                    : predict.min + (predict.max - predict.min) * part;
    }
    point = std::clamp(misconception.empty() ? rounded(point) : point, predict.min, predict.max);
    const double half = std::abs(point) * (0.05 + 0.5 * m_random.uniform());
    record::PredictionRow row;
    row.lesson = lesson.id;
    row.block = block.id;
    row.experiment = predict.experiment;
    row.metric = predict.metric;
    row.unit = predict.unit;
    row.params = predict.at;
    row.point = point;
    row.low = point - half;
    row.high = point + half;
    row.id = add("prediction", columnsOf(row), 1.5);
    row.seq = static_cast<std::int64_t>(m_lines.size());
    m_predictions[block.id] = {row.id, misconception};
    m_predictionRows.push_back(std::move(row));
    return {};
}

Result<void> GeneratedLearner::runInto(const lessons::Lesson& lesson, const std::string& block,
                                       const std::string& experiment, const ParamSet& set,
                                       const std::vector<std::string>& sweep, const std::string& after,
                                       SharedRuns& runs)
{
    const auto executed = runs.run(experiment, set, sweep, m_on);
    if (!executed)
        return executed.error();
    const StartedEvent& started = (*executed)->started;
    const std::string sweepId = uuid();
    for (const SampleEvent& sample : (*executed)->samples) {
        record::RunRow row;
        row.sweepId = sweepId;
        row.lesson = lesson.id;
        row.block = block;
        if (const auto prediction = m_predictions.find(after); prediction != m_predictions.end())
            row.predictionId = prediction->second.row;
        row.experiment = started.experiment;
        row.version = started.version;
        row.target = started.target;
        row.provenance = started.provenance;
        row.seed = 1;
        row.params = sample.params;
        row.metrics = sample.metrics;
        row.limits = sample.limits;
        row.checks = sample.checks;
        row.validity = sample.validity;
        row.fingerprint = generatedFingerprint(*started.fingerprint, m_classSeed);
        row.status = "finished";
        row.id = add("run", columnsOf(row), 0.005);
        row.seq = static_cast<std::int64_t>(m_lines.size());
        m_runs.push_back(std::move(row));
    }
    return {};
}

void GeneratedLearner::explain(const std::string& after)
{
    const auto found = m_predictions.find(after);
    if (found == m_predictions.end() || found->second.explained || !chance(0.8))
        return;
    found->second.explained = true;
    record::ReasonRow row;
    row.predictionId = found->second.row;
    row.choice = found->second.misconception;
    if (row.choice.empty())
        row.text = "I counted what one warp asks for.";
    add("reason", columnsOf(row), 0.5);
}

Result<void> GeneratedLearner::runBlock(const lessons::Lesson& lesson, const lessons::Block& block, SharedRuns& runs)
{
    if (const auto* run = std::get_if<lessons::RunBlock>(&block.body)) {
        if (auto done = runInto(lesson, block.id, run->experiment, run->set, {}, run->after, runs); !done)
            return done;
        explain(run->after);
    } else if (const auto* sweep = std::get_if<lessons::SweepBlock>(&block.body)) {
        for (int time = lessons::timesToRun(lesson, *sweep); time > 0; --time)
            if (auto done = runInto(lesson, block.id, sweep->experiment, sweep->set, sweep->sweep, sweep->after, runs);
                !done)
                return done;
        explain(sweep->after);
    } else if (const auto* challenge = std::get_if<lessons::ChallengeBlock>(&block.body)) {
        const auto learner = chance(m_skill) ? lessons::Learner::Ideal : lessons::Learner::Wrong;
        for (const ParamSet& set : lessons::attemptsAt(*challenge, learner))
            if (auto done = runInto(lesson, block.id, challenge->experiment, set, {}, {}, runs); !done)
                return done;
    }
    return {};
}

void GeneratedLearner::give(const lessons::Lesson& lesson, const lessons::Block& block,
                            const lessons::AnswerGiven& given, bool right)
{
    record::AnswerRow row;
    row.lesson = lesson.id;
    row.block = block.id;
    row.answer = app::toJson(given);
    row.correct = right;
    row.id = add("answer", columnsOf(row), 1);
    row.seq = static_cast<std::int64_t>(m_lines.size());
    m_answers.push_back(std::move(row));
}

void GeneratedLearner::answer(const lessons::Lesson& lesson, const lessons::Block& block)
{
    const auto giveAs = [&](lessons::Learner learner, const std::optional<lessons::QuizInstance>& instance = {}) {
        const lessons::AnswerGiven given =
            instance ? lessons::answerOf(block, learner, *instance) : lessons::answerOf(block, learner);
        give(lesson, block, given, lessons::isRight(block, given));
    };
    if (chance(m_skill))
        return giveAs(lessons::Learner::Ideal);
    giveAs(lessons::Learner::Wrong);
    if (!chance(0.5))
        return;
    // Reads the explanation and tries again, with other numbers where the question has them.
    const auto* quiz = std::get_if<lessons::QuizBlock>(&block.body);
    const auto instances = quiz ? lessons::instancesOf(*quiz) : std::vector<lessons::QuizInstance>{};
    giveAs(lessons::Learner::Ideal, instances.size() > 1 ? std::optional(instances[1]) : std::nullopt);
}

void GeneratedLearner::write(const lessons::Lesson& lesson, const lessons::Block& block)
{
    lessons::AnswerGiven given;
    const bool understood = chance(m_skill);
    given.text = understood ? "What the hardware moves is counted in pieces of its own size, so I counted the pieces."
                            : "It is slower because the numbers are farther apart in memory.";
    give(lesson, block, given, false);
    given.rating = understood ? "yes" : chance(0.5) ? "partly" : "no";
    give(lesson, block, given, given.rating != "no");
}

Result<void> GeneratedLearner::drawCurve(const lessons::Lesson& lesson, const lessons::Block& block, SharedRuns& runs)
{
    const auto& draw = std::get<lessons::DrawBlock>(block.body);
    const auto executed = runs.run(draw.experiment, draw.set, {draw.sweep}, m_on);
    if (!executed)
        return executed.error();
    const std::string axis = draw.sweep.substr(0, draw.sweep.find('='));
    std::vector<std::pair<double, double>> points;
    for (const SampleEvent& sample : (*executed)->samples) {
        const auto x = sample.params.find(axis);
        const auto y = sample.metrics.find(draw.metric);
        if (x != sample.params.end() && y != sample.metrics.end())
            points.emplace_back(asNumber(x->second).value_or(0), y->second.value);
    }
    give(lesson, block,
         lessons::curveOf(draw, chance(m_skill) ? lessons::Learner::Ideal : lessons::Learner::Wrong, points), false);
    return {};
}

void GeneratedLearner::fillSheet(const lessons::Curriculum& curriculum, const lessons::Lesson& lesson,
                                 const lessons::Block& block)
{
    const auto& sheet = std::get<lessons::WorksheetBlock>(block.body);
    const lessons::Evidence evidence = app::evidenceFromRows(m_runs, m_predictionRows, m_answers, 0);
    const auto rows = lessons::fillingsOf(sheet, chance(m_skill) ? lessons::Learner::Ideal : lessons::Learner::Wrong,
                                          lessons::givenLookup(curriculum, evidence));
    if (!rows)
        return; // a run that this learner has not made gives it no numbers
    for (const lessons::AnswerGiven& row : *rows)
        give(lesson, block, row, !row.shown && row.cells.size() == sheet.cells.size());
}

Result<void> GeneratedLearner::ship(const lessons::Lesson& lesson, SharedRuns& runs)
{
    const lessons::ArtifactBlock* block = lesson.artifact();
    if (block == nullptr || m_runs.empty())
        return {};
    auto sources = app::kernelSources(lesson.experiments(), runs.catalogue());
    if (!sources)
        return sources.error();
    record::ArtifactRow row;
    for (app::KernelSource& source : *sources) {
        const std::string sha256 = sha256Hex(source.text);
        m_files[sha256] = std::move(source.text);
        row.code.push_back({source.name, sha256});
    }
    row.lesson = lesson.id;
    row.kind = block->kind;
    row.title = block->title;
    row.question = block->question;
    row.level = block->level;
    row.claim = lessons::fillTemplate(block->claim, app::evidenceFromRows(m_runs, m_predictionRows, m_answers, 0)).text;
    row.reflection = m_skill > 0.6 ? "I can say the number before I run it now; the last step still surprises me."
                                   : "I was off where the curve bends.";
    for (const record::PredictionRow& prediction : m_predictionRows)
        row.predictionIds.push_back(prediction.id);
    for (const record::RunRow& run : m_runs)
        row.runIds.push_back(run.id);
    row.fingerprint = m_runs.back().fingerprint;
    row.provenance = m_runs.back().provenance;
    add("artifact", columnsOf(row), 4);
    return {};
}

Result<void> GeneratedLearner::take(const lessons::Curriculum& curriculum, const lessons::Lesson& lesson,
                                    SharedRuns& runs)
{
    m_predictions.clear();
    m_runs.clear();
    m_predictionRows.clear();
    m_answers.clear();
    m_on = lesson.target.empty() ? m_target : lesson.target;
    const auto blocks = lesson.blocks();
    const auto reach = static_cast<std::size_t>(std::ceil(m_stamina * static_cast<double>(blocks.size())));
    for (std::size_t i = 0; i < std::min(reach, blocks.size()); ++i) {
        const lessons::Block& block = *blocks[i];
        Result<void> done;
        if (block.kind == "predict")
            done = predict(lesson, block, runs);
        else if (block.kind == "quiz" || block.kind == "order")
            answer(lesson, block);
        else if (block.kind == "explain")
            write(lesson, block);
        else if (block.kind == "draw")
            done = drawCurve(lesson, block, runs);
        else if (block.kind == "worksheet")
            fillSheet(curriculum, lesson, block);
        else if (const auto* scene = std::get_if<lessons::SceneBlock>(&block.body); scene && !scene->answer.empty())
            answer(lesson, block);
        else
            done = runBlock(lesson, block, runs);
        if (!done)
            return done;
    }
    return m_stamina == 1 && chance(0.9) ? ship(lesson, runs) : Result<void>();
}

} // namespace ridge::classroom
