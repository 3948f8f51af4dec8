// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/figure_block.h"

#include "app/lesson/reader/error_card.h"
#include "app/lesson/reader/figure_view.h"
#include "base/json.h"

#include <QKeyEvent>
#include <QToolButton>

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
    addDescription(figure.description);
}

void FigureBlockWidget::addDescription(const std::string& text)
{
    if (text.empty())
        return;
    m_description = addText(text, ProseLook::Card);
    m_description->setObjectName(QStringLiteral("description"));
    m_description->setFocusPolicy(Qt::StrongFocus); // what is read aloud is what has the focus
    m_description->hide();
    m_describe = new QToolButton(this);
    m_describe->setText(tr("Description"));
    m_describe->setProperty("outlined", true);
    m_describe->setFocusPolicy(Qt::StrongFocus);
    m_describe->setObjectName(QStringLiteral("describe"));
    m_describe->setAccessibleName(tr("Description of the figure"));
    m_describe->setToolTip(tr("All that can be seen in it, in words"));
    m_describe->setCheckable(true);
    header()->addWidget(m_describe);
    connect(m_describe, &QToolButton::toggled, this, [this](bool on) {
        m_description->setVisible(on);
        if (on)
            m_description->setFocus(Qt::OtherFocusReason);
    });
}

void FigureBlockWidget::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_description && m_description->hasFocus()) {
        m_describe->setFocus(Qt::OtherFocusReason);
        m_describe->setChecked(false);
        return;
    }
    BlockWidget::keyPressEvent(event);
}

} // namespace ridge::app

#include "moc_figure_block.cpp"
