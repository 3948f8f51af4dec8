// SPDX-License-Identifier: GPL-3.0-or-later
// Sends requests to an OpenAI-compatible server at times that no answer changes, and notes when its text comes.
#pragma once

#include "serving/load/load_report.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ridge::cli {

struct LoadEndpoint {
    std::string base; ///< as loadBase() gives it
    std::string key;  ///< goes along as a bearer token; empty: none. Never in a message of ours
};

/// "http://host:8000" and "http://host:8000/v1/" as "http://host:8000/v1". Errors: "bad-argument": no http or https, no
/// host, a name and password, a query.
Result<std::string> loadBase(const std::string& url);

/// Whether somebody on the way to another computer can read the key.
bool keyGoesOpen(const LoadEndpoint& endpoint);

/// The first model that the server names. Errors: "endpoint-unreachable" (no connection, an answer that is no list of
/// models, none within `seconds`).
Result<std::string> firstModel(const LoadEndpoint& endpoint, double seconds);

struct LoadPlan {
    LoadEndpoint endpoint;
    std::string model;
    std::vector<serving::Request> requests; ///< by arrival
    std::uint64_t seed = 1;                 ///< of the prompts' words
    bool chat = false;                      ///< /chat/completions in place of /completions
    bool usage = true;                      ///< ask the server to count tokens
    bool ignoreEos = false;                 ///< ask for answers of full length: vLLM and llama.cpp know it
    double timeout = 120;                   ///< s, from sending to the last piece
    double stall = 30;                      ///< s between two pieces
    std::size_t limit = 512;                ///< requests under way; a further one is not sent
};

struct LoadRun {
    std::chrono::steady_clock::time_point begin;
    std::vector<serving::LoadOutcome> outcomes; ///< by arrival; those that have ended
    bool cancelled = false;
};

/// Of one plan, once. A connection a request, without proxy, cookies and redirects; none is sent a second time.
class LoadClient {
public:
    explicit LoadClient(LoadPlan plan);
    ~LoadClient();
    LoadClient(const LoadClient&) = delete;
    LoadClient& operator=(const LoadClient&) = delete;

    /// Runs an event loop until every request has ended. `progress` gets how many have.
    LoadRun run(const std::function<void(std::size_t)>& progress);
    /// From within the event loop: run() comes back with what there is.
    void cancel();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::cli
