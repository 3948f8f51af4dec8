// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/request_text.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace ridge::labs {
namespace {

/// Holds back what asks for an end. Without it one that comes between looking at the flag and waiting would be lost.
class HeldBack {
public:
    HeldBack()
    {
        sigset_t ends;
        sigemptyset(&ends);
        sigaddset(&ends, SIGTERM);
        sigaddset(&ends, SIGINT);
        sigprocmask(SIG_BLOCK, &ends, &m_before);
    }
    ~HeldBack() { sigprocmask(SIG_SETMASK, &m_before, nullptr); }
    HeldBack(const HeldBack&) = delete;
    HeldBack& operator=(const HeldBack&) = delete;
    const sigset_t& before() const { return m_before; }

private:
    sigset_t m_before{};
};

Error unreadable()
{
    return {"unreadable", std::string("the request could not be read: ") + std::strerror(errno), "standard input",
            "give one JSON request on standard input"};
}

} // namespace

Result<std::string> readRequestText(int descriptor, const std::atomic<bool>& cancelled)
{
    const HeldBack held;
    std::string text;
    std::array<char, 16384> buffer;
    for (;;) {
        pollfd source{descriptor, POLLIN, 0};
        const int ready = ::ppoll(&source, 1, nullptr, &held.before());
        if (cancelled.load())
            return Error{"cancelled", "the run was cancelled before all of it was asked for", "standard input", ""};
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0)
            return unreadable();
        const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got < 0)
            return unreadable();
        if (got == 0)
            return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

} // namespace ridge::labs
