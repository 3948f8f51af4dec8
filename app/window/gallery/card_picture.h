// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/gallery/gallery_cards.h"

class QPainter;
class QRectF;

namespace ridge::app {

/// The picture of a card. An experiment: the curve of its newest sweep, or, dashed and without numbers, the kind of
/// chart that it gives. A task: its drawing. A kernel: the shape of its text. `runs` may be null.
void paintCardPicture(QPainter& painter, const QRectF& place, const GalleryCard& card, const CardRuns* runs,
                      const Theme& theme);

} // namespace ridge::app
