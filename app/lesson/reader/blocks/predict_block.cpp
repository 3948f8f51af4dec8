// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/predict_block.h"

#include "app/drawing/charts/chart_text.h"
#include "app/lesson/reader/chart_data.h"
#include "app/lesson/reader/given_metric.h"
#include "app/lesson/reader/inline_html.h"
#include "app/theme/announce.h"
#include "app/ui/still_scroll.h"
#include "base/formula.h"
#include "evidence/artifact_draft.h"
#include "evidence/demonstration.h"
#include "lessons/block_experiment.h"
#include "lessons/instances.h"
#include "lessons/placeholders.h"

#include <QAccessible>
#include <QLocale>
#include <QPushButton>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kAskMs = 200; ///< after the last run of another block

} // namespace

QString factorSentence(const lessons::PredictionScore& score, const std::string& unit, const std::string& limitKind)
{
    const bool low = score.difference < 0;
    const bool known = std::isfinite(score.factor);
    if (score.difference == 0 || (known && score.factor < 1.005))
        return PredictBlockWidget::tr("Right on it");
    QString direction = low ? PredictBlockWidget::tr("too low") : PredictBlockWidget::tr("too high");
    if (!limitKind.empty()) {
        const bool optimistic = (limitKind == "lower") == low;
        direction = optimistic ? PredictBlockWidget::tr("too optimistic") : PredictBlockWidget::tr("too pessimistic");
    }
    if (!known)
        return PredictBlockWidget::tr("%1 %2").arg(quantity(std::abs(score.difference), shownUnit(unit)), direction);
    const int decimals = score.factor < 1.1 ? 2 : score.factor < 10 ? 1 : 0;
    return PredictBlockWidget::tr("%1× %2").arg(QLocale::c().toString(score.factor, 'f', decimals), direction);
}

PredictBlockWidget::PredictBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block,
                  std::get<lessons::PredictBlock>(block.body).first == "example" ? tr("Predict a variation")
                                                                                 : tr("Predict"),
                  parent),
      m_predict(std::get<lessons::PredictBlock>(block.body)),
      m_input(new PredictionInput(context.theme(), m_predict, this)),
      m_committed(new ThemedLabel(context.theme(), {}, TextStyle::Caption, "hint", this)),
      m_bar(new RevealBar(context.theme(), this)),
      m_panel(new RunPanel(context, block.id, m_predict.experiment, tr("Commit and run"), this)),
      m_demonstrate(new QPushButton(tr("Run without a prediction"), this)),
      m_demonstrated(new ThemedLabel(context.theme(), {}, TextStyle::Body, "muted", this)),
      m_headline(new ThemedLabel(context.theme(), {}, TextStyle::ReadH3, "", this))
{
    m_asked = lessons::filled(m_predict, m_predict.at);
    m_question = addText(m_asked.question, ProseLook::Question);
    m_moved = addLabel({}, TextStyle::Caption, "hint");
    m_moved->setObjectName(QStringLiteral("moved"));
    m_moved->setVisible(false);
    body()->addWidget(m_input);
    body()->addWidget(m_committed);
    body()->addWidget(m_panel);
    body()->addWidget(m_demonstrate, 0, Qt::AlignLeft);
    body()->addWidget(m_demonstrated);
    body()->addWidget(m_headline);
    body()->addWidget(m_bar);
    QSizePolicy still = m_bar->sizePolicy();
    still.setRetainSizeWhenHidden(true);
    m_bar->setSizePolicy(still);
    addHeld();
    m_mechanism = addText(m_asked.mechanism, ProseLook::Reading);
    m_worked = addLabel({}, TextStyle::Caption, "muted");
    m_worked->setObjectName(QStringLiteral("worked"));
    makeReasons();
    m_another = new QPushButton(tr("Predict again at another point"), this);
    m_another->setObjectName(QStringLiteral("predictAgain"));
    m_another->setAccessibleName(m_another->text());
    connect(m_another, &QPushButton::clicked, this, &PredictBlockWidget::predictAgain);
    body()->addWidget(m_another, 0, Qt::AlignLeft);
    m_keep = new QPushButton(this);
    m_keep->setObjectName(QStringLiteral("keep"));
    connect(m_keep, &QPushButton::clicked, this, &PredictBlockWidget::keep);
    m_kept = new ThemedLabel(theme(), tr("Kept in your portfolio."), TextStyle::Body, "ok", this);
    m_kept->setObjectName(QStringLiteral("kept"));
    auto* keeping = new QHBoxLayout;
    keeping->setSpacing(space::m);
    keeping->addWidget(m_keep);
    keeping->addWidget(m_kept);
    keeping->addStretch(1);
    m_kept->setWordWrap(false);
    body()->addLayout(keeping);
    m_panel->setPrimary(true);
    m_demonstrate->setObjectName(QStringLiteral("demonstrate"));
    m_demonstrate->setAccessibleName(m_demonstrate->text());
    m_demonstrate->setToolTip(tr("Shows the class what comes out. The run is stored as a demonstration and counts for "
                                 "nothing."));
    m_demonstrate->setAccessibleDescription(m_demonstrate->toolTip());
    m_demonstrated->setObjectName(QStringLiteral("demonstrated"));
    m_demonstrated->setWordWrap(true);
    connect(m_demonstrate, &QPushButton::clicked, this, [this] { m_panel->demonstrate({m_asked.at}); });
    m_committed->setObjectName(QStringLiteral("committed"));
    m_headline->setObjectName(QStringLiteral("factor"));
    connect(m_panel, &RunPanel::requested, this, &PredictBlockWidget::activate);
    connect(m_panel, &RunPanel::finished, this, [this] {
        refresh();
        if (m_headline->isVisible())
            bringIntoView(m_bar);
    });
    connect(m_input, &PredictionInput::changed, this, &PredictBlockWidget::refreshInput);
    const auto own = [this](const QString& id) {
        if (id == blockId())
            refresh();
    };
    // A sweep above may run the very point that is asked about: the question moves on before a number is written.
    m_askSoon.setSingleShot(true);
    m_askSoon.setInterval(kAskMs);
    connect(&m_askSoon, &QTimer::timeout, this, &PredictBlockWidget::refresh);
    connect(&context.state, &LessonState::runsChanged, this, [this, own](const QString& id) {
        own(id);
        const lessons::Block* other = id == blockId() ? nullptr : state().lesson().block(id.toStdString());
        if (other && lessons::experimentOf(*other) == m_predict.experiment && !shown())
            m_askSoon.start();
    });
    connect(&context.state, &LessonState::predictionCommitted, this, own);
    connect(&context.state, &LessonState::abilityChanged, this, &PredictBlockWidget::refresh);
    refresh();
}

const record::PredictionRow* PredictBlockWidget::shown() const
{
    return m_again ? nullptr : state().newestPrediction(block().id);
}

void PredictBlockWidget::makeReasons()
{
    auto* reasons = new ReasonPicker(context(), m_asked, this);
    if (m_reasons) {
        body()->replaceWidget(m_reasons, reasons);
        m_reasons->hide();
        m_reasons->deleteLater();
    } else {
        body()->addWidget(reasons);
    }
    m_reasons = reasons;
}

void PredictBlockWidget::askAt(const ParamSet& point)
{
    lessons::PredictBlock asked = lessons::filled(m_predict, point);
    if (asked.at == m_asked.at)
        return;
    m_asked = std::move(asked);
    m_question->setMarkdownText(m_asked.question);
    if (m_mechanism)
        m_mechanism->setMarkdownText(m_asked.mechanism);
    makeReasons();
    delete std::exchange(m_verdict, nullptr);
    m_revealed = false;
}

void PredictBlockWidget::predictAgain()
{
    m_again = true;
    askAt(state().pointToAsk(block()));
    refresh();
    focusInput();
}

bool PredictBlockWidget::wantsAnother(const record::PredictionRow& prediction, const record::RunRow& run) const
{
    const auto found = run.metrics.find(m_predict.metric);
    if (found == run.metrics.end())
        return false;
    double enough = 1.5;
    for (const lessons::CheckSpec& check : state().lesson().checks)
        if (check.kind == "estimated" && check.block == block().id)
            enough = check.factor;
    const auto score = lessons::scorePrediction(prediction.point, prediction.low, prediction.high, found->second.value);
    const bool off = std::isnan(score.factor) ? !score.insideInterval : score.factor > enough * (1 + 1e-9);
    return off || state().wasKnown(prediction);
}

void PredictBlockWidget::restore()
{
    state().restoreFrames(block().id);
}

void PredictBlockWidget::focusInput()
{
    if (m_input->isVisible())
        m_input->focusPoint();
    else
        BlockWidget::focusInput();
}

const record::RunRow* PredictBlockWidget::answerOf(const record::PredictionRow& prediction) const
{
    const bool withheld = !state().held(Outcome::Result).isEmpty();
    for (const record::RunRow* row : state().runsOf(block().id))
        if (row->predictionId == prediction.id && (withheld || row->metrics.contains(m_predict.metric)))
            return row;
    return nullptr;
}

QString PredictBlockWidget::valueText(const record::RunRow& run) const
{
    const auto found = run.metrics.find(m_predict.metric);
    if (found == run.metrics.end())
        return tr("Your run is stored.");
    return tr("Your run gave %1. It is stored beside your prediction.")
        .arg(quantity(found->second.value, shownUnit(m_predict.unit)));
}

void PredictBlockWidget::refresh()
{
    const record::PredictionRow* prediction = shown();
    if (prediction)
        askAt(lessons::pointOf({{}, 0, 0, 0, 0, prediction->params}, m_predict));
    else if (!m_committing)
        askAt(state().pointToAsk(block()));
    const record::RunRow* answer = prediction ? answerOf(*prediction) : nullptr;
    const QString held = answer ? state().held(Outcome::Prediction) : QString();
    const bool moved = !prediction && !m_again && !lessons::matches(m_asked.at, m_predict.at);
    m_moved->setVisible(moved);
    if (moved)
        m_moved->setText(
            tr("Your record holds the result of the point that the text speaks of. This asks about another."));
    m_another->setVisible(answer && held.isEmpty() && wantsAnother(*prediction, *answer));
    m_worked->setVisible(answer && held.isEmpty() && !workedOut().isEmpty());
    m_worked->setText(workedOut());
    m_input->setVisible(!prediction);
    m_committed->setVisible(prediction != nullptr);
    m_panel->setVisible(!answer || m_panel->running());
    m_headline->setVisible(answer && held.isEmpty());
    if (m_mechanism)
        m_mechanism->setVisible(answer && held.isEmpty());
    m_reasons->setVisible(answer != nullptr); // what one assumed does not hang on what came of it
    if (answer)
        m_reasons->setPrediction(prediction->id);
    setHeld(answer ? valueText(*answer) : QString(), held);
    refreshKeep(answer && held.isEmpty() ? answer : nullptr);
    if (prediction)
        showCommitted(*prediction);
    refreshDemonstration();
    if (answer && held.isEmpty())
        return reveal(*prediction, *answer);
    refreshInput();
    if (answer)
        showBadges(*answer, answer->provenance);
}

void PredictBlockWidget::refreshInput()
{
    auto obstacle = state().runObstacle(m_predict.experiment, {});
    // A prediction that the target cannot answer would be spent for nothing.
    if (!obstacle)
        obstacle = cannotGive(state(), app(), m_predict.experiment, m_predict.metric, m_asked.at);
    if (!obstacle && !shown() && !m_input->problem().isEmpty())
        obstacle = Obstacle{m_input->problem(), {}};
    m_panel->setObstacle(obstacle);
    m_bar->setContent(barContent());
    // A picture of numbers that are none would be one of something else.
    m_bar->setVisible(shown() || m_input->problem().isEmpty());
    refreshDemonstration();
}

void PredictBlockWidget::refreshDemonstration()
{
    const bool open = !shown() && !m_again;
    m_demonstrate->setVisible(open && state().demonstrates());
    m_demonstrate->setEnabled(m_panel->ready());
    const auto runs = open ? state().runsOf(block().id) : std::vector<const record::RunRow*>();
    const auto last =
        std::find_if(runs.rbegin(), runs.rend(), [](const record::RunRow* run) { return isDemonstration(*run); });
    m_demonstrated->setVisible(last != runs.rend());
    if (last == runs.rend())
        return;
    const auto found = (*last)->metrics.find(m_predict.metric);
    const QString value = found == (*last)->metrics.end()
                              ? tr("The demonstration is stored.")
                              : tr("The demonstration gave %1 (%2).")
                                    .arg(quantity(found->second.value, shownUnit(m_predict.unit)),
                                         provenanceText(found->second.provenance));
    m_demonstrated->setText(value + QLatin1Char(' ') +
                            tr("It ran without a prediction, is stored as such and counts for nothing."));
}

void PredictBlockWidget::refreshKeep(const record::RunRow* answer)
{
    m_keep->setVisible(answer != nullptr);
    const bool kept = answer && !state().keptOf(answer->id).isEmpty();
    m_kept->setVisible(kept);
    m_keep->setText(kept ? tr("Open in portfolio") : tr("Keep this"));
    m_keep->setAccessibleName(kept ? tr("Open the kept result in the portfolio") : tr("Keep this result"));
    m_keep->setToolTip(kept ? QString()
                            : tr("Makes an artifact of your prediction and its result, which you can add to later"));
}

void PredictBlockWidget::keep()
{
    const record::PredictionRow* prediction = shown();
    const record::RunRow* answer = prediction ? answerOf(*prediction) : nullptr;
    if (!answer || !app().store())
        return;
    if (const QString kept = state().keptOf(answer->id); !kept.isEmpty()) {
        Q_EMIT app().openRequested(QStringLiteral("artifact/") + kept);
        return;
    }
    const auto tell = [this](const Error& error) { Q_EMIT app().notice(QString::fromStdString(toText(error)), true); };
    auto row = artifactOfRuns(*app().store(), {*answer}, app().experiments());
    if (!row)
        return tell(row.error());
    const QString unit = shownUnit(m_predict.unit);
    const MetricValue& result = answer->metrics.at(m_predict.metric);
    row->kind = "profile";
    row->level = 1;
    const ExperimentInfo* info = app().experiment(m_predict.experiment);
    const QString name = QString::fromStdString(info ? info->title : m_predict.experiment);
    const QString target = QString::fromStdString(answer->target), provenance = provenanceText(result.provenance);
    // The number it is about decides, not the runs around it.
    row->provenance = result.provenance;
    row->title = tr("%1, predicted in lesson %2 (%3, %4)")
                     .arg(name, QString::fromStdString(state().lesson().id), target, provenance)
                     .toStdString();
    row->question = m_asked.question;
    row->claim = tr("I predicted %1, 80 % sure of %2 to %3; the result is %4 (%5, %6).")
                     .arg(quantity(prediction->point, unit), quantity(prediction->low, unit),
                          quantity(prediction->high, unit), quantity(result.value, unit), target, provenance)
                     .toStdString();
    m_keep->setEnabled(false);
    state().keepResult(std::move(*row), this, [this, tell](const Result<std::string>& stored) {
        m_keep->setEnabled(true);
        if (!stored)
            return tell(stored.error());
        refresh();
        announce(m_kept, m_kept->text());
        showOutcome(m_keep, this);
    });
}

QString PredictBlockWidget::workedOut() const
{
    if (m_predict.estimate.empty())
        return {};
    const auto value = evaluateFormula(lessons::filledFromRuns(m_predict.estimate, state().evidence()), m_asked.at);
    return value ? tr("Worked out from the page: %1").arg(quantity(*value, shownUnit(m_predict.unit))) : QString();
}

RevealBar::Content PredictBlockWidget::barContent() const
{
    RevealBar::Content content;
    content.unit = shownUnit(m_predict.unit);
    content.logScale = m_predict.logScale && m_predict.min > 0;
    const record::PredictionRow* row = shown();
    const auto& typed = m_input->values();
    content.point = row ? row->point : typed.point;
    content.low = row ? row->low : typed.low;
    content.high = row ? row->high : typed.high;
    content.min = std::min(m_predict.min, content.low);
    content.max = std::max(m_predict.max, content.high);
    return content;
}

void PredictBlockWidget::showCommitted(const record::PredictionRow& row)
{
    const QDateTime when =
        QDateTime::fromString(QString::fromStdString(row.createdAt), Qt::ISODateWithMs).toLocalTime();
    m_committed->setText(
        tr("Committed %1. A committed prediction stays as it is.").arg(QLocale().toString(when, QLocale::ShortFormat)));
    m_panel->setAction(tr("Run"));
}

void PredictBlockWidget::reveal(const record::PredictionRow& prediction, const record::RunRow& run)
{
    const MetricValue& result = run.metrics.at(m_predict.metric);
    const auto score = lessons::scorePrediction(prediction.point, prediction.low, prediction.high, result.value);
    m_bar->show();
    auto content = barContent();
    content.result = result.value;
    content.min = std::min(content.min, result.value);
    content.max = std::max(content.max, result.value);
    content.provenance = result.provenance;
    m_bar->setContent(content);
    const auto limit = run.limits.find(m_predict.metric);
    m_headline->setText(
        factorSentence(score, m_predict.unit, limit == run.limits.end() ? std::string() : limit->second.kind));
    showBadges(run, result.provenance);
    if (!m_revealed) {
        m_revealed = true;
        m_headline->setAccessibleName(m_headline->text() + QLatin1String(". ") + m_bar->summary());
        QAccessibleEvent event(m_headline, QAccessible::Alert);
        QAccessible::updateAccessibility(&event);
    }
}

void PredictBlockWidget::showBadges(const record::RunRow& run, Provenance provenance)
{
    if (m_verdict)
        return;
    m_verdict = new QWidget(this);
    auto* badges = new QHBoxLayout(m_verdict);
    badges->setContentsMargins(0, 0, 0, 0);
    badges->addWidget(provenanceBadge(theme(), provenance, m_verdict));
    badges->addWidget(validityBadge(theme(), run.validity, m_verdict));
    header()->addWidget(m_verdict);
}

bool PredictBlockWidget::canActivate() const
{
    const record::PredictionRow* prediction = shown();
    return m_panel->ready() && !m_committing && !(prediction && answerOf(*prediction));
}

void PredictBlockWidget::activate()
{
    if (!canActivate())
        return;
    if (shown())
        return run();
    // Something else may have run the point since it was asked about.
    const ParamSet point = state().pointToAsk(block());
    if (!lessons::matches(m_asked.at, point)) {
        askAt(point);
        return refresh();
    }
    commit();
}

void PredictBlockWidget::commit()
{
    record::PredictionRow row;
    row.block = block().id;
    row.experiment = m_predict.experiment;
    row.metric = m_predict.metric;
    row.unit = m_predict.unit;
    row.point = m_input->values().point;
    row.low = m_input->values().low;
    row.high = m_input->values().high;
    row.params = m_asked.at;
    if (const ExperimentInfo* info = app().experiment(m_predict.experiment)) {
        const auto full = completeParams(info->parameters, m_asked.at,
                                         AppContext::targetClass(state().targetOf(m_predict.experiment)));
        if (full)
            row.params = *full;
    }
    m_committing = true;
    state().commit(std::move(row), this, [this](const Result<std::string>& stored) {
        m_committing = false;
        m_again = false;
        if (stored)
            run();
        else
            m_panel->showError(stored.error(), true);
    });
}

void PredictBlockWidget::run()
{
    if (const record::PredictionRow* prediction = shown()) {
        askAt(lessons::pointOf({{}, 0, 0, 0, 0, prediction->params}, m_predict));
        m_panel->start({m_asked.at}, prediction->id, true);
    }
}

} // namespace ridge::app

#include "moc_predict_block.cpp"
