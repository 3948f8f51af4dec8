// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/block_widget.h"

class QToolButton;

namespace ridge::app {

/// A drawing of the module's figures/ folder with its caption; where the file is missing or broken, that is said in its
/// place, followed by what the figure would show. Its description opens at a button, takes the focus so that it is
/// read aloud, and closes with Escape.
class FigureBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    FigureBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void addDescription(const std::string& text);

    QToolButton* m_describe = nullptr;
    ProseView* m_description = nullptr;
};

} // namespace ridge::app
