// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"

#include <QString>
#include <vector>

namespace ridge::app {

/// One line about a GPU: what it is called, what the driver says, what this means for the learner (may be empty).
struct GpuFact {
    QString name;
    QString value;
    QString meaning;
};

/// Driver, memory, power limit and counters out of what the worker tells of a GPU ("gpu" of a target,
/// docs/protocol.md). What is not told makes no line.
std::vector<GpuFact> gpuFacts(const Json& gpu);

/// Whether the driver keeps the GPU's counters from this user.
bool countersForbidden(const Json& gpu);

} // namespace ridge::app
