// SPDX-License-Identifier: GPL-3.0-or-later
// The rules at the head of fusion.h, asked anew of all operators of two kernels whenever they might be joined: plain,
// and slow where graphs are large. scheduleGraph() keeps up to date what it knows of a kernel and must come to the
// same.
#pragma once

#include "workload/compile/fusion.h"

namespace ridge::test {

graphs::Schedule plainSchedule(const graphs::Graph& graph, const graphs::FusionRules& rules);

} // namespace ridge::test
