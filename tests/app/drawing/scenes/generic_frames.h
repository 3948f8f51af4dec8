// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"
#include "tests/support/generic_traces.h"

namespace ridge::app::testing {

inline SceneFrame gridFrame(GridTrace trace)
{
    SceneFrame frame;
    frame.title = QStringLiteral("size = 64 KiB");
    frame.payloads.put(std::make_shared<const GridHistory>(std::make_shared<const GridTrace>(std::move(trace))));
    return frame;
}

inline SceneFrame lanesFrame(LaneTrace trace)
{
    SceneFrame frame;
    frame.title = QStringLiteral("policy = open");
    frame.payloads.put(std::make_shared<const LaneIndex>(std::make_shared<const LaneTrace>(std::move(trace))));
    return frame;
}

} // namespace ridge::app::testing
