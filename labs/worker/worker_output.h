// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"

#include <chrono>
#include <mutex>

namespace ridge::labs {

/// The worker's event stream. Keeps the original standard output for events alone and sends everything else that is
/// printed in this process (a kernel's printf, a library's chatter) to standard error. Any thread.
class WorkerOutput {
public:
    WorkerOutput();
    void send(const Event& event);
    /// Repeats the last progress, so that a reader can tell slow from dead; before the first event, which waits for
    /// compilers, it says that the worker prepares. Nothing between a sample and its traces, which belong together on
    /// the wire, and nothing after the last event. Waits for a thread that is writing, as does a writer that hangs.
    void beat();
    /// Sends Failed unless a last event was sent already. Returns whether it was sent.
    bool failIfOpen(const Error& error);

private:
    void write(const std::string& bytes);
    std::mutex m_mutex;
    int m_descriptor = -1;
    bool m_closed = false;
    bool m_tracesMayFollow = false;
    ProgressEvent m_last{0, "preparing"};
};

} // namespace ridge::labs
