// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/launch_view.h"
#include "tests/support/small_launch.h"

namespace ridge::app::testing {

using ridge::testing::smallLaunch;

inline SceneFrame launchFrame(const LaunchTrace& trace = smallLaunch())
{
    SceneFrame frame;
    frame.title = QStringLiteral("stride = 1");
    frame.payloads.put(std::make_shared<const LaunchView>(std::make_shared<const LaunchTrace>(trace)));
    return frame;
}

} // namespace ridge::app::testing
