// SPDX-License-Identifier: GPL-3.0-or-later
// The answer of an OpenAI-compatible server as it streams: server-sent events, and when each piece of text came.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::serving {

struct StreamedAnswer {
    std::vector<double> at;                                  ///< s, of each event that brought text
    std::optional<std::uint64_t> promptTokens, outputTokens; ///< as the server counted them, where it tells
    std::string finish;                                      ///< why it ended ("stop", "length"); empty: it did not say
    bool done = false;                                       ///< the end was marked ("[DONE]")
};

/// Reads the body of one answer, cut anywhere. Of an event counts the time of the bytes that made it whole: a reader
/// could not have used it earlier. Lines end with LF, CRLF or CR; comments and unknown fields are passed over.
class AnswerStream {
public:
    /// A line longer than this is no token.
    static constexpr std::size_t kMostLine = 1 << 20;

    /// Takes bytes that came at `seconds`. What follows the mark of the end is passed over. Errors: "malformed" (no
    /// JSON, nothing that a completion is made of, a line without an end), "server-error" (the server says that it
    /// failed, in its words). After an error nothing more is taken.
    Result<void> feed(std::string_view bytes, double seconds);
    /// The connection has ended. Errors: "closed-early" (neither the mark of the end nor a reason for it came),
    /// "malformed" (it ended as it should and had no text at all).
    Result<void> finish() const;

    const StreamedAnswer& answer() const { return m_answer; }
    /// The first bytes, for a message.
    const std::string& beginning() const { return m_beginning; }

private:
    Result<void> endLine(double seconds);
    Result<void> endEvent(double seconds);
    Result<void> take(std::string_view data, double seconds);

    StreamedAnswer m_answer;
    std::string m_line, m_data, m_beginning;
    bool m_hasData = false, m_afterReturn = false, m_atStart = true;
    std::optional<Error> m_error;
};

} // namespace ridge::serving
