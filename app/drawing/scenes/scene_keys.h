// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Qt>

namespace ridge::app {

/// What a key means in every scene.
enum class SceneAct {
    None,
    Left,
    Right,
    Up,
    Down,
    First,
    Last,
    ScrubBack,
    ScrubOn,
    ScrubFarBack,
    ScrubFarOn,
    TrackBack,
    TrackOn,
    FrameBack,
    FrameOn,
    StepBack,
    StepOn,
    PlayPause,
    ZoomIn,
    ZoomOut,
    ZoomFit,
    Tell,
    Deselect
};

/// `timed`: the scene has a time axis (Home fits it, arrows still move).
SceneAct sceneAct(int key, Qt::KeyboardModifiers modifiers, bool timed);

} // namespace ridge::app
