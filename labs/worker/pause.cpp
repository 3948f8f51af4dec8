// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/pause.h"

#include <csignal>
#include <semaphore.h>

namespace ridge::labs {
namespace {

enum Answer : int { None, GoOn, EndThere };

std::atomic<int> answer{None};
static_assert(std::atomic<int>::is_always_lock_free, "set from a signal handler");

/// Of waking: what has happened is asked of the flags.
struct Bell {
    sem_t semaphore{};
    Bell() { sem_init(&semaphore, 0, 0); }
};
Bell bell;

extern "C" void onAnswer(int signal)
{
    answer.store(signal == SIGUSR1 ? GoOn : EndThere);
    wakeWaiting();
}

} // namespace

void listenForAnswers()
{
    struct sigaction action = {};
    action.sa_handler = onAnswer;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
    sigaction(SIGUSR2, &action, nullptr);
}

bool awaitAnswer(const std::atomic<bool>& cancelled, const std::function<void()>& announce)
{
    answer.store(None);
    announce();
    while (answer.load() == None && !cancelled.load())
        sem_wait(&bell.semaphore); // a signal ends it early, too
    return answer.load() == GoOn && !cancelled.load();
}

void wakeWaiting()
{
    sem_post(&bell.semaphore);
}

} // namespace ridge::labs
