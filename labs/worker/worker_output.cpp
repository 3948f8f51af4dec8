// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/worker_output.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <unistd.h>

namespace ridge::labs {

namespace {

/// A compiler or a kernel's name may say more than a line of the protocol holds.
std::string shortened(const std::string& text)
{
    constexpr std::size_t kMost = 256u << 10;
    if (text.size() <= kMost)
        return text;
    return text.substr(0, kMost) + "… (" + std::to_string(text.size()) + " bytes)";
}

} // namespace

WorkerOutput::WorkerOutput()
{
    // No compiler that is started for a learner's text inherits the channel of the results.
    m_descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

void WorkerOutput::write(const std::string& bytes)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::write(m_descriptor, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR)
            continue;
        // Nobody reads any more: there is no one left to report to.
        if (count <= 0)
            _exit(3);
        done += static_cast<std::size_t>(count);
    }
}

void WorkerOutput::send(const Event& event)
{
    if (const auto* failed = std::get_if<FailedEvent>(&event)) {
        failIfOpen(failed->error);
        return;
    }
    const std::string bytes = encodeEvent(event);
    // A reader takes a longer line for another program's; raw bytes of a trace come behind its line.
    const auto* raw = std::get_if<TraceEvent>(&event);
    if (const std::size_t line = bytes.size() - (raw ? raw->bytes.size() : 0); line > EventReader::kMaxLine) {
        failIfOpen({"too-large",
                    "what is to be told has " + std::to_string(line) + " bytes, and at most " +
                        std::to_string(EventReader::kMaxLine) + " can be",
                    "", "shorten names and texts in the file, or ask for fewer points"});
        return;
    }
    const std::lock_guard lock(m_mutex);
    if (m_closed)
        return;
    if (const auto* progress = std::get_if<ProgressEvent>(&event))
        m_last = *progress;
    const auto* trace = std::get_if<TraceEvent>(&event);
    m_tracesMayFollow = trace ? trace->more : std::holds_alternative<SampleEvent>(event);
    m_closed = std::holds_alternative<FinishedEvent>(event);
    write(bytes);
}

void WorkerOutput::beat()
{
    const std::lock_guard lock(m_mutex);
    if (m_tracesMayFollow || m_closed)
        return;
    try {
        write(encodeEvent(m_last));
    } catch (const std::bad_alloc&) { // whoever uses the memory says so; a beat that is left out says nothing
    }
}

bool WorkerOutput::failIfOpen(const Error& error)
{
    const std::string bytes =
        encodeEvent(FailedEvent{{error.code, shortened(error.message), shortened(error.place), shortened(error.fix)}});
    const std::lock_guard lock(m_mutex);
    if (m_closed)
        return false;
    m_closed = true;
    write(bytes);
    return true;
}

} // namespace ridge::labs
