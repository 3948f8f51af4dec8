// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSocketNotifier>
#include <csignal>
#include <functional>
#include <memory>

namespace ridge::cli {

/// While it lives, Ctrl+C and SIGTERM call `interrupted` from the event loop instead of ending the process. One at a
/// time.
class InterruptWatch {
public:
    explicit InterruptWatch(std::function<void()> interrupted);
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

private:
    std::unique_ptr<QSocketNotifier> m_notifier;
    struct sigaction m_oldInterrupt = {}, m_oldTerminate = {};
};

} // namespace ridge::cli
