// SPDX-License-Identifier: GPL-3.0-or-later
// What became of requests that were sent to a real server, in the words of the experiment "serving".
#pragma once

#include "serving/load/answer_stream.h"
#include "serving/requests.h"
#include "serving/summary.h"

#include <array>
#include <map>

namespace ridge::serving {

/// Why a request has no whole answer. NotSent: as many were under way as the guard allows.
enum class LoadError { Connect, Status, Stalled, Malformed, ClosedEarly, Timeout, NotSent };
inline constexpr std::array kLoadErrors{LoadError::Connect,   LoadError::Status,  LoadError::Stalled,
                                        LoadError::Malformed, LoadError::Timeout, LoadError::ClosedEarly,
                                        LoadError::NotSent};
std::string_view toText(LoadError error); ///< "connect", "closed_early" …

/// Times are s from the begin of the load; those of the answer, too.
struct LoadOutcome {
    Request asked;    ///< when it had to be sent, how long a prompt and an answer
    double sent = -1; ///< when it was; -1: never
    double ended = -1;
    StreamedAnswer answer;
    std::optional<LoadError> error;
    int status = 0;      ///< of HTTP; 0: there was no answer
    std::string message; ///< why there is an error
};

/// Tokens of the answer: as the server counts, unless that cannot be; else a token a piece of text.
std::uint64_t outputTokensOf(const LoadOutcome& outcome);
/// Whether the server's count cannot be: fewer tokens than pieces of text, or more than were asked for.
bool countsWrongly(const LoadOutcome& outcome);

struct LoadReport {
    Spread ttft; ///< from the arrival that was due to the first piece of text
    Spread tpot; ///< time after the first piece over the tokens but the first; answers of 2 tokens and more
    Spread itl;  ///< between two pieces of text of an answer
    Spread e2e;  ///< from the arrival that was due to the last piece
    Spread late; ///< from that arrival to the sending: this program's own delay, which TTFT and E2E contain
    std::size_t sent = 0, answered = 0;
    std::map<LoadError, std::size_t> errors;
    std::map<int, std::size_t> statuses; ///< of HTTP, other than 200
    double makespan = 0;                 ///< s, to the last piece of text
    double outputTokens = 0;             ///< of answers that are whole
    std::size_t counted = 0;             ///< answers whose tokens the server counted
    std::size_t promptsCounted = 0;
    std::size_t wrong = 0;   ///< answers whose count cannot be, and is not used
    std::size_t shorter = 0; ///< answers with fewer tokens than asked for
    std::size_t joined = 0;  ///< answers in which a piece of text held more than one token
};

LoadReport summarizeLoad(const std::vector<LoadOutcome>& outcomes);

struct LoadMetric {
    std::string name, unit;
    double value = 0;
};
/// Those that there are, by the names that the experiment gives them.
std::vector<LoadMetric> metricsOf(const LoadReport& report);

/// The requests that were sent as the server met them: its own counts where it told them, else what was asked for.
std::vector<Request> requestsMet(const std::vector<LoadOutcome>& outcomes);
/// Comma-separated, as parseTrace reads it.
std::string traceText(const std::vector<Request>& requests);
/// A request a line, with a first line of names.
std::string outcomesText(const std::vector<LoadOutcome>& outcomes);

/// A prompt of so many words, most of which are a token of most vocabularies. Two of different seeds differ from their
/// first words on, so that no server has the one in the cache of the other.
std::string promptText(std::uint32_t words, std::uint64_t seed);

} // namespace ridge::serving
