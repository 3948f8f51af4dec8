// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/numbers.h"

#include "lessons/inline_scan.h"
#include "lessons/placeholders.h"
#include "lessons/text.h"

#include "base/json.h"
#include "base/number_text.h"
#include "base/paths.h"
#include "base/units.h"

#include <charconv>
#include <cmath>

namespace ridge::lessons {
namespace {

constexpr std::string_view kChip = "chip:", kBaseline = "baseline:";
constexpr std::size_t kMostNumbers = 10000; ///< kept; a curriculum has hundreds

Error unknown(std::string message, std::string fix)
{
    return {"unknown-number", std::move(message), "", std::move(fix)};
}

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string textAt(const Json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// To so many significant digits, never with an exponent.
std::string digitsText(double value, int digits)
{
    if (value == 0 || !std::isfinite(value))
        return formatNumber(value);
    const int power = static_cast<int>(std::floor(std::log10(std::abs(value))));
    const double step = std::pow(10.0, power - digits + 1);
    return fixedText(std::round(value / step) * step, std::max(0, digits - 1 - power));
}

/// The figure of a chip under its own name in the table, and the unit and factor with which it is shown.
struct ChipField {
    const char* name;
    const char* key;
    const char* unit;
    double factor;
};
constexpr std::array<ChipField, 9> kFields = {{{"bandwidth", "memory_bandwidth", "GB/s", 1},
                                               {"memory", "memory_gb", "GB", 1},
                                               {"l2", "l2_mb", "MB", 1},
                                               {"tdp", "tdp_w", "W", 1},
                                               {"pcie", "pcie", "GB/s", 1},
                                               {"link", "gpu_link", "GB/s", 1},
                                               {"units", "units", "", 1},
                                               {"clock", "boost_clock_mhz", "GHz", 1e-3},
                                               {"tensor_clock", "tensor_clock_mhz", "GHz", 1e-3}}};

const Json* figureOf(const Json& chip, const std::string& name)
{
    const auto valued = [](const Json& parent, const std::string& key) -> const Json* {
        const auto found = parent.find(key);
        if (found == parent.end() || !found->is_object())
            return nullptr;
        const auto value = found->find("value");
        return value != found->end() && value->is_number() ? &*found : nullptr;
    };
    for (const ChipField& field : kFields)
        if (name == field.name)
            return valued(chip, field.key);
    const auto peaks = chip.find("peaks");
    return peaks != chip.end() && peaks->is_object() ? valued(*peaks, name) : nullptr;
}

} // namespace

bool isTableKey(std::string_view key)
{
    return key.starts_with(kChip) || key.starts_with(kBaseline);
}

std::string claimText(const Claim& claim)
{
    if (!claim.text.empty())
        return claim.text;
    if (claim.unit == "GB/s" && std::abs(claim.value) >= 1000)
        return formatQuantity(claim.value / 1000, "TB/s");
    return formatQuantity(claim.value, claim.unit);
}

const Json* NumberTables::document(const std::string& file) const
{
    const auto [kept, fresh] = m_documents.try_emplace(file);
    if (fresh) {
        const Result<std::string> text = readFile(m_assets / file);
        if (text.ok())
            if (Result<Json> json = parseJson(*text, file); json.ok() && json->is_object())
                kept->second = std::make_unique<Json>(std::move(*json));
    }
    return kept->second.get();
}

std::vector<std::string> NumberTables::chips() const
{
    const std::lock_guard lock(m_mutex);
    std::vector<std::string> ids;
    if (const Json* table = document("chips/gpus.json"))
        if (const auto list = table->find("chips"); list != table->end() && list->is_array())
            for (const Json& chip : *list)
                if (chip.is_object())
                    ids.push_back(textAt(chip, "id"));
    return ids;
}

Result<Claim> NumberTables::chipNumber(std::string_view rest) const
{
    const std::size_t dot = rest.find('.');
    const std::string id(rest.substr(0, dot));
    const std::string name(dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1));
    const Json* table = document("chips/gpus.json");
    if (!table)
        return unknown("the chip table cannot be read", "look for chips/gpus.json in " + m_assets.string());
    const Json* chip = nullptr;
    if (const auto list = table->find("chips"); list != table->end() && list->is_array())
        for (const Json& one : *list)
            if (one.is_object() && textAt(one, "id") == id)
                chip = &one;
    if (!chip)
        return unknown("the chip table has no '" + id + "'", "known: " + listed(chips()));
    Claim claim;
    const bool ridge = name.starts_with("ridge_");
    const Json* figure = figureOf(*chip, ridge ? name.substr(6) : name);
    const Json* bandwidth = ridge ? figureOf(*chip, "bandwidth") : nullptr;
    if (!figure || (ridge && !bandwidth)) {
        std::vector<std::string> known;
        for (const ChipField& field : kFields)
            if (figureOf(*chip, field.name))
                known.emplace_back(field.name);
        if (const auto peaks = chip->find("peaks"); peaks != chip->end() && peaks->is_object())
            for (const auto& [peak, value] : peaks->items()) {
                known.push_back(peak);
                known.push_back("ridge_" + peak);
            }
        return unknown("the chip table has no '" + name + "' of " + id, "known: " + listed(known));
    }
    claim.value = figure->at("value").get<double>();
    claim.unit = textAt(*figure, "unit");
    std::string confidence = textAt(*figure, "confidence");
    for (const ChipField& field : kFields)
        if (name == field.name) {
            claim.value *= field.factor;
            claim.unit = field.unit;
        }
    if (ridge) {
        claim.value = claim.value * 1e3 / bandwidth->at("value").get<double>();
        claim.unit = claim.unit == "TOP/s" ? "OP/B" : "FLOP/B";
        confidence = "derived";
    }
    claim.provenance = confidence == "derived" ? "derived" : "published";
    claim.date = textAt(*table, "reviewed");
    claim.source = textAt(*chip, "name") + (ridge ? ", " + name.substr(6) + " peak ÷ memory bandwidth" : ", " + name) +
                   (claim.provenance == "derived" && !ridge ? ", worked out from units and clock" : "");
    const auto names = figure->find("source");
    const auto sources = table->find("sources");
    if (names != figure->end() && names->is_array() && !names->empty() && names->front().is_string() &&
        sources != table->end() && sources->is_object())
        if (const auto source = sources->find(names->front().get<std::string>());
            source != sources->end() && source->is_object()) {
            claim.source += " (" + textAt(*source, "title") + ")";
            claim.url = textAt(*source, "url");
        }
    return claim;
}

Result<Claim> NumberTables::baselineNumber(std::string_view rest) const
{
    // As a reference to a run: file.experiment.metric@parameter=value,…
    const std::size_t at = rest.find('@');
    const std::string_view names = rest.substr(0, at);
    const std::size_t one = names.find('.'), two = one == std::string_view::npos ? one : names.find('.', one + 1);
    const std::string form = "write {{baseline:h200-sxm.latency.ns_per_load@working_set=1048576}}";
    if (two == std::string_view::npos)
        return unknown("'" + std::string(rest) + "' names no file, experiment and metric", form);
    const std::string file(names.substr(0, one)), experiment(names.substr(one + 1, two - one - 1)),
        metric(names.substr(two + 1));
    if (file.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") != std::string::npos)
        return unknown("'" + file + "' is no name of a baseline", form);
    ParamSet wanted;
    if (at != std::string_view::npos) {
        const Result<RunReference> point = parseRunReference("run:a.b" + std::string(rest.substr(at)));
        if (!point.ok())
            return unknown("'" + std::string(rest.substr(at)) + "' is no list of parameters", form);
        wanted = point->at;
    }
    const Json* baseline = document("baselines/" + file + ".json");
    if (!baseline)
        return unknown("there is no baseline '" + file + "'", "look into assets/baselines for what there is");
    const auto experiments = baseline->find("experiments");
    const Json* found = nullptr;
    if (experiments != baseline->end() && experiments->is_object() && experiments->contains(experiment))
        found = &experiments->at(experiment);
    if (!found || !found->is_object() || !found->contains("points")) {
        std::vector<std::string> known;
        if (experiments != baseline->end() && experiments->is_object())
            for (const auto& [id, value] : experiments->items())
                known.push_back(id);
        return unknown("the baseline " + file + " has no '" + experiment + "'", "known: " + listed(known));
    }
    const Json* point = nullptr;
    std::string points;
    int matching = 0;
    for (const Json& candidate : found->at("points")) {
        if (!candidate.is_object() || !candidate.contains("params"))
            continue;
        const Result<ParamSet> params = paramSetFromJson(candidate.at("params"), file);
        if (!params.ok() || !matches(*params, wanted))
            continue;
        if (const auto metrics = candidate.find("metrics");
            metrics == candidate.end() || !metrics->is_object() || !metrics->contains(metric))
            continue;
        ++matching;
        point = &candidate;
        if (matching <= 4)
            points += (points.empty() ? "" : "; ") + candidate.at("params").dump();
    }
    if (matching != 1)
        return unknown(std::to_string(matching) + " points of " + experiment + " in the baseline " + file + " have " +
                           metric + (wanted.empty() ? "" : " at " + std::string(rest.substr(at + 1))),
                       matching == 0 ? "look at its points and metrics in assets/baselines/" + file + ".json"
                                     : "single one out, among " + points);
    const Json& value = point->at("metrics").at(metric);
    if (!value.is_object() || !value.contains("value") || !value.at("value").is_number())
        return unknown("the baseline " + file + " has no number for " + metric, "choose another metric");
    Claim claim;
    claim.value = value.at("value").get<double>();
    claim.unit = textAt(value, "unit");
    const auto source = baseline->find("source");
    const Json none = Json::object();
    const Json& from = source != baseline->end() && source->is_object() ? *source : none;
    claim.provenance = textAt(from, "kind") == "run" ? "measured" : "published";
    claim.source = textAt(*baseline, "machine") + ". " + textAt(from, "text");
    if (const std::string where = textAt(from, "where"); where.starts_with("https://"))
        claim.url = where;
    else if (!where.empty())
        claim.source += " (" + where + ")";
    if (const std::string validity = textAt(*point, "validity"); !validity.empty() && validity != "valid")
        claim.source += " This point: " + validity + ".";
    claim.date = textAt(*baseline, "date").substr(0, 10);
    claim.experiment = experiment;
    claim.at = wanted;
    return claim;
}

Result<const Claim*> NumberTables::find(std::string_view key) const
{
    const std::lock_guard lock(m_mutex);
    if (const auto found = m_found.find(key); found != m_found.end())
        return static_cast<const Claim*>(found->second.get());
    std::string_view plain = key;
    int digits = 0;
    if (const std::size_t bar = key.rfind('|'); bar != std::string_view::npos) {
        const std::string_view count = trimmed(key.substr(bar + 1));
        const auto read = std::from_chars(count.data(), count.data() + count.size(), digits);
        if (read.ec != std::errc() || read.ptr != count.data() + count.size() || digits < 1 || digits > 6)
            return unknown("'|" + std::string(count) + "' is no number of digits", "write 1 to 6, as |3");
        plain = trimmed(key.substr(0, bar));
    }
    Result<Claim> made = plain.starts_with(kChip)       ? chipNumber(plain.substr(kChip.size()))
                         : plain.starts_with(kBaseline) ? baselineNumber(plain.substr(kBaseline.size()))
                                                        : unknown("'" + std::string(key) + "' names no table", "");
    if (!made.ok())
        return made.error();
    if (m_found.size() >= kMostNumbers)
        return unknown("more numbers than a curriculum has were asked for", "");
    made->key = std::string(key);
    if (digits > 0) {
        const bool tera = made->unit == "GB/s" && std::abs(made->value) >= 1000;
        // A prefix is chosen first, and then the digits: 5.3e-6 s to two digits is 5.3 µs.
        const std::string full =
            tera ? formatQuantity(made->value / 1000, "TB/s") : formatQuantity(made->value, made->unit);
        const std::size_t blank = full.find_first_not_of("0123456789.,-+eE");
        const std::string unit = blank == std::string::npos ? "" : full.substr(blank);
        double shown = 0;
        const auto read = std::from_chars(full.data(), full.data() + full.size(), shown);
        const double scale =
            read.ec == std::errc() && shown != 0 ? std::round(std::log10(std::abs(made->value / shown))) : 0;
        made->text = digitsText(made->value / std::pow(10.0, scale), digits) + unit;
    }
    if (made->text.empty())
        made->text = claimText(*made);
    auto& kept = m_found[std::string(key)];
    kept = std::make_unique<Claim>(std::move(*made));
    return static_cast<const Claim*>(kept.get());
}

std::vector<std::string> NumberTables::measuredAt(const std::string& experiment, const ParamSet& at) const
{
    const std::lock_guard lock(m_mutex);
    std::vector<std::string> keys;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(m_assets / "baselines", error)) {
        const std::string id = entry.path().stem().string();
        const Json* baseline = entry.path().extension() == ".json" ? document("baselines/" + id + ".json") : nullptr;
        if (!baseline || !baseline->contains("source") || !baseline->at("source").is_object() ||
            textAt(baseline->at("source"), "kind") != "run" || !baseline->contains("experiments"))
            continue;
        const Json& experiments = baseline->at("experiments");
        const auto found = experiments.is_object() ? experiments.find(experiment) : experiments.end();
        if (found == experiments.end() || !found->is_object() || !found->contains("points"))
            continue;
        for (const Json& point : found->at("points"))
            if (point.is_object() && point.contains("params"))
                if (const Result<ParamSet> params = paramSetFromJson(point.at("params"), id);
                    params.ok() && matches(*params, at)) {
                    keys.push_back("baseline:" + id + "." + experiment);
                    break;
                }
    }
    std::sort(keys.begin(), keys.end());
    return keys;
}

Result<std::string> withNumbers(std::string_view formula, const Curriculum& curriculum)
{
    std::string out;
    for (const Piece& piece : scanInline(formula)) {
        if (piece.kind != PieceKind::Claim) {
            out.append(formula.substr(piece.begin, piece.end - piece.begin));
            continue;
        }
        const Claim* claim = curriculum.claim(piece.content);
        if (!claim)
            return unknown("there is no number '" + piece.content + "'",
                           "name a claim, a chip's or a baseline's number");
        std::array<char, 64> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), claim->value);
        out += "(" + std::string(digits.data(), end.ptr) + ")";
    }
    return out;
}

namespace {

/// Every formula of the block's body.
std::vector<std::string*> formulasOf(QuizBlock& quiz)
{
    std::vector<std::string*> list{&quiz.formula, &quiz.answer};
    for (Misconception& wrong : quiz.misconceptions)
        list.push_back(&wrong.formula);
    for (QuizBlock& other : quiz.again)
        for (std::string* formula : formulasOf(other))
            list.push_back(formula);
    return list;
}

std::vector<std::string*> formulasOf(PredictBlock& predict)
{
    std::vector<std::string*> list{&predict.estimate};
    for (Misconception& wrong : predict.misconceptions)
        list.push_back(&wrong.formula);
    return list;
}

} // namespace

Result<void> resolveNumbers(Lesson& lesson, const Curriculum& curriculum)
{
    for (Section& section : lesson.sections)
        for (Segment& segment : section.segments) {
            auto* block = std::get_if<Block>(&segment);
            if (!block)
                continue;
            std::vector<std::string*> formulas;
            if (auto* quiz = std::get_if<QuizBlock>(&block->body))
                formulas = formulasOf(*quiz);
            else if (auto* predict = std::get_if<PredictBlock>(&block->body))
                formulas = formulasOf(*predict);
            for (std::string* formula : formulas) {
                if (formula->find("{{") == std::string::npos)
                    continue;
                Result<std::string> resolved = withNumbers(*formula, curriculum);
                if (!resolved.ok()) {
                    Error error = resolved.error();
                    error.place = block->at.file + ":" + std::to_string(block->at.line);
                    return error;
                }
                *formula = std::move(*resolved);
            }
        }
    return {};
}

} // namespace ridge::lessons
