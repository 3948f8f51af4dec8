// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/gantt.h"
#include "base/schedule_trace.h"

namespace ridge::app {

/// What streams and engines did when: a lane for the calls of the CPU, where they have times, and one for each stream;
/// the kind of a span is what carried it out. Events are points in time and are left out.
GanttData ganttOf(const ScheduleTrace& trace, ChartOrigin origin);

} // namespace ridge::app
