// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ridge::record {

/// Reads what `ridge-worker follow` writes (docs/protocol.md): frames of events and of what became of the run.
class FrameReader {
public:
    void feed(std::string_view bytes) { m_buffer += bytes; }
    /// The next bytes of events, at most `most`; empty where none are here. What else is read is kept below.
    /// Errors: "bad-protocol".
    Result<std::string> events(std::size_t most);

    struct End {
        std::string how;    ///< "exit", "signal", "orphan", "lost"
        int number = 0;     ///< exit status or signal
        std::string errors; ///< the end of the worker's standard error
    };
    const std::optional<End>& end() const { return m_end; }
    bool gone() const { return m_gone; }                              ///< nothing is known of the run there
    const std::string& elsewhere() const { return m_elsewhere; }      ///< the machine that knows it
    const std::optional<Error>& refused() const { return m_refused; } ///< why it was not started
    bool absent() const { return m_absent; }                          ///< there is no such worker

private:
    Result<bool> next();
    std::string m_buffer;
    std::size_t m_left = 0; ///< bytes of the data frame under way
    std::optional<End> m_end;
    std::optional<Error> m_refused;
    std::string m_elsewhere;
    bool m_gone = false, m_absent = false;
};

} // namespace ridge::record
