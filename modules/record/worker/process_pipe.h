// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QString>
#include <memory>

class QProcess;

namespace ridge::record {

/// The part of process control that is Linux's own. QProcess reads a child's output into memory as fast as the child
/// writes it; a pipe of our own is read only when somebody wants more, so a fast worker waits in write().
class ProcessPipe {
public:
    enum class State { Data, Empty, End };

    static Result<std::unique_ptr<ProcessPipe>> make();
    ~ProcessPipe();
    ProcessPipe(const ProcessPipe&) = delete;
    ProcessPipe& operator=(const ProcessPipe&) = delete;

    /// Makes the pipe the standard output of the process that will be started.
    void attachTo(QProcess& process);
    /// After the start: only the child holds the writing end from here on, so that its exit is seen as the end.
    void childHasIt();
    int readHandle() const { return m_read; }
    /// Never waits. Replaces `buffer` by what has arrived, at most `most` bytes.
    State read(std::string& buffer, std::size_t most);

private:
    ProcessPipe(int readEnd, int writeEnd) : m_read(readEnd), m_write(writeEnd) {}
    int m_read, m_write;
};

/// The process dies with the thread that starts it, however that ends, and leaves Ctrl-C to its parent. Call before
/// the start; attachTo includes it.
void dieWithParent(QProcess& process);

/// "SIGSEGV (invalid memory access)"
std::string signalName(int number);

} // namespace ridge::record
