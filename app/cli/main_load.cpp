// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/main_load.h"

#include "base/number_text.h"
#include "cli/main_class.h"

#include <CLI/CLI.hpp>

using namespace ridge::cli;

namespace {

/// CLI11 would take "nan" and what is too large.
std::string positiveProblem(const std::string& text, double most, const std::string& what)
{
    const auto value = ridge::numberIn(text);
    return value && *value > 0 && *value <= most
               ? std::string()
               : "'" + text + "' is no " + what + " above 0 and up to " + ridge::shortText(most, 9);
}

} // namespace

CLI::App* addLoad(CLI::App& app, LoadOptions& options)
{
    auto* load = app.add_subcommand(
        "load", "Send requests to an OpenAI-compatible server at a rate, and measure TTFT, TPOT and ITL");
    load->add_option("url", options.url, "The server: http://localhost:8000. Nothing is sent anywhere else")
        ->required()
        ->check(presentProblem);
    auto* rate =
        load->add_option("--rate", options.rate, "Requests a second, at random times (Poisson) that no answer delays")
            ->check([](const std::string& text) { return positiveProblem(text, 1e5, "rate"); });
    auto* trace = load->add_option("--trace", options.trace,
                                   "Arrivals and lengths from a CSV file in place of --rate: seconds, tokens of the "
                                   "prompt, tokens of the output")
                      ->check(presentProblem)
                      ->excludes(rate);
    load->add_option("--requests", options.requests, "How many (default 100, or all of the trace)")
        ->check(countProblem)
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 22));
    for (auto [name, value, help] :
         {std::tuple{"--prompt", &options.prompt,
                     "Words of a prompt; most are a token, and what counts is the server's count"},
          {"--output", &options.output, "Tokens asked for (max_tokens)"}})
        load->add_option(name, *value, help)
            ->check(countProblem)
            ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{1} << 22))
            ->capture_default_str()
            ->excludes(trace);
    load->add_flag("--chat", options.chat, "/v1/chat/completions in place of /v1/completions");
    load->add_option("--model", options.model, "Name of the model; default: the first of /v1/models")
        ->check(presentProblem);
    load->add_option("--seed", options.seed, "Of the arrivals and of the prompts' words")
        ->capture_default_str()
        ->check(seedProblem);
    for (auto [name, value, help] :
         {std::tuple{"--timeout", &options.timeout, "Seconds that a request may take in all"},
          {"--stall", &options.stall, "Seconds that may pass between two pieces of an answer"}})
        load->add_option(name, *value, help)->capture_default_str()->check([](const std::string& text) {
            return positiveProblem(text, 1e7, "number of seconds");
        });
    load->add_option("--concurrency-limit", options.limit,
                     "Requests under way at most; one that comes then is not sent, and that is told")
        ->check(countProblem)
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{4096}))
        ->capture_default_str();
    load->add_flag("--ignore-eos", options.ignoreEos, "Ask for answers of full length, as vLLM and llama.cpp can");
    load->add_flag("--no-usage", options.noUsage,
                   "Do not ask the server to count tokens, for one that refuses stream_options");
    load->add_option("--against", options.against,
                     "Settings of the experiment serving, chip=h100-sxm,tp=1: what it says of the same requests")
        ->check(presentProblem);
    load->add_option("--requests-out", options.requestsOut, "Write a line a request into this CSV file")
        ->check(presentProblem);
    load->add_flag("--json", options.json, "Print one JSON document");
    load->callback([rate, trace] {
        if (rate->empty() && trace->empty())
            throw CLI::RequiredError("--rate or --trace");
    });
    load->footer("A key for the server is taken from the environment variable OPENAI_API_KEY alone.");
    return load;
}
