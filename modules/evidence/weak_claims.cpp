// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/weak_claims.h"

#include "base/json.h"
#include "record/graded_kernel.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

namespace ridge::app {
namespace {

using Words = std::vector<std::string>;

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

bool isDigit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Bytes above ASCII belong to words: "µs", "×".
bool isWord(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80 || c == '%';
}

std::string section(const record::ArtifactRow& artifact, const char* name)
{
    const auto found = artifact.sections.find(name);
    return found == artifact.sections.end() ? std::string() : found->second;
}

/// What a reader takes as the report's own numbers.
std::string stated(const record::ArtifactRow& artifact)
{
    return artifact.title + "\n" + artifact.claim + "\n" + section(artifact, "result");
}

std::string everything(const record::ArtifactRow& artifact)
{
    std::string all = stated(artifact) + "\n" + artifact.question + "\n" + artifact.reflection;
    for (const auto& [name, text] : artifact.sections)
        all += "\n" + text;
    return lower(all);
}

/// A number of a text with the words beside it, in lower case.
struct Number {
    std::string text;
    std::string before; ///< the word in front of it
    std::string after;  ///< the word behind it, without what joins two numbers ("from 4 to 8 GB/s", "97 of 100 points")
    bool closed = false; ///< nothing, or a full stop, stands behind it
};

std::string wordAt(std::string_view text, std::size_t& at)
{
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
        ++at;
    const std::size_t from = at;
    while (at < text.size() && isWord(text[at]))
        ++at;
    return std::string(text.substr(from, at - from));
}

std::vector<Number> numbersOf(const std::string& source)
{
    static const std::set<std::string> joins = {"to", "and", "or", "of", "–", "—", "…", "through", "until"};
    const std::string text = lower(source);
    std::vector<Number> found;
    std::string before;
    for (std::size_t at = 0; at < text.size();) {
        if (isWord(text[at]) || text[at] == '_') {
            const std::size_t from = at;
            // A digit inside a word is part of a name: h100, fp16, sm_90, gpu:0.
            while (at < text.size() && (isWord(text[at]) || isDigit(text[at]) || text[at] == '_' || text[at] == '-' ||
                                        (text[at] == ':' && at + 1 < text.size() && isDigit(text[at + 1]))))
                ++at;
            before = text.substr(from, at - from);
            continue;
        }
        if (!isDigit(text[at])) {
            if (text[at] == '.' || text[at] == '\n')
                before.clear();
            ++at;
            continue;
        }
        const std::size_t from = at;
        while (at < text.size() && (isDigit(text[at]) ||
                                    ((text[at] == '.' || text[at] == ',' || text[at] == '^') && at + 1 < text.size() &&
                                     isDigit(text[at + 1])) ||
                                    (text[at] == 'e' && at + 1 < text.size() && isDigit(text[at + 1]))))
            ++at;
        Number number;
        number.text = text.substr(from, at - from);
        number.before = before;
        std::size_t next = at;
        number.after = wordAt(text, next);
        // The unit of a range stands behind its second number.
        const bool dash = number.after.empty() && next < text.size() && text[next] == '-';
        if (joins.contains(number.after) || dash) {
            std::size_t second = dash ? next + 1 : next;
            while (second < text.size() && text[second] == ' ')
                ++second;
            if (second < text.size() && isDigit(text[second])) {
                while (second < text.size() && (isDigit(text[second]) || text[second] == '.' || text[second] == ','))
                    ++second;
                number.after = wordAt(text, second);
            }
        }
        number.closed = number.after.empty();
        before = number.text;
        found.push_back(std::move(number));
    }
    return found;
}

/// Words that can stand behind a number without saying what it counts.
bool isFiller(const std::string& word)
{
    static const std::set<std::string> fillers = {
        "",    "at",   "in",  "for", "with", "on", "of",  "than", "when",  "is",     "are",    "was",    "were",
        "and", "or",   "to",  "but", "so",   "as", "by",  "from", "while", "where",  "which",  "that",   "because",
        "if",  "then", "the", "a",   "an",   "it", "its", "here", "not",   "faster", "slower", "better", "worse"};
    return fillers.contains(word);
}

bool isRatio(const Number& number)
{
    static const std::set<std::string> marks = {"x", "×", "times", "fold", "%", "percent", "x.", "faster", "slower"};
    return marks.contains(number.after) || number.after.starts_with("×") || number.after.starts_with("%");
}

/// A number that names a setting or a place and measures nothing: "stride 2", "level 3", "lesson 2.4", "size = 64".
bool isName(const Number& number, const std::set<std::string>& parameters)
{
    static const std::set<std::string> names = {"lesson", "level", "version", "figure", "table", "step",   "seed",
                                                "stride", "rank",  "run",     "rung",   "cuda",  "driver", "module",
                                                "line",   "case",  "phase",   "stage",  "batch", "warp",   "block"};
    return names.contains(number.before) || parameters.contains(number.before);
}

std::set<std::string> parameterWords(const ClaimBasis& basis)
{
    std::set<std::string> words;
    for (const record::RunRow& run : basis.runs)
        for (const auto& [name, value] : run.params) {
            words.insert(lower(name));
            if (const auto cut = name.rfind('_'); cut != std::string::npos)
                words.insert(lower(name.substr(cut + 1)));
        }
    return words;
}

bool mentions(const std::string& text, std::initializer_list<std::string_view> words)
{
    return std::any_of(words.begin(), words.end(),
                       [&text](std::string_view word) { return text.find(word) != std::string::npos; });
}

bool hasFigures(const record::ArtifactRow& artifact)
{
    return artifact.figures->is_array() && !artifact.figures->empty();
}

/// Different points, or targets, of one experiment stand beside each other.
bool comparesRuns(std::span<const record::RunRow> runs)
{
    std::map<std::string, std::set<std::string>> points;
    for (const record::RunRow& run : runs)
        if (run.status == "finished")
            points[run.experiment].insert(ridge::toJson(run.params).dump() + run.target);
    return std::any_of(points.begin(), points.end(), [](const auto& one) { return one.second.size() > 1; });
}

bool hasLimit(std::span<const record::RunRow> runs)
{
    return std::any_of(runs.begin(), runs.end(), [](const record::RunRow& run) { return !run.limits.empty(); });
}

/// "time_p95", "latency_iqr" and their like.
bool tellsSpread(const std::string& name)
{
    return mentions(lower(name), {"p50", "p90", "p95", "p99", "iqr", "median", "stddev", "deviation", "spread", "min",
                                  "dispersion", "percentile"});
}

bool isMeasured(const record::RunRow& run)
{
    return run.provenance == Provenance::Measured || run.provenance == Provenance::Recorded;
}

bool knowsMachine(const JsonValue& fingerprint)
{
    return fingerprint->is_object() && !fingerprint->empty();
}

} // namespace

std::vector<ClaimHint> weakClaims(const ClaimBasis& basis)
{
    const record::ArtifactRow& artifact = basis.artifact;
    const std::set<std::string> parameters = parameterWords(basis);
    std::vector<Number> numbers = numbersOf(stated(artifact));
    std::erase_if(numbers, [&](const Number& number) { return isName(number, parameters); });
    if (numbers.empty() && basis.runs.empty() && !hasFigures(artifact))
        return {};
    const std::string text = everything(artifact);
    std::vector<ClaimHint> hints;

    // A grading sets the kernel against the task's reference, launch after launch in turn; it has no runs to say so.
    const bool graded = record::isGradedKernel(artifact);
    const bool compares = graded || comparesRuns(basis.runs) || hasLimit(basis.runs) ||
                          mentions(text, {"baseline", "compared", "versus", " vs ", "against", "reference", "roof",
                                          "peak", "cublas", "upper bound", "lower bound", "data sheet", "datasheet"});
    if (!compares)
        hints.push_back({ClaimWeakness::NoBaseline, "Nothing says what this number is to be set against.",
                         "Add the run it is compared with, or name the baseline in the method.", "runs"});

    const auto bare = std::find_if(numbers.begin(), numbers.end(),
                                   [](const Number& number) { return !isRatio(number) && isFiller(number.after); });
    if (bare != numbers.end())
        hints.push_back({ClaimWeakness::NoUnits, "The number " + bare->text + " has no unit.",
                         "Write what it counts or measures behind it.", "claim"});

    const bool measured = std::any_of(basis.runs.begin(), basis.runs.end(), isMeasured) ||
                          (basis.runs.empty() && !graded && !numbers.empty());
    const bool spread =
        mentions(text, {"p50", "p90", "p95", "p99", "percentile", "median", "iqr", "deviation", "±", "+/-"}) ||
        std::any_of(basis.runs.begin(), basis.runs.end(),
                    [](const record::RunRow& run) {
                        return std::any_of(run.metrics.begin(), run.metrics.end(),
                                           [](const auto& metric) { return tellsSpread(metric.first); });
                    }) ||
        (artifact.figures->is_array() &&
         std::any_of(artifact.figures->begin(), artifact.figures->end(), [](const Json& figure) {
             return figure.is_object() && tellsSpread(figure.value("name", std::string()));
         }));
    if (measured && !spread)
        hints.push_back({ClaimWeakness::NoSpread, "A time that was measured once says nothing about the next time.",
                         "Give a median with its spread, or a percentile.", "result"});

    const bool environment = knowsMachine(artifact.fingerprint) ||
                             std::any_of(basis.runs.begin(), basis.runs.end(),
                                         [](const record::RunRow& run) { return knowsMachine(run.fingerprint); });
    if (!environment)
        hints.push_back({ClaimWeakness::NoEnvironment, "It does not say on what machine this holds.",
                         "Add a run, or name GPU, driver and clocks in the method.", "method"});

    std::vector<Number> claimed = numbersOf(artifact.claim + "\n" + section(artifact, "result"));
    std::erase_if(claimed, [&](const Number& number) { return isName(number, parameters); });
    const bool ratio = std::any_of(claimed.begin(), claimed.end(), isRatio);
    const bool absolute = std::any_of(claimed.begin(), claimed.end(),
                                      [](const Number& number) { return !isRatio(number) && !isFiller(number.after); });
    if (ratio && !absolute)
        hints.push_back({ClaimWeakness::OnlySpeedUp, "A ratio alone hides whether the slower side was any good.",
                         "Give both numbers with their unit beside the ratio.", "claim"});
    return hints;
}

std::vector<TrustRung> ladder(const ClaimBasis& basis)
{
    const record::ArtifactRow& artifact = basis.artifact;
    const bool finished = std::any_of(basis.runs.begin(), basis.runs.end(),
                                      [](const record::RunRow& run) { return run.status == "finished"; });
    // A graded kernel is graded again from its text.
    const bool graded = record::isGradedKernel(artifact);
    const bool written = !artifact.claim.empty() || !artifact.question.empty() || !artifact.reflection.empty();
    // A run names experiment, parameters, seed and target: `ridge run` repeats it.
    const bool raw = finished || graded || (hasFigures(artifact) && !artifact.files.empty());
    const bool interpreted = !artifact.reflection.empty() || !section(artifact, "result").empty() ||
                             !section(artifact, "bottleneck").empty();
    // Another store is another machine: its rows carry another origin.
    const bool elsewhere = std::any_of(
        basis.reproductions.begin(), basis.reproductions.end(), [&artifact](const record::ReproductionRow& row) {
            const bool other = artifact.origin.empty() ? row.by == "other" : row.origin != artifact.origin;
            return other && (row.verdict == "reproduced" || row.verdict == "within noise");
        });
    const auto lacking = [](bool met, const char* missing) { return met ? std::string() : std::string(missing); };
    return {
        {1, "Notes, a diagram or a log of commands",
         lacking(written || finished, "Write down what you asked or what you claim."), "question"},
        {2, "Working code, RTL or configuration",
         lacking(!artifact.code.empty() || finished || !artifact.files.empty(),
                 "Add the code, a run or the file that it is about."),
         "runs"},
        {3, "A specification that can be run again",
         lacking(finished || graded, "Add a finished run: its experiment, parameters, seed and target repeat it."),
         "runs"},
        {4, "Raw data with an interpretation",
         raw ? lacking(interpreted, "Say what the numbers mean: a result, a bottleneck or a reflection.")
             : std::string("Add the runs, or the file, that the numbers come from."),
         raw ? "result" : "runs"},
        {5, "A second run on another machine, or an imported bundle that reproduces",
         lacking(elsewhere, "Have it reproduced on another machine and merge what that machine stored."), "reproduce"},
    };
}

int supportedLevel(std::span<const TrustRung> rungs)
{
    int level = 0;
    for (const TrustRung& rung : rungs) {
        if (!rung.missing.empty())
            break;
        level = rung.level;
    }
    return level;
}

} // namespace ridge::app
