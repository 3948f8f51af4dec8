// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/reader/block_widget.h"

namespace ridge::app {

/// A drawing of the module's figures/ folder with its caption; where the file is missing or broken, that is said in its
/// place, followed by what the figure would show.
class FigureBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    FigureBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
};

} // namespace ridge::app
