// SPDX-License-Identifier: GPL-3.0-or-later
// Who asks a server for what, and when.
#pragma once

#include "base/result.h"
#include "base/seed.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::serving {

inline constexpr std::uint32_t kNoGroup = 0xffffffff;
inline constexpr std::size_t kMostRequests = std::size_t{1} << 22;
inline constexpr std::uint32_t kMostTokens = 1u << 22; ///< of a prompt, and of an output

struct Request {
    double arrival = 0;             ///< s, on a clock that begins at 0
    std::uint32_t prompt = 1;       ///< tokens, 1 or more
    std::uint32_t output = 1;       ///< tokens, 1 or more
    std::uint32_t group = kNoGroup; ///< requests of a group begin with the same tokens
    bool operator==(const Request&) const = default;
};

/// A trace as comma-separated values, a request a line: seconds, tokens of the prompt, tokens of the output. A first
/// line with names is passed over. In place of seconds a date and a time of day may be given, as Azure's public traces
/// have it; such times count from the first line on. Errors: "bad-trace" with the line and the fix, those of parseCsv.
Result<std::vector<Request>> parseTrace(std::string_view text, const std::string& file);

/// Poisson: intervals are exponential. Gamma: of coefficient of variation `cv`, above 1 in bursts.
enum class Arrivals { Poisson, Constant, Gamma };
/// Fixed: the mean. Exponential: rounded up, of that mean, `most` at most. Uniform: from `spread` times the mean to the
/// mean, as public load generators draw them. Conversation: the quantiles of a public trace, scaled to the mean.
enum class Lengths { Fixed, Exponential, Uniform, Conversation };

struct Workload {
    std::size_t requests = 1000;
    Arrivals arrivals = Arrivals::Poisson;
    double rate = 1; ///< requests a second; 0: all at once at time 0
    double cv = 1;
    Lengths lengths = Lengths::Fixed;
    double prompt = 1024, output = 128; ///< tokens; Conversation: 0 takes the trace's own mean
    double spread = 1;
    double most = 0;          ///< Exponential: tokens of a prompt, and of an output; longer ones do not exist. 0: any
    std::uint32_t groups = 0; ///< that requests are drawn from evenly; 0: none shares anything
};

/// The first request arrives one interval after 0.
std::vector<Request> makeRequests(const Workload& workload, Rng& rng);

/// Of Azure's conversation trace of 2023: tokens of prompts and outputs (Microsoft, AzurePublicDataset, CC-BY 4.0:
/// 19,366 requests in 3,502 s). Quantiles alone are here; what is drawn from them is generated.
double conversationPrompt(double share);
double conversationOutput(double share);
inline constexpr double kConversationPrompt = 1154.7, kConversationOutput = 211.1; ///< means
inline constexpr double kConversationRate = 5.53, kConversationCv = 1.09;

double exponential(Rng& rng, double mean);
/// Marsaglia and Tsang 2000, for every shape above 0.
double gammaDraw(Rng& rng, double shape, double scale);

} // namespace ridge::serving
