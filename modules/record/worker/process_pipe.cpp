// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/process_pipe.h"

#include <QProcess>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace ridge::record {

namespace {

/// Runs between fork and exec: only async-signal-safe calls.
void prepareChild(pid_t parent)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have died before prctl took effect.
    if (::getppid() != parent)
        ::_exit(127);
    ::signal(SIGINT, SIG_IGN);
}

} // namespace

Result<std::unique_ptr<ProcessPipe>> ProcessPipe::make()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return Error{"worker-missing",
                     std::string("No pipe to the worker can be made (") + std::strerror(errno) + ")",
                     {},
                     "Close some programs and try again"};
    ::fcntl(ends[0], F_SETFL, ::fcntl(ends[0], F_GETFL) | O_NONBLOCK);
    return std::unique_ptr<ProcessPipe>(new ProcessPipe(ends[0], ends[1]));
}

ProcessPipe::~ProcessPipe()
{
    childHasIt();
    ::close(m_read);
}

void ProcessPipe::attachTo(QProcess& process)
{
    // Qt would otherwise make a pipe of its own for an output that never comes.
    process.setStandardOutputFile(QProcess::nullDevice());
    process.setChildProcessModifier([end = m_write, parent = ::getpid()] {
        prepareChild(parent);
        ::dup2(end, STDOUT_FILENO);
    });
}

void ProcessPipe::childHasIt()
{
    if (m_write >= 0)
        ::close(m_write);
    m_write = -1;
}

ProcessPipe::State ProcessPipe::read(std::string& buffer, std::size_t most)
{
    buffer.resize(most);
    ssize_t got = 0;
    do {
        got = ::read(m_read, buffer.data(), most);
    } while (got < 0 && errno == EINTR);
    buffer.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (got > 0)
        return State::Data;
    return got < 0 && errno == EAGAIN ? State::Empty : State::End;
}

void dieWithParent(QProcess& process)
{
    process.setChildProcessModifier([parent = ::getpid()] { prepareChild(parent); });
}

std::string signalName(int number)
{
    switch (number) {
    case SIGSEGV:
        return "SIGSEGV (invalid memory access)";
    case SIGABRT:
        return "SIGABRT (it gave up on an internal error)";
    case SIGKILL:
        return "SIGKILL (by someone, or by the system because memory ran out)";
    case SIGTERM:
        return "SIGTERM (somebody asked it to stop)";
    case SIGFPE:
        return "SIGFPE (impossible arithmetic)";
    case SIGILL:
        return "SIGILL (an instruction this processor does not know)";
    case SIGBUS:
        return "SIGBUS (memory that is not there)";
    case SIGXCPU:
        return "SIGXCPU (its time limit)";
    case SIGPIPE:
        return "SIGPIPE (nobody reads its output any more)";
    default:
        return "signal " + std::to_string(number);
    }
}

} // namespace ridge::record
