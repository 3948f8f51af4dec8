// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/placement/placement_page.h"

#include "app/lesson/placement/placement_block.h"
#include "app/ui/choice_pickers.h"
#include "app/ui/facts.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "record/clock.h"

#include <QVBoxLayout>
#include <algorithm>

namespace ridge::app {
namespace {

using lessons::Standing;

QString qt(const std::string& text)
{
    return QString::fromStdString(text);
}

QString standingText(Standing standing)
{
    switch (standing) {
    case Standing::NotAsked:
        return PlacementPage::tr("Not asked yet");
    case Standing::FromTheStart:
        return PlacementPage::tr("From its start");
    case Standing::Partly:
        return PlacementPage::tr("The first was right");
    case Standing::Known:
        return PlacementPage::tr("Both were right");
    }
    return {};
}

/// What this version has of a module, and nothing that it has not.
QString writtenText(const lessons::Curriculum& curriculum, int module)
{
    const auto own = std::ranges::count(curriculum.heads, module, &lessons::Lesson::module);
    if (own == 0)
        return PlacementPage::tr("no lessons in this version");
    const QString lessons = own == 1 ? PlacementPage::tr("1 lesson") : PlacementPage::tr("%1 lessons").arg(own);
    return curriculum.capstone(module) ? PlacementPage::tr("%1 and a capstone").arg(lessons) : lessons;
}

QWidget* addRow(QVBoxLayout* column)
{
    auto* row = new QWidget;
    new FlowLayout(row);
    column->addWidget(row);
    return row;
}

} // namespace

PlacementPage::PlacementPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_scroll(new ColumnScroll(760, tr("Where to begin"), this)),
      m_formulas(std::make_unique<FormulaLibrary>(context.theme(), context.dataFolder())),
      m_card(std::make_unique<InfoCard>(context, this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
}

PlacementPage::~PlacementPage()
{
    delete m_scroll; // at once: its block refers to the questions
}

Result<void> PlacementPage::open(const QString& part)
{
    if (!part.isEmpty())
        return Error{"unknown-page", "Where to begin has no part " + part.toStdString() + ".", "--open",
                     "Open placement"};
    if (m_begun)
        return {}; // as it was left
    m_begun = true;
    read();
    const bool more = m_placement && lessons::nextQuestion(*m_placement, m_attempt.answers);
    show(m_attempt.answers.empty() ? View::Intro : more ? View::Question : View::Result);
    return {};
}

void PlacementPage::read()
{
    lessons::LoadedPlacement loaded = lessons::loadPlacement(m_context.curriculum());
    if (!loaded.problems.empty()) {
        const lessons::Problem& first = loaded.problems.front();
        m_problem = tr("%1, line %2: %3").arg(qt(first.at.file)).arg(first.at.line).arg(qt(first.message));
    }
    m_placement = std::move(loaded.placement);
    if (!m_placement)
        return;
    m_state = std::make_unique<LessonState>(m_context, lessons::placementLesson(*m_placement));
    if (const record::Store* store = m_context.store())
        if (auto rows = store->answers(std::string(lessons::kPlacementLesson)))
            m_attempt = newestAttempt(*m_placement, std::move(*rows));
}

void PlacementPage::begin()
{
    m_attempt = {record::timeStamp(), {}};
    show(View::Question);
}

void PlacementPage::show(View view)
{
    m_scroll->clear();
    m_block = nullptr;
    if (!m_placement) {
        auto* empty = new EmptyState(
            m_context.theme(), tr("There are no questions"),
            m_problem.isEmpty() ? tr("This curriculum has no file placement.yaml. Every lesson is open all the same.")
                                : m_problem,
            tr("To the lessons"));
        connect(empty, &EmptyState::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("learn")); });
        m_scroll->column()->addWidget(empty);
    } else if (view == View::Intro) {
        showIntro();
    } else if (view == View::Question && lessons::nextQuestion(*m_placement, m_attempt.answers)) {
        showQuestion();
    } else {
        showResult();
    }
    m_scroll->column()->addStretch(1);
    Q_EMIT commandsChanged();
}

void PlacementPage::addHead(const QString& caption, const QString& heading, const QString& text)
{
    Theme& theme = m_context.theme();
    m_scroll->column()->addWidget(makeLabel(theme, caption, TextStyle::Caption, QStringLiteral("hint")));
    m_scroll->column()->addWidget(makeText(theme, heading, TextStyle::ReadH2));
    if (!text.isEmpty())
        m_scroll->column()->addWidget(makeText(theme, text, TextStyle::ReadBody, QStringLiteral("muted")));
}

QPushButton* PlacementPage::addButton(QWidget* row, const QString& name, const QString& text, const QString& help,
                                      bool primary, std::function<void()> pressed)
{
    QPushButton* button = makeButton(text, help, primary);
    button->setObjectName(name);
    row->layout()->addWidget(button);
    connect(button, &QPushButton::clicked, this, std::move(pressed));
    return button;
}

void PlacementPage::showIntro()
{
    addHead(tr("Where to begin"), tr("A few predictions, and you know where to start"),
            tr("There are two for each of %1 areas. The second of an area comes only after the first was right, so "
               "it is %1 to %2 in all. A wrong answer costs nothing, nobody grades any of it, and you can leave at "
               "any time: what you have answered stays.")
                .arg(m_placement->areas.size())
                .arg(m_placement->questions()));
    QWidget* row = addRow(m_scroll->column());
    addButton(row, QStringLiteral("begin"), tr("Ask me"), tr("Shows the first question"), true, [this] {
        begin();
    })->setFocus();
    addButton(row, QStringLiteral("leave"), tr("Not now"), tr("Goes to Home"), false,
              [this] { Q_EMIT m_context.openRequested(QStringLiteral("home")); });
}

void PlacementPage::showQuestion()
{
    const lessons::PlacementQuestion* asked = lessons::nextQuestion(*m_placement, m_attempt.answers);
    const lessons::PlacementArea* area = m_placement->areaOf(asked->block.id);
    addHead(tr("Question %1 · at most %2 more")
                .arg(m_attempt.answers.size() + 1)
                .arg(lessons::mostLeft(*m_placement, m_attempt.answers) - 1),
            qt(area->title));
    const ReaderContext reader{m_context, *m_state, *m_formulas, *m_card};
    m_block = new PlacementBlock(reader, *asked, m_attempt.id);
    m_scroll->column()->addWidget(m_block);
    connect(m_block, &PlacementBlock::typed, this, &Page::commandsChanged);
    connect(m_block, &PlacementBlock::answered, this, [this, asked](bool right) {
        m_attempt.answers.push_back({asked->block.id, right});
        addNext();
    });
    QWidget* row = m_ways = addRow(m_scroll->column());
    addButton(row, QStringLiteral("enough"), tr("That is enough"), tr("Shows where to begin after what was answered"),
              false, [this] { show(View::Result); });
    m_block->focusInput();
}

void PlacementPage::addNext()
{
    QWidget* row = m_ways; // never by its name: that of the question before may not be gone yet
    const bool more = lessons::nextQuestion(*m_placement, m_attempt.answers);
    qDeleteAll(row->findChildren<QPushButton*>());
    QPushButton* next = addButton(row, QStringLiteral("next"), more ? tr("Next question") : tr("Where to begin"),
                                  more ? tr("Goes on") : tr("Shows what follows from the answers"), true,
                                  [this] { show(View::Question); });
    if (more)
        addButton(row, QStringLiteral("enough"), tr("That is enough"),
                  tr("Shows where to begin after what was answered"), false, [this] { show(View::Result); });
    next->setFocus();
    Q_EMIT commandsChanged();
}

lessons::PlacementAdvice PlacementPage::advice() const
{
    if (!m_placement)
        return {};
    const std::vector<std::string> order = lessonsOf(m_context.curriculum(), learnerChoices());
    return lessons::advise(m_context.curriculum(), *m_placement, m_attempt.answers, order);
}

void PlacementPage::showResult()
{
    const auto& curriculum = m_context.curriculum();
    const lessons::PlacementAdvice follows = advice();
    const auto right = std::ranges::count(m_attempt.answers, true, &lessons::PlacementAnswer::right);
    const QString counted = tr("%1 answered, %2 right. ").arg(m_attempt.answers.size()).arg(right);
    if (!follows.begin.empty())
        addHead(tr("Where to begin"),
                tr("Begin with %1, %2").arg(qt(follows.begin), qt(curriculum.titleOf(follows.begin))),
                counted + tr("It is the first lesson on your path in an area that you do not know yet. All others stay "
                             "open, in any order."));
    else
        addHead(tr("Where to begin"), tr("No lesson of this version lies before you"),
                counted + tr("Each belongs to an area in which both answers were right. All stay open, in any order."));
    addAreas();
    QWidget* row = addRow(m_scroll->column());
    QPushButton* first = nullptr;
    const auto add = [&](const QString& name, const QString& text, const QString& help, std::function<void()> pressed) {
        QPushButton* button = addButton(row, name, text, help, first == nullptr, std::move(pressed));
        if (!first)
            first = button;
    };
    const auto opens = [this](const QString& page) { return [this, page] { Q_EMIT m_context.openRequested(page); }; };
    if (!follows.begin.empty())
        add(QStringLiteral("start"), tr("Begin with lesson %1").arg(qt(follows.begin)),
            qt(curriculum.titleOf(follows.begin)), opens(QStringLiteral("lesson/") + qt(follows.begin)));
    for (const std::string& id : follows.fastTrack)
        add(QStringLiteral("fast:") + qt(id), tr("Fast track: capstone of module %1").arg(curriculum.head(id)->module),
            qt(curriculum.titleOf(id)), opens(QStringLiteral("lesson/") + qt(id)));
    if (lessons::nextQuestion(*m_placement, m_attempt.answers))
        add(QStringLiteral("goOn"), tr("Go on with the questions"), tr("Asks what was not asked yet"),
            [this] { show(View::Question); });
    addFoundations(row);
    add(QStringLiteral("again"), tr("Ask me again"), tr("Begins anew; what was answered stays in your record"),
        [this] { begin(); });
    first->setFocus();
}

void PlacementPage::addAreas()
{
    const auto& curriculum = m_context.curriculum();
    auto* card = new Card(tr("Areas"));
    card->column()->setContentsMargins(space::xl, space::m, space::xl, space::m);
    auto* facts = new FactTable(m_context.theme(), tr("What was answered in each area"));
    facts->setNameRoom(170);
    for (const lessons::PlacementArea& area : m_placement->areas) {
        QStringList written;
        for (const int module : area.modules)
            written << writtenText(curriculum, module);
        facts->addRow(qt(area.title),
                      QStringLiteral("%1 · %2").arg(standingText(lessons::standingOf(area, m_attempt.answers)),
                                                    written.join(QStringLiteral(", "))));
    }
    card->column()->addWidget(facts);
    m_scroll->column()->addWidget(card);
    m_scroll->column()->addSpacing(space::s);
}

/// Who knows machine and language may leave what newcomers read first for the end of every path.
void PlacementPage::addFoundations(QWidget* row)
{
    const auto& foundations = m_context.curriculum().foundations;
    const bool known = !foundations.empty() && std::ranges::all_of(foundations, [&](const std::string& id) {
        const lessons::PlacementArea* area = m_placement->areaOf(id.front() - '0');
        return area && lessons::standingOf(*area, m_attempt.answers) == Standing::Known;
    });
    if (!known || learnerChoices().background == Experience::Cuda)
        return;
    QPushButton* last = addButton(row, QStringLiteral("foundationsLast"), tr("Put the foundations last"),
                                  tr("On your path; Home changes it back at any time"), false, [] {});
    connect(last, &QPushButton::clicked, this, [this] {
        LearnerChoices choices = learnerChoices();
        choices.background = Experience::Cuda;
        changeChoices(m_context, choices);
        show(View::Result);
    });
}

bool PlacementPage::can(Command command) const
{
    return (command == Command::Commit || command == Command::Run) && m_block && m_block->canActivate();
}

void PlacementPage::perform(Command command)
{
    if (can(command))
        m_block->activate();
}

QList<QWidget*> PlacementPage::panes() const
{
    return {m_scroll};
}

} // namespace ridge::app

#include "moc_placement_page.cpp"
