// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/interrupt_watch.h"

#include <unistd.h>

namespace ridge::cli {
namespace {

int signalPipe[2] = {-1, -1};

extern "C" void onInterrupt(int)
{
    const char byte = 1;
    // The only thing a handler may do here; a full pipe already says "interrupted".
    [[maybe_unused]] const ssize_t written = write(signalPipe[1], &byte, 1);
}

} // namespace

InterruptWatch::InterruptWatch(std::function<void()> interrupted)
{
    if (pipe(signalPipe) != 0)
        return;
    m_notifier = std::make_unique<QSocketNotifier>(signalPipe[0], QSocketNotifier::Read);
    QObject::connect(m_notifier.get(), &QSocketNotifier::activated, [interrupted = std::move(interrupted)] {
        char byte = 0;
        [[maybe_unused]] const ssize_t count = read(signalPipe[0], &byte, 1);
        interrupted();
    });
    struct sigaction action = {};
    action.sa_handler = onInterrupt;
    sigaction(SIGINT, &action, &m_oldInterrupt);
    sigaction(SIGTERM, &action, &m_oldTerminate);
}

InterruptWatch::~InterruptWatch()
{
    if (!m_notifier)
        return;
    sigaction(SIGINT, &m_oldInterrupt, nullptr);
    sigaction(SIGTERM, &m_oldTerminate, nullptr);
    m_notifier.reset();
    close(signalPipe[0]);
    close(signalPipe[1]);
}

} // namespace ridge::cli
