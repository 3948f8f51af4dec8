// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/guardian.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <thread>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

namespace ridge::labs {
namespace {

constexpr std::chrono::milliseconds kLook{50};

/// A descriptor that becomes readable when the process ends; -1 where the kernel has none (Linux before 5.3).
int descriptorOf(pid_t pid)
{
#ifdef SYS_pidfd_open
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
#else
    static_cast<void>(pid);
    errno = ENOSYS;
    return -1;
#endif
}

void waitForEnd(pid_t pid)
{
    const int descriptor = descriptorOf(pid);
    if (descriptor < 0 && errno == ESRCH)
        return;
    if (descriptor < 0) {
        while (::kill(pid, 0) == 0 || errno == EPERM)
            std::this_thread::sleep_for(kLook);
        return;
    }
    pollfd ended{descriptor, POLLIN, 0};
    while (::poll(&ended, 1, -1) < 0 && errno == EINTR) {
    }
}

} // namespace

bool endWith(const char* pid)
{
    char* end = nullptr;
    const long number = std::strtol(pid, &end, 10);
    if (end == pid || *end != '\0' || number <= 0)
        return false;
    std::thread([number] {
        waitForEnd(static_cast<pid_t>(number));
        ::kill(::getpid(), SIGKILL);
    }).detach();
    return true;
}

} // namespace ridge::labs
