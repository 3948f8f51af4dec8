// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/load/load_report.h"

#include "base/csv.h"

#include <fmt/core.h>

#include <algorithm>

namespace ridge::serving {

std::string_view toText(LoadError error)
{
    switch (error) {
    case LoadError::Connect:
        return "connect";
    case LoadError::Status:
        return "status";
    case LoadError::Stalled:
        return "stalled";
    case LoadError::Malformed:
        return "malformed";
    case LoadError::ClosedEarly:
        return "closed_early";
    case LoadError::Timeout:
        return "timeout";
    case LoadError::NotSent:
        break;
    }
    return "not_sent";
}

bool countsWrongly(const LoadOutcome& outcome)
{
    const auto& told = outcome.answer.outputTokens;
    return told && (*told < outcome.answer.at.size() || *told > outcome.asked.output);
}

std::uint64_t outputTokensOf(const LoadOutcome& outcome)
{
    const auto& told = outcome.answer.outputTokens;
    return told && !countsWrongly(outcome) ? *told : outcome.answer.at.size();
}

LoadReport summarizeLoad(const std::vector<LoadOutcome>& outcomes)
{
    LoadReport out;
    std::vector<double> ttft, tpot, itl, e2e, late;
    for (const LoadOutcome& o : outcomes) {
        if (o.sent >= 0) {
            ++out.sent;
            late.push_back(o.sent - o.asked.arrival);
        }
        if (o.status != 0 && o.status != 200)
            ++out.statuses[o.status];
        if (o.error || o.answer.at.empty()) {
            if (o.error)
                ++out.errors[*o.error];
            continue;
        }
        ++out.answered;
        const std::vector<double>& at = o.answer.at;
        const std::uint64_t tokens = outputTokensOf(o);
        const bool wrong = countsWrongly(o);
        out.makespan = std::max(out.makespan, at.back());
        out.outputTokens += static_cast<double>(tokens);
        out.counted += o.answer.outputTokens && !wrong;
        out.promptsCounted += o.answer.promptTokens.has_value();
        out.wrong += wrong;
        out.shorter += tokens < o.asked.output;
        out.joined += tokens > at.size();
        ttft.push_back(at.front() - o.asked.arrival);
        e2e.push_back(at.back() - o.asked.arrival);
        if (tokens > 1 && at.size() > 1)
            tpot.push_back((at.back() - at.front()) / static_cast<double>(tokens - 1));
        for (std::size_t i = 1; i < at.size(); ++i)
            itl.push_back(at[i] - at[i - 1]);
    }
    out.ttft = spreadOf(ttft);
    out.tpot = spreadOf(tpot);
    out.itl = spreadOf(itl);
    out.e2e = spreadOf(e2e);
    out.late = spreadOf(late);
    return out;
}

std::vector<LoadMetric> metricsOf(const LoadReport& report)
{
    std::vector<LoadMetric> out;
    for (const auto& [name, spread] : {std::pair{"ttft", &report.ttft},
                                       {"tpot", &report.tpot},
                                       {"itl", &report.itl},
                                       {"e2e", &report.e2e},
                                       {"send_delay", &report.late}}) {
        if (spread->count == 0)
            continue;
        const std::string begin = name;
        out.push_back({begin + "_mean", "s", spread->mean});
        out.push_back({begin + "_p50", "s", spread->p50});
        out.push_back({begin + "_p90", "s", spread->p90});
        out.push_back({begin + "_p95", "s", spread->p95});
        out.push_back({begin + "_p99", "s", spread->p99});
    }
    if (report.answered > 0 && report.makespan > 0) {
        out.push_back({"makespan", "s", report.makespan});
        out.push_back({"throughput", "tokens/s", report.outputTokens / report.makespan});
        out.push_back({"request_rate", "requests/s", static_cast<double>(report.answered) / report.makespan});
    }
    return out;
}

std::vector<Request> requestsMet(const std::vector<LoadOutcome>& outcomes)
{
    std::vector<Request> out;
    for (const LoadOutcome& o : outcomes) {
        if (o.sent < 0)
            continue;
        Request r = o.asked;
        if (o.answer.promptTokens)
            r.prompt = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, *o.answer.promptTokens));
        if (!o.error)
            r.output = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, outputTokensOf(o)));
        out.push_back(r);
    }
    return out;
}

std::string traceText(const std::vector<Request>& requests)
{
    std::string out = "arrival,prompt,output\n";
    for (const Request& r : requests)
        out += fmt::format("{:.9f},{},{}\n", r.arrival, r.prompt, r.output);
    return out;
}

std::string outcomesText(const std::vector<LoadOutcome>& outcomes)
{
    std::string out = csvLine({"arrival_s", "sent_s", "first_s", "last_s", "pieces", "prompt_tokens", "output_tokens",
                               "finish", "status", "error", "message"});
    const auto time = [](double seconds) { return seconds < 0 ? std::string() : fmt::format("{:.6f}", seconds); };
    for (const LoadOutcome& o : outcomes) {
        const bool any = !o.answer.at.empty();
        out += csvLine({time(o.asked.arrival), time(o.sent), any ? time(o.answer.at.front()) : "",
                        any ? time(o.answer.at.back()) : "", std::to_string(o.answer.at.size()),
                        o.answer.promptTokens ? std::to_string(*o.answer.promptTokens) : "",
                        std::to_string(outputTokensOf(o)), csvText(o.answer.finish),
                        o.status ? std::to_string(o.status) : "", o.error ? std::string(toText(*o.error)) : "",
                        csvText(o.message)});
    }
    return out;
}

std::string promptText(std::uint32_t words, std::uint64_t seed)
{
    static constexpr std::array<std::string_view, 64> kWords{
        "time",  "year",   "people",  "way",     "day",     "man",      "thing",   "woman",      "life",   "child",
        "world", "school", "state",   "family",  "group",   "country",  "problem", "hand",       "part",   "place",
        "case",  "week",   "company", "system",  "program", "question", "work",    "government", "number", "night",
        "point", "home",   "water",   "room",    "mother",  "area",     "money",   "story",      "fact",   "month",
        "lot",   "right",  "study",   "book",    "eye",     "job",      "word",    "business",   "issue",  "side",
        "kind",  "head",   "house",   "service", "friend",  "father",   "power",   "hour",       "game",   "line",
        "end",   "member", "law",     "car"};
    Rng rng(seed);
    std::string out;
    out.reserve(words * std::size_t{6});
    for (std::uint32_t i = 0; i < words; ++i) {
        if (i > 0)
            out += ' ';
        out += kWords[rng.next() % kWords.size()];
    }
    return out;
}

} // namespace ridge::serving
