// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge load`: requests to a server that is really there, and what the experiment "serving" says of the same.
#include "cli/commands.h"

#include "base/json.h"
#include "base/plain_file.h"
#include "base/units.h"
#include "cli/interrupt_watch.h"
#include "cli/load/load_client.h"
#include "cli/load_prediction.h"

#include <cstdio>

namespace ridge::cli {
namespace {

using namespace serving;

constexpr const char* kKeyVariable = "OPENAI_API_KEY";
constexpr std::size_t kRequests = 100;
constexpr std::uint64_t kMostTrace = std::uint64_t{512} << 20;
constexpr double kModelSeconds = 30;

Result<std::string> keyFromEnvironment()
{
    std::string key = qEnvironmentVariable(kKeyVariable).toStdString();
    for (const char c : key)
        if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) > '~')
            return Error{"bad-argument", "the key holds a blank or a character that no key has", kKeyVariable,
                         "set it to the key alone"};
    return key;
}

Result<std::vector<Request>> requestsOf(const LoadOptions& options)
{
    if (!options.trace.empty()) {
        const auto text = readFile(options.trace, kMostTrace);
        if (!text)
            return text.error();
        auto requests = parseTrace(*text, options.trace);
        if (requests && options.requests > 0 && options.requests < requests->size())
            requests->resize(options.requests);
        return requests;
    }
    Workload workload;
    workload.requests = options.requests > 0 ? options.requests : kRequests;
    workload.rate = options.rate;
    workload.prompt = options.prompt;
    workload.output = options.output;
    Rng rng(options.seed);
    return makeRequests(workload, rng);
}

struct Loaded {
    std::string base, model;
    LoadRun run;
    LoadReport report;
    std::vector<LoadMetric> metrics;
    std::optional<LoadPrediction> prediction;
    std::vector<std::string> notes;
};

std::string answers(std::size_t count)
{
    return counted(count, "answer", "answers");
}

/// What a reader has to know before they believe a figure.
std::vector<std::string> notesOf(const LoadReport& r)
{
    std::vector<std::string> notes;
    if (r.answered == 0)
        return notes;
    if (r.promptsCounted < r.answered)
        notes.push_back("of " + answers(r.answered - r.promptsCounted) +
                        " the server did not count the prompt: its length is in words");
    if (r.counted + r.wrong < r.answered)
        notes.push_back("of " + answers(r.answered - r.counted - r.wrong) +
                        " the server did not count the output: a piece of text counts as a token");
    if (r.wrong > 0)
        notes.push_back("of " + answers(r.wrong) +
                        " the server's count of tokens is below the pieces of text or above what was asked for: it is "
                        "not used");
    if (r.joined > 0)
        notes.push_back("in " + answers(r.joined) +
                        " a piece of text held several tokens: itl is the time between pieces there");
    if (r.shorter > 0)
        notes.push_back(answers(r.shorter) +
                        " ended before the length asked for; --ignore-eos asks vLLM and llama.cpp not to");
    if (const auto held = r.errors.find(LoadError::NotSent); held != r.errors.end())
        notes.push_back(counted(held->second, "request was", "requests were") +
                        " not sent, since as many as --concurrency-limit allows were under way: the server got less "
                        "than the rate asked for");
    return notes;
}

std::optional<double> predicted(const Loaded& loaded, const std::string& name)
{
    if (!loaded.prediction)
        return {};
    const auto found = loaded.prediction->metrics.find(name);
    return found == loaded.prediction->metrics.end() ? std::nullopt : std::optional(found->second.value);
}

const LoadOutcome* firstFailure(const Loaded& loaded, LoadError error)
{
    const auto found = std::ranges::find_if(loaded.run.outcomes, [&](const auto& o) { return o.error == error; });
    return found == loaded.run.outcomes.end() ? nullptr : &*found;
}

Json toJson(const LoadOptions& options, const Loaded& loaded)
{
    const LoadReport& r = loaded.report;
    std::map<std::string, MetricValue> metrics;
    for (const LoadMetric& metric : loaded.metrics)
        metrics[metric.name] = {metric.value, metric.unit, Provenance::Measured};
    Json errors = Json::object(), first = Json::object(), statuses = Json::object();
    for (const LoadError error : kLoadErrors) {
        const auto count = r.errors.find(error);
        errors[std::string(toText(error))] = count == r.errors.end() ? 0 : count->second;
        if (const LoadOutcome* failure = firstFailure(loaded, error))
            first[std::string(toText(error))] = failure->message;
    }
    for (const auto& [status, count] : r.statuses)
        statuses[std::to_string(status)] = count;
    Json asked{{"prompt", options.prompt}, {"output", options.output}, {"seed", options.seed}};
    if (options.trace.empty())
        asked["rate"] = options.rate;
    else
        asked = Json{{"trace", options.trace}};
    asked["requests"] = loaded.run.outcomes.size();
    asked["timeout"] = options.timeout;
    asked["stall"] = options.stall;
    asked["concurrency_limit"] = options.limit;
    Json json{{"url", loaded.base},
              {"endpoint", options.chat ? "/chat/completions" : "/completions"},
              {"model", loaded.model},
              {"provenance", toText(Provenance::Measured)},
              {"asked", asked},
              {"sent", r.sent},
              {"answered", r.answered},
              {"errors", errors},
              {"first_errors", first},
              {"http_statuses", statuses},
              {"metrics", metricsToJson(metrics)},
              {"notes", loaded.notes},
              {"cancelled", loaded.run.cancelled}};
    if (loaded.prediction) {
        Json ratios = Json::object();
        for (const LoadMetric& metric : loaded.metrics)
            if (const auto other = predicted(loaded, metric.name); other && *other > 0)
                ratios[metric.name] = metric.value / *other;
        json["prediction"] = {{"experiment", "serving"},
                              {"params", ridge::toJson(loaded.prediction->params)},
                              {"metrics", metricsToJson(loaded.prediction->metrics)},
                              {"measured_over_predicted", ratios}};
    }
    return json;
}

void print(const Loaded& loaded)
{
    const LoadReport& r = loaded.report;
    std::printf("%s on %s: %s sent, %zu answered, %s\n\n", plain(loaded.model).c_str(), plain(loaded.base).c_str(),
                counted(r.sent, "request", "requests").c_str(), r.answered,
                std::string(toText(Provenance::Measured)).c_str());
    std::vector<std::string> header{"METRIC", "MEASURED"};
    if (loaded.prediction)
        header.insert(header.end(), {"MODELLED", "MEASURED / MODELLED"});
    std::vector<std::vector<std::string>> rows;
    for (const LoadMetric& metric : loaded.metrics) {
        std::vector<std::string> row{metric.name, formatQuantity(metric.value, metric.unit)};
        if (loaded.prediction) {
            const auto other = predicted(loaded, metric.name);
            row.push_back(other ? formatQuantity(*other, metric.unit) : "–");
            row.push_back(other && *other > 0 ? formatQuantity(metric.value / *other, "×") : "–");
        }
        rows.push_back(std::move(row));
    }
    if (!rows.empty())
        std::printf("%s\n", table(header, rows).c_str());
    for (const auto& [error, count] : r.errors)
        std::printf("  %s: %s; the first: %s\n", std::string(toText(error)).c_str(),
                    counted(count, "request", "requests").c_str(), plain(firstFailure(loaded, error)->message).c_str());
    for (const std::string& note : loaded.notes)
        std::printf("  %s\n", note.c_str());
}

LoadRun sendAll(LoadPlan plan)
{
    ProgressBar bar(true);
    const double all = static_cast<double>(plan.requests.size());
    LoadClient client(std::move(plan));
    const InterruptWatch interrupts([&] { client.cancel(); });
    return client.run([&](std::size_t ended) {
        bar.show(static_cast<double>(ended) / all, counted(ended, "request has", "requests have") + " ended");
    });
}

ExitCode exitCodeOf(const Loaded& loaded)
{
    if (loaded.run.cancelled)
        return Cancelled;
    const auto connect = loaded.report.errors.find(LoadError::Connect);
    if (connect != loaded.report.errors.end() && connect->second == loaded.run.outcomes.size())
        return Unavailable;
    return loaded.report.errors.empty() ? Done : Failed;
}

} // namespace

int loadCommand(const LoadOptions& options)
{
    const auto base = loadBase(options.url);
    if (!base)
        return report(base.error());
    const auto key = keyFromEnvironment();
    if (!key)
        return report(key.error());
    auto requests = requestsOf(options);
    if (!requests)
        return report(requests.error());
    if (!options.requestsOut.empty())
        if (const auto can = canWrite(options.requestsOut); !can)
            return report(can.error());
    ParamSet setting;
    if (!options.against.empty()) {
        const auto read = readPredictionSetting(options.against);
        if (!read)
            return report(read.error());
        setting = *read;
    }
    const LoadEndpoint endpoint{*base, *key};
    if (keyGoesOpen(endpoint))
        tell(std::string("the key of ") + kKeyVariable + " goes to " + plain(endpoint.base) + " unencrypted");
    Loaded loaded{*base, options.model, {}, {}, {}, {}, {}};
    if (loaded.model.empty()) {
        const auto model = firstModel(endpoint, std::min(options.timeout, kModelSeconds));
        if (!model)
            return report(model.error());
        loaded.model = *model;
    }
    loaded.run = sendAll({endpoint, loaded.model, std::move(*requests), options.seed, options.chat, !options.noUsage,
                          options.ignoreEos, options.timeout, options.stall, options.limit});
    loaded.report = summarizeLoad(loaded.run.outcomes);
    loaded.metrics = metricsOf(loaded.report);
    loaded.notes = notesOf(loaded.report);
    if (!options.requestsOut.empty())
        if (const auto written = writeFile(options.requestsOut, outcomesText(loaded.run.outcomes)); !written)
            return report(written.error());
    int code = exitCodeOf(loaded);
    if (!options.against.empty() && loaded.report.answered > 0 && !loaded.run.cancelled) {
        auto prediction = predictLoad(setting, requestsMet(loaded.run.outcomes), options.seed);
        if (prediction)
            loaded.prediction = std::move(*prediction);
        else
            code = report(prediction.error()); // what was measured is shown all the same
    }
    if (options.json)
        printJson(toJson(options, loaded));
    else
        print(loaded);
    return code;
}

} // namespace ridge::cli
