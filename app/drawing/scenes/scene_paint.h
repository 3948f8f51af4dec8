// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"

class QImage;
class QPainter;

namespace ridge::app {

/// Geometry of the hatch, shared by painter and shader so that both draw the same picture.
inline constexpr double kHatchPeriod = 5, kHatchWidth = 0.8;

/// Text of a drawing; always by QPainter, over whatever drew the shapes.
void paintLabels(QPainter& painter, const SceneDrawing& drawing, const Theme& theme);

/// A dense map as a picture, a pixel a cell.
QImage rasterImage(const Raster& raster, const Theme& theme);

/// Shapes of a drawing without OpenGL.
void paintShapes(QPainter& painter, const SceneDrawing& drawing, const Theme& theme);

} // namespace ridge::app
