// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/plot_chart.h"
#include "app/lesson/reader/blocks/explore_model.h"
#include "app/lesson/reader/blocks/view_blocks.h"
#include "app/theme/announce.h"
#include "app/ui/parameter_history.h"
#include "base/target_choice.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <cmath>

namespace ridge::app {

namespace {

constexpr double kKeyStep = 0.25; ///< octaves that an arrow key moves the point of a figure
constexpr int kDragReach = 3;     ///< px below which a press is a click on a point, not a drag

/// Three significant digits, so that the field beside a slider shows what a person would type.
double rounded(double value)
{
    const double size = std::pow(10, std::floor(std::log10(value)) - 2);
    return std::round(value / size) * size;
}

} // namespace

ExploreBlockWidget::ExploreBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Explore"), parent), m_explore(std::get<lessons::ExploreBlock>(block.body)),
      m_model(exploreModel(m_explore.model))
{
    if (!m_model) {
        addLabel(tr("This version has no model “%1”. Update Ridgepoint.").arg(QString::fromStdString(m_explore.model)),
                 TextStyle::Body, "error");
        return;
    }
    header()->addWidget(provenanceBadge(theme(), m_model->provenance, this));
    std::vector<ParamSpec> specs;
    for (const std::string& name : m_explore.controls)
        for (const ParamSpec& spec : m_model->parameters)
            if (spec.name == name)
                specs.push_back(spec);
    m_form = new ParameterForm(theme(), specs, m_explore.set, kModelTarget, this);
    body()->addWidget(m_form);

    if (auto scene = makeScene(m_model->scene)) {
        m_view = new SceneView(theme(), std::move(scene), this);
        m_view->setMinimumHeight(int(m_model->height));
        m_view->installEventFilter(this);
        body()->addWidget(m_view);
    } else if (m_model->plot) {
        m_chart = new PlotChart(theme(), this);
        body()->addWidget(m_chart);
        m_sentence = addLabel({}, TextStyle::Body, "muted");
        m_chart->installEventFilter(this);
        connect(&theme(), &Theme::changed, this, &ExploreBlockWidget::fitChart);
        if (!m_model->dragged.empty()) {
            m_chart->canvas()->setPulledFromPlot(false);
            m_chart->canvas()->installEventFilter(this);
            m_chart->canvas()->viewport()->installEventFilter(this);
        }
    }
    addCaption(m_explore.caption);
    connect(m_form, &ParameterForm::changed, this, &ExploreBlockWidget::refresh);
    (new ParameterHistory(state().changes(), this))->watch(m_form, false);
    refresh();
}

/// As high as the model says, higher where its words need it; never lower again at one width and text size, so that the
/// page stands still under a moving slider.
void ExploreBlockWidget::fitChart()
{
    const std::pair<int, double> kind{m_chart->width(), theme().textScale()};
    const double needed = m_chart->plot() ? m_chart->plot()->heightFor(theme(), m_chart->width()) : 0;
    const int height = int(std::ceil(std::max(m_model->height, needed)));
    if (kind == m_fitted && height <= m_chart->height())
        return;
    m_fitted = kind;
    m_chart->setFixedHeight(height);
    // Two lines even where one would do: a sentence that grows must not move the page under a slider.
    m_sentence->setMinimumHeight(2 * theme().lineHeight(TextStyle::Body));
}

ParamSet ExploreBlockWidget::params() const
{
    ParamSet params = m_explore.set;
    for (const auto& [name, value] : m_dragged)
        params[name] = value;
    for (const auto& [name, value] : m_form->values())
        params[name] = value;
    return params;
}

void ExploreBlockWidget::refresh()
{
    if (m_chart) {
        m_chart->setPlot(explorePlot(m_explore.model, params()));
        m_sentence->setText(m_chart->summary());
        return fitChart();
    }
    if (!m_view)
        return;
    SceneState before = m_view->state();
    before.frame = before.request = 0;
    before.progress = 1;
    m_view->setFrames({explore(m_explore.model, params())});
    m_view->setState(before);
    m_view->fitHeight();
}

const ParamSpec& ExploreBlockWidget::draggedSpec() const
{
    return *std::find_if(m_model->parameters.begin(), m_model->parameters.end(),
                         [this](const ParamSpec& spec) { return spec.name == m_model->dragged; });
}

double ExploreBlockWidget::draggedValue() const
{
    const ParamSpec& spec = draggedSpec();
    const ParamSet now = params();
    const auto found = now.find(spec.name);
    return asNumber(found == now.end() ? spec.defaultValue : found->second).value_or(spec.min);
}

void ExploreBlockWidget::moveTo(double value)
{
    const ParamSpec& spec = draggedSpec();
    const double legal =
        std::clamp(spec.type == ParamType::Integer ? std::round(value) : rounded(value), spec.min, spec.max);
    const ParamValue typed = spec.type == ParamType::Integer ? ParamValue(std::int64_t(legal)) : ParamValue(legal);
    if (m_form->values().contains(spec.name))
        return m_form->setValue(spec.name, typed);
    m_dragged[spec.name] = typed;
    refresh();
}

bool ExploreBlockWidget::eventFilter(QObject* watched, QEvent* event)
{
    ChartCanvas* canvas = m_chart ? m_chart->canvas() : nullptr;
    if (m_chart && watched == m_chart && event->type() == QEvent::Resize)
        fitChart();
    if (m_view && watched == m_view && event->type() == QEvent::Resize)
        m_view->fitHeight();
    if (canvas && watched == canvas && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int step = key->key() == Qt::Key_Right ? 1 : key->key() == Qt::Key_Left ? -1 : 0;
        if (step != 0 && key->modifiers() == Qt::NoModifier) {
            const double value = draggedValue() * std::exp2(step * kKeyStep);
            moveTo(value);
            canvas->setCursor(PlotCursor{0, 0});
            announce(canvas, m_chart->summary());
            return true;
        }
    }
    if (canvas && watched == canvas->viewport()) {
        const auto* mouse = dynamic_cast<QMouseEvent*>(event);
        const PlotFrame& frame = canvas->frame();
        const auto valueAt = [&frame](QPointF at) {
            return frame.x.valueAt(std::clamp((at.x() - frame.plot.left()) / frame.plot.width(), 0.0, 1.0));
        };
        if (mouse && event->type() == QEvent::MouseButtonPress && mouse->button() == Qt::LeftButton &&
            frame.plot.contains(mouse->position()))
            m_pressed = mouse->position();
        if (mouse && event->type() == QEvent::MouseMove && m_pressed && (mouse->buttons() & Qt::LeftButton) &&
            (mouse->position() - *m_pressed).manhattanLength() >= kDragReach) {
            moveTo(valueAt(mouse->position()));
            return true;
        }
        if (event->type() == QEvent::MouseButtonRelease && m_pressed) {
            m_pressed.reset();
            if (mouse && frame.plot.contains(mouse->position()))
                moveTo(valueAt(mouse->position()));
        }
    }
    return BlockWidget::eventFilter(watched, event);
}

} // namespace ridge::app
