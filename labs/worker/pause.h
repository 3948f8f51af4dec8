// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <functional>

namespace ridge::labs {

/// From now on SIGUSR1 ("go on") and SIGUSR2 ("end there") are answers to a PausedEvent and end nothing.
void listenForAnswers();

/// Waits for an answer that comes after `announce`, which tells that one is wanted. True: go on. False: end there, or
/// `cancelled` is set, which wakeWaiting() has to follow.
bool awaitAnswer(const std::atomic<bool>& cancelled, const std::function<void()>& announce);

/// May be called by a signal handler.
void wakeWaiting();

} // namespace ridge::labs
