// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/worker_output.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace ridge::labs {

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
    const std::string bytes = encodeEvent(event);
    const std::lock_guard lock(m_mutex);
    if (m_closed)
        return;
    if (const auto* progress = std::get_if<ProgressEvent>(&event))
        m_last = *progress;
    const auto* trace = std::get_if<TraceEvent>(&event);
    m_tracesMayFollow = trace ? trace->more : std::holds_alternative<SampleEvent>(event);
    m_greeted = true;
    m_closed = std::holds_alternative<FinishedEvent>(event) || std::holds_alternative<FailedEvent>(event);
    write(bytes);
}

void WorkerOutput::beat()
{
    const std::lock_guard lock(m_mutex);
    if (m_greeted && !m_tracesMayFollow && !m_closed)
        write(encodeEvent(m_last));
}

bool WorkerOutput::failIfOpen(const Error& error)
{
    const std::string bytes = encodeEvent(FailedEvent{error});
    const std::lock_guard lock(m_mutex);
    if (m_closed)
        return false;
    m_closed = true;
    write(bytes);
    return true;
}

} // namespace ridge::labs
