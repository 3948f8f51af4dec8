// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/live/live_panel_parts.h"

#include "app/class/dashboard/prediction_plot.h"
#include "app/ui/elided_box.h"
#include "app/ui/flow_layout.h"
#include "classroom/class_folder.h"
#include "classroom/grade.h"
#include "evidence/evidence.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>

namespace ridge::app {
namespace {

constexpr double kPlaceScale = 1.7; ///< of the largest type on the screen

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

/// The teacher's first run at the point that a block asks about, newest store rows or not: what learners will find.
void addOwnResult(classroom::PredictionHistogram& histogram, const record::Store* store,
                  const std::vector<lessons::Lesson>& lessons)
{
    if (!store)
        return;
    const auto evidence = evidenceFromStore(*store, histogram.lesson);
    if (!evidence)
        return;
    for (const lessons::Lesson& lesson : lessons) {
        const lessons::Block* block = lesson.id == histogram.lesson ? lesson.block(histogram.block) : nullptr;
        const auto* predict = block ? std::get_if<lessons::PredictBlock>(&block->body) : nullptr;
        const lessons::EvidenceRun* run = predict ? lessons::runAfter({}, *predict, *evidence) : nullptr;
        if (!run)
            continue;
        if (const auto value = run->metrics.find(predict->metric); value != run->metrics.end()) {
            histogram.result = value->second.value;
            histogram.provenance = toText(value->second.provenance);
            histogram.foundBy = RevealCard::tr("Your own run").toStdString();
        }
    }
}

} // namespace

PlaceCard::PlaceCard(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_place(new QLabel), m_more(makeText(theme, {}, TextStyle::Body)),
      m_code(new QLabel)
{
    setAccessibleName(tr("Address and code"));
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(space::xs);
    auto* places = new QWidget;
    places->setAccessibleName(tr("Address and code"));
    auto* row = new FlowLayout(places);
    all->addWidget(places);
    all->addWidget(m_more);
    const auto add = [&](const QString& title, QLabel* label, int behind) {
        auto* box = new QWidget;
        box->setAccessibleName(title);
        auto* column = new QVBoxLayout(box);
        column->setContentsMargins(0, 0, behind, 0);
        column->setSpacing(0);
        column->addWidget(makeLabel(m_theme, title, TextStyle::Caption, QStringLiteral("hint")));
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        column->addWidget(label);
        row->addWidget(box);
    };
    add(tr("Address"), m_place, space::xxl);
    add(tr("Code"), m_code, 0);
    connect(&theme, &Theme::changed, this, &PlaceCard::dress);
    dress();
}

void PlaceCard::dress()
{
    QFont large = m_theme.font(TextStyle::MetricBig);
    if (m_projector)
        large.setPointSizeF(large.pointSizeF() * kPlaceScale);
    for (QLabel* label : {m_place, m_code})
        label->setFont(large);
}

void PlaceCard::show(const std::vector<std::string>& places, const std::string& code, bool projector)
{
    m_projector = projector;
    m_place->setText(places.empty() ? tr("no network") : text(places.front()));
    m_place->setAccessibleName(tr("Address %1").arg(m_place->text()));
    m_code->setText(text(code));
    m_code->setAccessibleName(tr("Code %1").arg(text(code)));
    QStringList more;
    for (std::size_t i = 1; i < places.size(); ++i)
        more << text(places[i]);
    m_more->setText(more.isEmpty() ? QString() : tr("or %1").arg(more.join(tr(" or "))));
    m_more->setVisible(!more.isEmpty());
    dress();
}

RevealCard::RevealCard(AppContext& context, Theme& theme, QWidget* parent)
    : Card(tr("Predictions of the class"), parent), m_context(context), m_question(new ElidedBox),
      m_row(new QHBoxLayout), m_plot(new PredictionPlot(theme)), m_reveal(makeButton({}, {}, true)),
      m_lesson(makeButton(tr("Open the lesson"), tr("Run it there, then the result can be revealed here"))),
      m_hint(makeText(theme, {}, TextStyle::Caption, QStringLiteral("hint")))
{
    m_question->setAccessibleName(tr("Question"));
    m_question->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_question->setMinimumContentsLength(20);
    m_reveal->setCheckable(true);
    m_reveal->setObjectName(QStringLiteral("reveal"));
    column()->addWidget(m_question);
    column()->addWidget(m_plot, 1);
    m_row->addWidget(m_reveal);
    m_row->addWidget(m_lesson);
    m_row->addWidget(m_hint, 1);
    column()->addLayout(m_row);
    connect(m_question, &QComboBox::currentIndexChanged, this, &RevealCard::choose);
    connect(m_reveal, &QPushButton::toggled, this, [this](bool on) {
        m_plot->setRevealed(on);
        refresh();
    });
    connect(m_lesson, &QPushButton::clicked, this,
            [this] { Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + text(m_result.lesson)); });
    if (record::Store* store = context.store())
        connect(store, &record::Store::changed, this, [this](const QString& kind) {
            if (kind == QLatin1String("run") && isVisible() && !m_result.result)
                choose();
        });
}

void RevealCard::setAssignment(const classroom::Assignment& assignment)
{
    m_lessons.clear();
    m_empty.clear();
    if (auto own = classroom::ownLessons(m_context.curriculum(), assignment))
        m_lessons = std::move(*own);
    for (const lessons::Lesson& lesson : m_lessons)
        for (const lessons::Block* block : lesson.blocks())
            if (const auto* predict = std::get_if<lessons::PredictBlock>(&block->body))
                m_empty.push_back(classroom::emptyHistogram(lesson.id, *block, *predict));
    {
        const QSignalBlocker quiet(m_question);
        m_question->clear();
        for (const classroom::PredictionHistogram& one : m_empty)
            m_question->addItem(tr("%1 · %2").arg(text(one.lesson), text(one.question)));
    }
    choose();
}

void RevealCard::setCompact(bool compact)
{
    if (compact == (m_row->indexOf(m_question) >= 0))
        return;
    if (compact) {
        column()->removeWidget(m_question);
        m_row->insertWidget(0, m_question, 1);
    } else {
        m_row->removeWidget(m_question);
        column()->insertWidget(0, m_question);
    }
}

std::vector<live::SessionPlan::Question> RevealCard::questions() const
{
    std::vector<live::SessionPlan::Question> all;
    for (const classroom::PredictionHistogram& one : m_empty)
        all.push_back({one.lesson, one.block, one.unit});
    return all;
}

void RevealCard::showBoard(const live::BoardView& view)
{
    m_view = view;
    refresh();
}

void RevealCard::choose()
{
    const int at = m_question->currentIndex();
    m_result = at < 0 ? classroom::PredictionHistogram{} : m_empty[static_cast<std::size_t>(at)];
    addOwnResult(m_result, m_context.store(), m_lessons);
    refresh();
}

void RevealCard::refresh()
{
    classroom::PredictionHistogram histogram = m_result;
    for (const live::LiveLearner& one : m_view.learners)
        if (const auto found = one.predictions.find({histogram.lesson, histogram.block});
            found != one.predictions.end())
            classroom::addPrediction(histogram, found->second.point);
    const int predicted = histogram.learners;
    m_plot->setHistogram(std::move(histogram));
    const bool known = m_result.result.has_value();
    {
        const QSignalBlocker quiet(m_reveal);
        m_reveal->setChecked(m_plot->revealed() && known);
    }
    m_reveal->setEnabled(known);
    m_reveal->setText(m_plot->revealed() && known ? tr("Hide the result") : tr("Reveal"));
    m_reveal->setAccessibleName(m_reveal->text());
    m_reveal->setToolTip(tr("Shows the result of your own run in the picture"));
    m_lesson->setVisible(!known && !m_empty.empty());
    m_hint->setText(m_empty.empty() ? tr("The assigned lessons ask for no prediction.")
                    : known         ? tr("%1 of %2 have predicted.").arg(predicted).arg(m_view.learners.size())
                                    : tr("%1 of %2 have predicted. There is no run of yours at this point yet.")
                                  .arg(predicted)
                                  .arg(m_view.learners.size()));
}

} // namespace ridge::app

#include "moc_live_panel_parts.cpp"
