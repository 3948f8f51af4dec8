// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reader/blocks/explore_model.h"
#include "app/reader/blocks/view_blocks.h"

namespace ridge::app {

ExploreBlockWidget::ExploreBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Explore"), parent), m_explore(std::get<lessons::ExploreBlock>(block.body))
{
    const ExploreModel* model = exploreModel(m_explore.model);
    if (!model) {
        addLabel(tr("This version has no model “%1”. Update Ridgepoint.").arg(QString::fromStdString(m_explore.model)),
                 TextStyle::Body, "error");
        return;
    }
    header()->addWidget(provenanceBadge(theme(), Provenance::Modelled, this));
    std::vector<ParamSpec> specs;
    for (const std::string& name : m_explore.controls)
        for (const ParamSpec& spec : model->parameters)
            if (spec.name == name)
                specs.push_back(spec);
    m_form = new ParameterForm(theme(), specs, m_explore.set, "model", this);
    body()->addWidget(m_form);

    if (auto scene = makeScene(model->scene)) {
        m_view = new SceneView(theme(), std::move(scene), this);
        m_view->setMinimumHeight(380);
        body()->addWidget(m_view);
    }
    addCaption(m_explore.caption);
    connect(m_form, &ParameterForm::changed, this, &ExploreBlockWidget::refresh);
    refresh();
}

void ExploreBlockWidget::refresh()
{
    ParamSet params = m_explore.set;
    for (const auto& [name, value] : m_form->values())
        params[name] = value;

    if (!m_view)
        return;
    SceneState before = m_view->state();
    before.frame = before.request = 0;
    before.progress = 1;
    m_view->setFrames({explore(m_explore.model, params)});
    m_view->setState(before);
}

} // namespace ridge::app
