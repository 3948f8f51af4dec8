// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/reproduce.h"

#include "base/json.h"
#include "base/units.h"

#include <algorithm>
#include <cmath>

namespace ridge::record {

namespace {

const char* const kReproduced = "reproduced";
const char* const kNoise = "within noise";
const char* const kHardware = "different hardware";
const char* const kNot = "not reproduced";

/// Of a metric whose spread nobody wrote down.
constexpr double kUnknownNoise = 0.05;
/// Two processes lie at other addresses and find other clocks; the spread inside one of them does not show that.
constexpr double kLeastNoise = 0.01;
/// A ratio nearer to 1 says "no difference".
constexpr double kNoDifference = 0.05;
/// Two ratios further apart than this are different conclusions.
constexpr double kSameRatio = 1.5;

int rank(const std::string& verdict)
{
    const char* const order[] = {kReproduced, kNoise, kHardware, kNot};
    return int(std::find(std::begin(order), std::end(order), verdict) - std::begin(order));
}

Json partOf(const RunRow& run, const char* part)
{
    return run.fingerprint->is_object() ? run.fingerprint->value(part, Json()) : Json();
}

/// The fields that tell two pieces of hardware, or two simulated chips, apart.
Json hardwareOf(const RunRow& run)
{
    Json hardware = Json::object();
    const Json target = partOf(run, "target");
    if (!target.is_object())
        return hardware;
    for (const char* key : {"name", "compute_capability", "sm_count", "power_limit_w", "ecc", "chip", "timing", "model",
                            "processor", "processors", "machine"})
        if (target.contains(key))
            hardware[key] = target[key];
    // Of a processor it is the machine's, and a few MiB of it come and go with the firmware.
    if (target.contains("name") && target.contains("memory_bytes"))
        hardware["memory_bytes"] = target["memory_bytes"];
    return hardware;
}

/// Whatever may change a simulated number without the hardware being another.
Json versionOf(const RunRow& run)
{
    const Json target = partOf(run, "target");
    return Json{{"experiment", run.version},
                {"program", partOf(run, "app")},
                {"simulator", target.is_object() ? target.value("version", Json()) : Json()},
                {"machine", target.is_object() ? target.value("machine_sha256", Json()) : Json()},
                {"engine", target.is_object() ? target.value("engine_version", Json()) : Json()},
                {"kernels", partOf(run, "kernels")},
                {"seed", run.seed}};
}

bool isMeasured(const RunRow& run, const std::string& metric)
{
    return run.metrics.at(metric).provenance == Provenance::Measured;
}

std::optional<double> valueOf(const RunRow& run, const std::string& metric)
{
    const auto it = run.metrics.find(metric);
    return it == run.metrics.end() ? std::nullopt : std::optional<double>(it->second.value);
}

/// Share of the metric's value over which its samples were spread.
std::optional<double> spreadOf(const RunRow& run, const std::string& metric)
{
    const auto value = valueOf(run, metric);
    if (value && *value != 0) {
        if (const auto iqr = valueOf(run, metric + "_iqr"))
            return std::abs(*iqr / *value);
        const auto low = valueOf(run, metric + "_min"), high = valueOf(run, metric + "_p95");
        if (low && high)
            return std::abs((*high - *low) / *value);
    }
    // Rates and bandwidths are amounts by that time and spread as it does.
    return metric == "time" || !run.metrics.contains("time") ? std::nullopt : spreadOf(run, "time");
}

bool endsWithSpread(const std::string& metric)
{
    return metric.ends_with("_min") || metric.ends_with("_p95") || metric.ends_with("_iqr") ||
           metric.ends_with("_pairs");
}

bool isCircumstance(const std::string& metric)
{
    return endsWithSpread(metric) || metric == "sm_clock" || metric == "power" || metric.starts_with("stall_");
}

bool nothingMeasured(const RunRow& run)
{
    return std::none_of(run.metrics.begin(), run.metrics.end(),
                        [](const auto& item) { return item.second.provenance == Provenance::Measured; });
}

std::vector<std::string> comparedMetrics(const RunRow& before, const RunRow& now, const Headline& headline)
{
    const bool all = sameHardware(before, now) && nothingMeasured(before) && nothingMeasured(now);
    const auto named = headline.find(before.experiment);
    std::vector<std::string> metrics;
    for (const auto& [name, value] : before.metrics) {
        const bool wanted = all || (named != headline.end() && !named->second.empty() ? named->second.contains(name)
                                                                                      : !isCircumstance(name));
        if (wanted && now.metrics.contains(name))
            metrics.push_back(name);
    }
    return metrics;
}

ReproductionPair pairOf(const RunRow& before, const RunRow& now, const std::string& metric)
{
    const MetricValue& then = before.metrics.at(metric);
    ReproductionPair pair{before.id, now.id, metric, then.unit, then.value, now.metrics.at(metric).value, {}, kNot};
    if (pair.before != 0)
        pair.factor = pair.now / pair.before;
    if (pair.now == pair.before)
        pair.verdict = kReproduced;
    else if (!sameHardware(before, now))
        pair.verdict = kHardware;
    else if (std::abs(pair.now - pair.before) <= relativeNoise(before, now, metric) * std::abs(pair.before))
        pair.verdict = kNoise;
    return pair;
}

void note(std::vector<std::string>& notes, std::string text)
{
    if (std::find(notes.begin(), notes.end(), text) == notes.end())
        notes.push_back(std::move(text));
}

std::string plain(const Json& value)
{
    return value.is_null() ? "not known" : value.is_string() ? value.get<std::string>() : value.dump();
}

void noteDifferences(std::vector<std::string>& notes, const RunRow& before, const RunRow& now)
{
    const auto compare = [&](const std::string& what, const Json& then, const Json& today) {
        if (then != today)
            note(notes, what + ": " + plain(then) + " then, " + plain(today) + " now");
    };
    if (before.version != now.version)
        compare("version of the experiment " + before.experiment, before.version, now.version);
    compare("program", partOf(before, "app"), partOf(now, "app"));
    const Json hardware = hardwareOf(before), other = hardwareOf(now);
    for (const auto& [key, value] : hardware.items())
        compare(key, value, other.value(key, Json()));
    const Json then = partOf(before, "target"), today = partOf(now, "target");
    for (const char* key : {"version", "driver", "cuda", "engine_version", "machine_sha256"})
        if (then.is_object() && today.is_object() && (then.contains(key) || today.contains(key)))
            compare(std::string(key) == "version" ? "simulator" : key, then.value(key, Json()),
                    today.value(key, Json()));
    if (partOf(before, "kernels") != partOf(now, "kernels"))
        note(notes, "kernels of " + before.experiment + ": their source or compiler is another");
}

} // namespace

Headline headlineOf(const std::vector<PredictionRow>& predictions, std::span<const RepeatedRun> runs)
{
    Headline headline;
    for (const PredictionRow& prediction : predictions)
        headline[prediction.experiment].insert(prediction.metric);
    for (const RepeatedRun& run : runs)
        for (const auto& [metric, limit] : run.before.limits)
            headline[run.before.experiment].insert(metric);
    return headline;
}

double relativeNoise(const RunRow& before, const RunRow& now, const std::string& metric)
{
    if (!isMeasured(before, metric) && !isMeasured(now, metric))
        return versionOf(before) == versionOf(now) ? 0 : kUnknownNoise;
    const auto then = spreadOf(before, metric), today = spreadOf(now, metric);
    if (!then && !today)
        return kUnknownNoise;
    return std::max({then.value_or(0), today.value_or(0), kLeastNoise});
}

bool sameHardware(const RunRow& before, const RunRow& now)
{
    return hardwareOf(before) == hardwareOf(now);
}

Comparison compareRuns(std::span<const RepeatedRun> runs, const Headline& headline)
{
    Comparison result;
    for (const RepeatedRun& run : runs) {
        const std::size_t first = result.pairs.size();
        if (!run.now || run.now->status != "finished") {
            const std::string why = run.now && run.now->error ? run.now->error->message : "there was no result";
            note(result.notes, "a run of " + run.before.experiment + " failed: " + why);
        } else if (run.now->validity != "valid" && run.before.validity == "valid") {
            note(result.notes, "a run of " + run.before.experiment + " is not valid: " + run.now->validity);
        } else {
            noteDifferences(result.notes, run.before, *run.now);
            for (const std::string& metric : comparedMetrics(run.before, *run.now, headline))
                result.pairs.push_back(pairOf(run.before, *run.now, metric));
            if (result.pairs.size() == first)
                note(result.notes, "the runs of " + run.before.experiment + " have no metric in common");
        }
        if (result.pairs.size() == first)
            result.pairs.push_back({run.before.id, run.now ? run.now->id : "", "", "", 0, 0, {}, kNot});
    }
    result.verdict = result.pairs.empty() ? kNot : kReproduced;
    for (const ReproductionPair& pair : result.pairs)
        if (rank(pair.verdict) > rank(result.verdict))
            result.verdict = pair.verdict;
    return result;
}

std::optional<bool> sameRatios(std::span<const RepeatedRun> runs, const Headline& headline)
{
    std::optional<bool> same;
    std::map<std::pair<std::string, std::string>, std::pair<double, double>> first; // experiment, metric -> then, now
    const auto side = [](double ratio) { return std::abs(ratio - 1) <= kNoDifference ? 0 : ratio > 1 ? 1 : -1; };
    for (const RepeatedRun& run : runs) {
        if (!run.now || run.now->status != "finished")
            return false;
        const auto named = headline.find(run.before.experiment);
        for (const auto& [metric, then] : run.before.metrics) {
            const auto now = valueOf(*run.now, metric);
            const bool wanted = named != headline.end() && !named->second.empty() ? named->second.contains(metric)
                                                                                  : !isCircumstance(metric);
            if (!wanted || !now || then.value <= 0 || *now <= 0)
                continue;
            const auto base = first.try_emplace({run.before.experiment, metric}, then.value, *now);
            if (base.second)
                continue;
            const double before = then.value / base.first->second.first, today = *now / base.first->second.second;
            same = same.value_or(true) && side(before) == side(today) &&
                   std::max(before / today, today / before) < kSameRatio;
        }
    }
    return same;
}

} // namespace ridge::record

#include "moc_reproduce.cpp"
