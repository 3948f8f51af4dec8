// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/scene_keys.h"

namespace ridge::app {

SceneAct sceneAct(int key, Qt::KeyboardModifiers modifiers, bool timed)
{
    const bool shift = modifiers.testFlag(Qt::ShiftModifier);
    if (modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return SceneAct::None; // text size and other shortcuts of the window
    switch (key) {
    case Qt::Key_Left:
        return SceneAct::Left;
    case Qt::Key_Right:
        return SceneAct::Right;
    case Qt::Key_Up:
        return SceneAct::Up;
    case Qt::Key_Down:
        return SceneAct::Down;
    case Qt::Key_Home:
        return timed ? SceneAct::ZoomFit : SceneAct::First;
    case Qt::Key_End:
        return timed ? SceneAct::None : SceneAct::Last;
    case Qt::Key_Comma:
        return shift ? SceneAct::ScrubFarBack : SceneAct::ScrubBack;
    case Qt::Key_Period:
        return shift ? SceneAct::ScrubFarOn : SceneAct::ScrubOn;
    case Qt::Key_Less: // Shift and comma, where the layout has it there
        return SceneAct::ScrubFarBack;
    case Qt::Key_Greater:
        return SceneAct::ScrubFarOn;
    case Qt::Key_BracketLeft:
        return SceneAct::TrackBack;
    case Qt::Key_BracketRight:
        return SceneAct::TrackOn;
    case Qt::Key_PageUp:
        return SceneAct::FrameBack;
    case Qt::Key_PageDown:
        return SceneAct::FrameOn;
    case Qt::Key_F7:
        return shift ? SceneAct::StepBack : SceneAct::StepOn;
    case Qt::Key_Space:
        return SceneAct::PlayPause;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return SceneAct::ZoomIn;
    case Qt::Key_Minus:
        return SceneAct::ZoomOut;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return SceneAct::Tell;
    case Qt::Key_Escape:
        return SceneAct::Deselect;
    default:
        return SceneAct::None;
    }
}

} // namespace ridge::app
