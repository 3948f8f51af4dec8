// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/frame_reader.h"

#include "base/json.h"

#include <algorithm>
#include <sstream>

namespace ridge::record {

namespace {
constexpr std::size_t kMostLine = 1024;
constexpr std::size_t kMostText = 64 << 10;
} // namespace

Result<std::string> FrameReader::events(std::size_t most)
{
    for (;;) {
        if (m_left > 0) {
            const std::size_t count = std::min({m_left, most, m_buffer.size()});
            std::string taken = m_buffer.substr(0, count);
            m_buffer.erase(0, count);
            m_left -= count;
            return taken;
        }
        const auto more = next();
        if (!more)
            return more.error();
        if (!*more)
            return std::string();
    }
}

/// One line and, where it announces one, its text. False where more bytes are needed or nothing can follow.
Result<bool> FrameReader::next()
{
    if (m_end || m_gone || m_absent || m_refused || !m_elsewhere.empty())
        return false;
    const std::size_t line = m_buffer.find('\n');
    if (line == std::string::npos && m_buffer.size() <= kMostLine)
        return false;
    std::istringstream in(m_buffer.substr(0, std::min(line, kMostLine)));
    std::string kind, how;
    std::size_t bytes = 0;
    int number = 0;
    in >> kind;
    const bool known = kind == "data"  ? static_cast<bool>(in >> bytes)
                       : kind == "end" ? static_cast<bool>(in >> how >> number >> bytes) && bytes <= kMostText
                       : kind == "refused"
                           ? static_cast<bool>(in >> bytes) && bytes <= kMostText
                           : kind == "beat" || kind == "gone" || kind == "absent" || (kind == "elsewhere" && in >> how);
    if (line == std::string::npos || !known)
        return Error{"bad-protocol",
                     "what follows a run does not speak the language of this program",
                     {},
                     "use the ridge-worker of the same version"};
    const bool text = kind == "end" || kind == "refused";
    if (text && m_buffer.size() < line + 1 + bytes)
        return false;
    const std::string body = text ? m_buffer.substr(line + 1, bytes) : std::string();
    m_buffer.erase(0, line + 1 + body.size());
    if (kind == "data")
        m_left = bytes;
    else if (kind == "end")
        m_end = End{how, number, body};
    else if (kind == "refused") {
        const auto json = parseJson(body, "follow");
        m_refused = json ? errorFromJson(*json) : Error{"bad-protocol", body, {}, {}};
    } else if (kind == "elsewhere")
        m_elsewhere = how;
    m_gone = m_gone || kind == "gone";
    m_absent = m_absent || kind == "absent";
    return true;
}

} // namespace ridge::record
