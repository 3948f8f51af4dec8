// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/follow.h"

#include "base/json.h"
#include "base/limit_rules.h"
#include "labs/worker/run_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace ridge::labs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 25;
constexpr std::chrono::seconds kBeat{2};
/// How long the end of a run waits for the reader's "done" before it leaves the folder for another reader.
constexpr std::chrono::seconds kAckSeconds{20};
constexpr std::size_t kChunk = 64 << 10;
/// Of a frame that waits to be written; a reader that does not read makes this process wait and not grow.
constexpr std::size_t kBacklog = 256 << 10;
constexpr std::size_t kMaxRequest = 64 << 20;
constexpr std::size_t kErrorTail = 4096;

Error badFollow(const std::string& what)
{
    return {"bad-protocol", what, "follow", "use a ridge and a ridge-worker of the same version"};
}

/// Reads "<bytes>\n" and so many bytes. Empty where the input ended before: the link dropped on the way. Error: a
/// length that is none.
Result<std::string> readRequest()
{
    constexpr std::size_t kLongestHead = 12;
    std::string head;
    while (head.size() <= kLongestHead) {
        char c = 0;
        const ssize_t got = ::read(STDIN_FILENO, &c, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != 1)
            return std::string();
        if (c == '\n')
            break;
        head += c;
    }
    std::size_t bytes = 0;
    const auto [end, code] = std::from_chars(head.data(), head.data() + head.size(), bytes);
    if (code != std::errc() || end != head.data() + head.size() || bytes == 0 || bytes > kMaxRequest)
        return badFollow("the length in front of the request is no number from 1 to " + std::to_string(kMaxRequest));
    std::string request(bytes, '\0');
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got = ::read(STDIN_FILENO, request.data() + done, bytes - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return std::string();
        done += static_cast<std::size_t>(got);
    }
    return request;
}

class Follower {
public:
    Follower(RunFolder folder, std::uint64_t offset) : m_folder(std::move(folder)), m_offset(offset) {}
    int run();

private:
    bool gone() const { return m_gone; }
    void listen();
    void obey(const std::string& command);
    void write();
    void say(const std::string& text) { m_out += text; }
    void takeEvents();
    void end(const std::string& how);

    RunFolder m_folder;
    std::uint64_t m_offset = 0;
    std::string m_in, m_out;
    int m_events = -1;
    bool m_gone = false, m_ended = false, m_done = false;
};

int Follower::run()
{
    if (!m_folder.exists()) {
        say("gone\n");
        m_ended = true;
    } else if (m_folder.host() != hostName()) {
        say("elsewhere " + m_folder.host() + "\n");
        m_ended = true;
    } else {
        m_events = ::open(m_folder.file("events").c_str(), O_RDONLY | O_CLOEXEC);
        if (m_events < 0 || ::lseek(m_events, 0, SEEK_END) < static_cast<off_t>(m_offset)) {
            say("gone\n");
            m_ended = true;
        }
    }
    m_folder.touch();
    for (int each : {STDIN_FILENO, STDOUT_FILENO})
        ::fcntl(each, F_SETFL, ::fcntl(each, F_GETFL) | O_NONBLOCK);
    auto lastBeat = Clock::now();
    auto lastLook = Clock::now();
    std::optional<Clock::time_point> toldAll;
    while (!m_gone && !m_done) {
        if (!m_ended)
            takeEvents();
        const auto now = Clock::now();
        if (!m_ended && now - lastLook > std::chrono::seconds(1)) {
            lastLook = now;
            if (m_folder.lost())
                end("lost 0");
        }
        if (!m_ended && m_out.empty() && now - lastBeat > kBeat) {
            lastBeat = now;
            say("beat\n");
        }
        write();
        if (m_ended && m_out.empty()) {
            if (!toldAll)
                toldAll = now;
            if (now - *toldAll > kAckSeconds)
                return 0;
        }
        listen();
    }
    if (m_done)
        m_folder.remove();
    return m_done ? 0 : 3;
}

/// Waits for a command or for room to write, at most a moment: the events come from a file, which nothing waits for.
void Follower::listen()
{
    std::array<pollfd, 2> wait{
        {{STDIN_FILENO, POLLIN, 0}, {STDOUT_FILENO, static_cast<short>(m_out.empty() ? 0 : POLLOUT), 0}}};
    ::poll(wait.data(), wait.size(), m_out.size() >= kChunk ? 0 : kPollMs);
    if (wait[1].revents & (POLLERR | POLLHUP))
        m_gone = true;
    if (!(wait[0].revents & (POLLIN | POLLHUP | POLLERR)))
        return;
    std::array<char, 4096> bytes{};
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        m_gone = true;
    if (got > 0)
        m_in.append(bytes.data(), static_cast<std::size_t>(got));
    for (std::size_t line = m_in.find('\n'); line != std::string::npos; line = m_in.find('\n')) {
        obey(m_in.substr(0, line));
        m_in.erase(0, line + 1);
    }
}

void Follower::obey(const std::string& command)
{
    if (command == "beat")
        m_folder.touch();
    else if (command == "cancel") [[maybe_unused]]
        const auto written = writeFile(m_folder.file("cancel"), "");
    else if (command == "done")
        m_done = true;
}

void Follower::write()
{
    while (!m_out.empty()) {
        const ssize_t count = ::write(STDOUT_FILENO, m_out.data(), m_out.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            return;
        if (count <= 0) {
            m_gone = true;
            return;
        }
        m_out.erase(0, static_cast<std::size_t>(count));
    }
}

void Follower::takeEvents()
{
    if (m_out.size() > kBacklog)
        return;
    // Asked before reading: a run that has ended writes no more.
    const std::string how = m_folder.end();
    std::string chunk(kChunk, '\0');
    const ssize_t got = ::pread(m_events, chunk.data(), chunk.size(), static_cast<off_t>(m_offset));
    if (got > 0) {
        m_offset += static_cast<std::uint64_t>(got);
        say("data " + std::to_string(got) + "\n");
        m_out.append(chunk.data(), static_cast<std::size_t>(got));
        return;
    }
    if (!how.empty())
        end(how);
}

void Follower::end(const std::string& how)
{
    const auto errors = readFile(m_folder.file("errors"));
    const std::string tail =
        errors ? errors->substr(errors->size() > kErrorTail ? errors->size() - kErrorTail : 0) : std::string();
    say("end " + how + " " + std::to_string(tail.size()) + "\n" + tail);
    m_ended = true;
}

int refuse(const Error& error)
{
    const std::string text = toJson(error).dump(-1, ' ', false, Json::error_handler_t::replace);
    std::printf("refused %zu\n%s", text.size(), text.c_str());
    std::fflush(stdout);
    return 2;
}

} // namespace

int follow(const std::string& id, const std::string& offsetText, const std::string& secondsText)
{
    std::signal(SIGPIPE, SIG_IGN);
    std::int64_t offset = -1;
    if (const auto [end, code] = std::from_chars(offsetText.data(), offsetText.data() + offsetText.size(), offset);
        code != std::errc() || end != offsetText.data() + offsetText.size() || offset < 0)
        return refuse(badFollow("the offset is no whole number from 0"));
    double orphanSeconds = -1;
    if (const auto [end, code] =
            std::from_chars(secondsText.data(), secondsText.data() + secondsText.size(), orphanSeconds);
        code != std::errc() || end != secondsText.data() + secondsText.size() || !(orphanSeconds >= 0) ||
        orphanSeconds > kMostSeconds)
        return refuse(badFollow("the seconds without a reader are no number from 0 to 10000000"));
    const auto folder = RunFolder::of(id);
    if (!folder)
        return refuse(folder.error());
    const auto request = readRequest();
    if (!request)
        return refuse(request.error());
    if (request->empty())
        return 3;
    if (!folder->exists() && offset == 0) {
        sweepRunFolders();
        if (const auto started = folder->start(*request, orphanSeconds); !started)
            return refuse(started.error());
    }
    return Follower(*folder, static_cast<std::uint64_t>(offset)).run();
}

} // namespace ridge::labs
