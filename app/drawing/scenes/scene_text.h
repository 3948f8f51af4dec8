// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"

namespace ridge::app {

/// "stride = 8: ", empty for a frame without a title: how every summary begins.
QString headText(const SceneFrame& frame);
/// 12345 as "12 345", with thin spaces.
QString groupedText(double value);
/// 2100000 B as "2.1 MB": decimal prefixes.
QString scaledText(double value, const QString& unit);
/// "37.5 %", without decimals where it has none; "–" of nothing.
QString percentText(double part, double whole);

} // namespace ridge::app
