// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/draw_block.h"

#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/chart_text.h"
#include "app/lesson/reader/given_metric.h"
#include "app/theme/announce.h"
#include "base/units.h"
#include "evidence/evidence.h"
#include "lessons/placeholders.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kChartHeight = 360;
constexpr int kSteps = 48; ///< presses of an arrow key from one end of the axis to the other
constexpr int kPage = 6;   ///< such steps of Page Up and Page Down

/// Three significant digits, so that what is pulled reads like what is typed.
double rounded(double value)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    const double size = std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
    return std::round(value / size) * size;
}

} // namespace

DrawBlockWidget::DrawBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Draw"), parent), m_draw(std::get<lessons::DrawBlock>(block.body)),
      m_chart(new PlotChart(context.theme(), this)), m_value(new QLineEdit(this)),
      m_commit(new QPushButton(tr("Commit curve"), this)), m_again(new QPushButton(tr("Draw another curve"), this))
{
    addText(m_draw.question, ProseLook::Question);
    m_setting = addLabel({}, TextStyle::Caption, "hint");
    m_chart->setFixedHeight(kChartHeight);
    m_chart->canvas()->setPulledFromPlot(false);
    m_chart->canvas()->installEventFilter(this);
    m_chart->canvas()->viewport()->installEventFilter(this);
    body()->addWidget(m_chart);
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    m_typedAt = new ThemedLabel(theme(), {}, TextStyle::Body, "muted", this);
    m_typedAt->setWordWrap(false);
    m_value->setObjectName(QStringLiteral("drawnValue"));
    m_value->setAlignment(Qt::AlignRight);
    m_value->setFixedWidth(theme().scaled(120));
    m_commit->setObjectName(QStringLiteral("commitCurve"));
    m_commit->setAccessibleName(m_commit->text());
    m_again->setObjectName(QStringLiteral("drawAgain"));
    m_again->setAccessibleName(m_again->text());
    row->addWidget(m_typedAt);
    row->addWidget(m_value);
    row->addStretch();
    row->addWidget(m_commit);
    body()->addLayout(row);
    m_status = addLabel({}, TextStyle::Caption, "hint");
    m_status->setObjectName(QStringLiteral("drawStatus"));
    m_headline = addLabel({}, TextStyle::ReadH3);
    m_headline->setObjectName(QStringLiteral("curveError"));
    addHeld();
    m_mechanism = addText(m_draw.mechanism, ProseLook::Reading);
    body()->addWidget(m_again, 0, Qt::AlignLeft);
    connect(m_chart, &PlotChart::cursorMoved, this, [this] { typed(); });
    // At each character, so that Tab finds the button to commit with.
    connect(m_value, &QLineEdit::textEdited, this, [this](const QString& text) {
        if (const auto value = parseQuantity(text.toStdString(), m_draw.unit))
            movePoint(chosen(), *value);
    });
    connect(m_value, &QLineEdit::editingFinished, this, &DrawBlockWidget::typed);
    connect(m_commit, &QPushButton::clicked, this, &DrawBlockWidget::activate);
    connect(m_again, &QPushButton::clicked, this, [this] {
        m_drawsAgain = true;
        startCurve();
        refresh();
        focusInput();
    });
    connect(&context.state, &LessonState::answersChanged, this, [this](const QString& id) {
        if (id == blockId())
            refresh();
    });
    connect(&context.state, &LessonState::runsChanged, this, &DrawBlockWidget::refresh);
    connect(&context.state, &LessonState::abilityChanged, this, [this] {
        if (m_curve.empty())
            startCurve();
        refresh();
    });
    startCurve();
    refresh();
}

/// A flat line in the middle says nothing and can be pulled anywhere.
void DrawBlockWidget::startCurve()
{
    m_curve.clear();
    m_touched = false;
    const ExperimentInfo* info = app().experiment(m_draw.experiment);
    const auto axis =
        info ? parseSweep(info->parameters, m_draw.sweep) : Result<SweepAxis>(Error{"no-catalogue", "", "", ""});
    if (!axis)
        return;
    const double middle = m_draw.logScale ? std::sqrt(m_draw.min * m_draw.max) : (m_draw.min + m_draw.max) / 2;
    for (const ParamValue& value : axis->values)
        if (const auto x = asNumber(value))
            m_curve.emplace_back(*x, rounded(middle));
    std::ranges::sort(m_curve);
    m_instance = instanceToDraw();
}

const record::AnswerRow* DrawBlockWidget::committed() const
{
    const auto answers = state().answersOf(block().id);
    return answers.empty() || m_drawsAgain ? nullptr : answers.back();
}

std::vector<double> DrawBlockWidget::heldAt(int instance) const
{
    lessons::AnswerGiven curve;
    curve.curve = m_curve;
    curve.instance = instance;
    auto held =
        app().store() ? heldOfCurve(*app().store(), m_draw, curve) : Result<std::vector<double>>(std::vector<double>());
    return held ? std::move(*held) : std::vector<double>();
}

int DrawBlockWidget::instanceToDraw() const
{
    std::vector<int> drawn;
    for (const record::AnswerRow* row : state().answersOf(block().id))
        drawn.push_back(answerFromJson(*row->answer).instance);
    return lessons::nextInstance(m_draw, drawn, [this](int instance) {
        return m_curve.size() < heldAt(instance).size() + lessons::kLeastDrawn;
    });
}

double DrawBlockWidget::clamped(double value) const
{
    return std::clamp(rounded(value), m_draw.min, m_draw.max);
}

std::size_t DrawBlockWidget::chosen() const
{
    const PlotCursor cursor = m_chart->canvas()->cursor();
    const bool there = cursor.group == 0 && cursor.point >= 0 && std::size_t(cursor.point) < m_curve.size();
    return there ? std::size_t(cursor.point) : 0;
}

void DrawBlockWidget::setPoint(std::size_t point, double value)
{
    movePoint(point, value);
    if (!committed())
        m_chart->canvas()->setCursor(PlotCursor{0, int(point)});
    typed();
}

void DrawBlockWidget::movePoint(std::size_t point, double value)
{
    if (committed() || point >= m_curve.size() || !std::isfinite(value))
        return;
    m_curve[point].second = clamped(value);
    m_touched = true;
    redraw();
    m_commit->setEnabled(canActivate());
}

DrawnCurve DrawBlockWidget::content() const
{
    DrawnCurve content;
    const ExperimentInfo* info = app().experiment(m_draw.experiment);
    const std::string axis = lessons::axisOf(m_draw.sweep);
    const ParamSpec* along = info ? info->parameter(axis) : nullptr;
    const MetricSpec* metric = info ? info->metric(m_draw.metric) : nullptr;
    content.xName = QString::fromStdString(axis);
    content.xTitle =
        along ? titled(QString::fromStdString(along->title), QString::fromStdString(along->unit)) : content.xName;
    content.yTitle = QString::fromStdString(metric ? metric->title : m_draw.metric);
    content.unit = QString::fromStdString(m_draw.unit);
    content.title =
        tr("%1 over %2").arg(content.yTitle, inSentence(along ? QString::fromStdString(along->title) : content.xName));
    content.yLog = m_draw.logScale;
    content.yMin = m_draw.min;
    content.yMax = m_draw.max;
    content.drawn = m_curve;
    const record::AnswerRow* row = committed();
    content.open = !row;
    if (!m_curve.empty()) // even factors between neighbours ask for a logarithmic axis
        content.xLog = m_curve.front().first > 0 && m_curve.size() > 2 && m_curve[1].first / m_curve[0].first > 1.5 &&
                       m_curve.back().first / m_curve[m_curve.size() - 2].first > 1.4;
    if (!row || !state().held(Outcome::Result).isEmpty())
        return content;
    const lessons::AnswerGiven given = answerFromJson(*row->answer);
    content.drawn = given.curve;
    const lessons::Evidence& evidence = state().evidence();
    const lessons::EvidenceAnswer answer{block().id, false, row->seq, given};
    const auto points = lessons::comparedCurve(m_draw, answer, evidence);
    for (const lessons::DrawnPoint& point : points)
        content.measured.emplace_back(point.x, point.measured);
    content.error = lessons::curveError(points, m_draw.logScale);
    for (const lessons::EvidenceRun& run : evidence.runs)
        if (run.experiment == m_draw.experiment && run.seq > row->seq && run.metrics.contains(m_draw.metric))
            content.provenance = run.metrics.at(m_draw.metric).provenance;
    return content;
}

void DrawBlockWidget::redraw()
{
    m_chart->setPlot(std::make_shared<FigurePlot>(drawnFigure(content())));
}

void DrawBlockWidget::refresh()
{
    const record::AnswerRow* row = committed();
    const DrawnCurve now = content();
    if (row)
        m_instance = answerFromJson(*row->answer).instance;
    QStringList setting;
    if (const ExperimentInfo* info = app().experiment(m_draw.experiment))
        for (const auto& [name, value] : lessons::settingOf(m_draw, m_instance))
            setting << parameterWords(*info, name, value);
    m_setting->setText(setting.isEmpty() ? QString() : tr("at %1").arg(setting.join(QStringLiteral(", "))));
    m_setting->setVisible(!setting.isEmpty());
    redraw();
    const bool compared = row && !now.measured.empty();
    const QString held = row ? state().held(Outcome::Prediction) : QString();
    setHeld(tr("Your curve is stored."), held);
    for (QWidget* part : std::initializer_list<QWidget*>{m_typedAt, m_value, m_commit})
        part->setVisible(!row && !m_curve.empty());
    m_status->setText(row               ? (compared ? tr("A committed curve stays as it is.")
                                                    : tr("Committed. Run the sweep below: its results appear here."))
                      : m_curve.empty() ? tr("Asking the worker what it can run…")
                      : m_touched       ? tr("Every point counts. Commit when the curve is what you expect.")
                                  : tr("Pull across the picture, or choose a point with ← → and move it with ↑ ↓."));
    const bool reveals = compared && held.isEmpty();
    m_headline->setVisible(reveals && now.error.has_value());
    if (now.error)
        m_headline->setText(
            m_draw.logScale
                ? tr("Off by a factor of %1 on average")
                      .arg(QString::fromStdString(formatNumber(std::round((1 + *now.error) * 100) / 100)))
                : tr("Off by %1 % on average").arg(QString::fromStdString(formatNumber(std::round(*now.error * 100)))));
    if (m_mechanism)
        m_mechanism->setVisible(reveals);
    m_again->setVisible(reveals && !m_draw.again.empty());
    m_commit->setEnabled(canActivate());
    if (const auto obstacle = commitObstacle()) {
        m_commit->setToolTip(obstacle->line());
        if (!row && !m_curve.empty())
            m_status->setText(obstacle->line());
    }
    typed();
}

/// The field below says what the chosen point is.
void DrawBlockWidget::typed()
{
    if (m_curve.empty() || committed())
        return;
    const auto& [x, y] = m_curve[chosen()];
    const QString name = QString::fromStdString(lessons::axisOf(m_draw.sweep));
    m_typedAt->setText(tr("At %1 = %2").arg(name, axisNumber(x)));
    m_value->setAccessibleName(
        tr("Value at %1 = %2, in %3").arg(name, axisNumber(x), QString::fromStdString(m_draw.unit)));
    if (!m_value->hasFocus() || !m_value->isModified())
        m_value->setText(quantity(y, QString::fromStdString(m_draw.unit)));
}

bool DrawBlockWidget::canActivate() const
{
    return !committed() && m_touched && !m_pending && !m_curve.empty() && !commitObstacle();
}

/// A curve that no run of the target can be laid over is not asked for there.
std::optional<Obstacle> DrawBlockWidget::commitObstacle() const
{
    if (auto obstacle = state().storeObstacle())
        return obstacle;
    return cannotGive(state(), app(), m_draw.experiment, m_draw.metric, m_draw.set);
}

void DrawBlockWidget::focusInput()
{
    if (committed())
        return BlockWidget::focusInput();
    m_chart->canvas()->setFocus(Qt::ShortcutFocusReason);
    m_chart->canvas()->setCursor(PlotCursor{0, int(chosen())});
}

void DrawBlockWidget::activate()
{
    if (!canActivate())
        return;
    lessons::AnswerGiven given;
    given.curve = m_curve;
    given.instance = m_instance;
    given.held = heldAt(m_instance);
    record::AnswerRow row;
    row.block = block().id;
    row.answer = toJson(given);
    m_pending = true;
    state().commit(std::move(row), this, [this](const Result<std::string>& stored) {
        m_pending = false;
        if (stored)
            m_drawsAgain = false;
        refresh();
        if (!stored)
            m_status->setText(QString::fromStdString(toText(stored.error())));
        else
            Q_EMIT state().abilityChanged(); // the sweep that waited for it may run
    });
}

bool DrawBlockWidget::key(int key)
{
    const std::size_t at = chosen();
    const int along = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    if (along != 0) {
        const auto next = std::clamp<std::ptrdiff_t>(std::ptrdiff_t(at) + along, 0, std::ptrdiff_t(m_curve.size()) - 1);
        m_chart->canvas()->setCursor(PlotCursor{0, int(next)});
        announce(m_chart->canvas(), m_chart->plot()->pointText({0, int(next)}));
        return true;
    }
    const int steps = key == Qt::Key_Up         ? 1
                      : key == Qt::Key_Down     ? -1
                      : key == Qt::Key_PageUp   ? kPage
                      : key == Qt::Key_PageDown ? -kPage
                                                : 0;
    if (steps == 0)
        return false;
    const double before = m_curve[at].second, share = double(steps) / kSteps;
    double value = m_draw.logScale ? before * std::pow(m_draw.max / m_draw.min, share)
                                   : before + (m_draw.max - m_draw.min) * share;
    setPoint(at, value);
    announce(m_chart->canvas(), m_chart->plot()->pointText({0, int(at)}));
    return true;
}

/// The handle nearest to the pointer goes to its height; those that a fast pull went over follow the straight line.
void DrawBlockWidget::pull(QPointF at)
{
    const PlotFrame& frame = m_chart->canvas()->frame();
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < m_curve.size(); ++i)
        if (std::abs(frame.placeX(m_curve[i].first) - at.x()) < std::abs(frame.placeX(m_curve[nearest].first) - at.x()))
            nearest = i;
    const double value = frame.y.valueAt(std::clamp((frame.plot.bottom() - at.y()) / frame.plot.height(), 0.0, 1.0));
    if (m_pulled && *m_pulled != nearest) {
        const std::size_t from = *m_pulled;
        const double low = frame.y.fraction(m_curve[from].second), high = frame.y.fraction(clamped(value));
        const std::ptrdiff_t step = nearest > from ? 1 : -1;
        for (std::ptrdiff_t i = std::ptrdiff_t(from) + step; i != std::ptrdiff_t(nearest); i += step) {
            const double share = std::abs(double(i - std::ptrdiff_t(from))) / std::abs(double(nearest) - double(from));
            m_curve[std::size_t(i)].second = clamped(frame.y.valueAt(low + (high - low) * share));
        }
    }
    m_pulled = nearest;
    setPoint(nearest, value);
}

bool DrawBlockWidget::eventFilter(QObject* watched, QEvent* event)
{
    ChartCanvas* canvas = m_chart->canvas();
    if (committed() || m_curve.empty())
        return BlockWidget::eventFilter(watched, event);
    if (watched == canvas && event->type() == QEvent::KeyPress) {
        const auto* pressed = static_cast<QKeyEvent*>(event);
        if (pressed->modifiers() == Qt::NoModifier && key(pressed->key()))
            return true;
    }
    if (watched == canvas->viewport()) {
        const auto* mouse = dynamic_cast<QMouseEvent*>(event);
        if (mouse && event->type() == QEvent::MouseButtonPress && mouse->button() == Qt::LeftButton &&
            canvas->frame().plot.contains(mouse->position())) {
            canvas->setFocus(Qt::MouseFocusReason);
            m_pulled.reset();
            pull(mouse->position());
            return true;
        }
        if (mouse && event->type() == QEvent::MouseMove && m_pulled && (mouse->buttons() & Qt::LeftButton)) {
            pull(mouse->position());
            return true;
        }
        if (event->type() == QEvent::MouseButtonRelease && m_pulled) {
            m_pulled.reset();
            return true;
        }
    }
    return BlockWidget::eventFilter(watched, event);
}

} // namespace ridge::app

#include "moc_draw_block.cpp"
