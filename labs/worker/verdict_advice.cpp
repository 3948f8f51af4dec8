// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/verdict_advice.h"

#include <utility>

namespace ridge::labs {
namespace {

/// By the words with which gpu/cuda/timing_statistics.h and host/ begin a part of a verdict.
constexpr std::pair<const char*, const char*> kAdvice[] = {
    {"on battery", "plug in the charger and run again: on battery a laptop lowers clocks and power"},
    {"contended", "end other programs that use what is measured (nvidia-smi lists those of a GPU) and run again"},
    {"throttled", "let the GPU cool, see that its fans are free, and raise its power limit if it has been lowered"},
    {"clock low", "let nothing lower the clock: nvidia-smi -q -d CLOCK,PERFORMANCE tells what does"},
    {"unsteady", "close other programs and run again, or take a larger size"},
    {"too few samples", "take a smaller size, or raise the limit with --seconds"}};

} // namespace

std::vector<std::string> adviceOn(const std::string& verdict)
{
    std::vector<std::string> advice;
    for (const auto& [part, remedy] : kAdvice)
        if (verdict.find(part) != std::string::npos)
            advice.push_back(std::string(part) + ": " + remedy);
    return advice;
}

} // namespace ridge::labs
