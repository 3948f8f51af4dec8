// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reader/blocks/figure_block.h"

#include "app/reader/error_card.h"
#include "app/reader/figure.h"
#include "base/json.h"

namespace ridge::app {

FigureBlockWidget::FigureBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Figure"), parent)
{
    const auto& figure = std::get<lessons::FigureBlock>(block.body);
    const std::filesystem::path below = std::filesystem::path(block.at.file).parent_path() / "figures" / figure.file;
    const auto bytes = readFile(app().curriculum().root / below);
    FigureView* view = nullptr;
    std::optional<Error> error;
    if (!bytes) {
        error = Error{"missing-figure", "The drawing of this figure is missing.", below.string(),
                      "Put the SVG there, or correct 'file' of the block."};
    } else {
        view = new FigureView(theme(), QByteArray::fromStdString(*bytes), below.string(),
                              QString::fromStdString(figure.alt), this);
        error = view->error();
    }
    if (error) {
        delete view;
        auto* card = new ErrorCard(theme(), this);
        card->showError(*error, false);
        body()->addWidget(card);
        addLabel(QString::fromStdString(figure.alt), TextStyle::Body, "muted");
    } else {
        setAccessibleDescription(QString::fromStdString(figure.alt));
        body()->addWidget(view);
    }
    addCaption(figure.caption);
}

} // namespace ridge::app
