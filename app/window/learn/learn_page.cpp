// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/learn/learn_page.h"

#include "app/lesson/reader/lesson_places.h"
#include "app/ui/choice_pickers.h"
#include "app/window/home/lesson_progress.h"
#include "app/window/learn/module_page.h"
#include "app/window/learn/outline.h"
#include "app/window/learn/overview.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QStackedWidget>
#include <algorithm>

namespace ridge::app {
namespace {

std::optional<BenchProposal> proposalOf(const lessons::BlockBody& body)
{
    if (const auto* predict = std::get_if<lessons::PredictBlock>(&body))
        return BenchProposal{predict->experiment, predict->at, {}};
    if (const auto* run = std::get_if<lessons::RunBlock>(&body))
        return BenchProposal{run->experiment, run->set, {}};
    if (const auto* sweep = std::get_if<lessons::SweepBlock>(&body))
        return BenchProposal{sweep->experiment, sweep->set, sweep->sweep};
    if (const auto* challenge = std::get_if<lessons::ChallengeBlock>(&body))
        return BenchProposal{challenge->experiment, challenge->set, {}};
    return {};
}

constexpr int kLeastSide = 256, kMostSide = 360;
constexpr int kRefreshMs = 100; ///< rows of a sweep come in bursts

/// Lessons kept alive besides those that run something; more would keep their charts and scenes in memory.
constexpr std::size_t kKeptLessons = 3;

} // namespace

LearnPage::LearnPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_outline(new LessonOutline(context)), m_side(new QWidget),
      m_stack(new QStackedWidget)
{
    setAccessibleName(tr("Learn"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setAccessibleName(tr("Outline and lesson"));
    auto* sideColumn = new QVBoxLayout(m_side);
    sideColumn->setContentsMargins(0, 0, 0, 0);
    sideColumn->setSpacing(0);
    m_side->setAccessibleName(tr("Outline"));
    if (!context.curriculum().paths.empty()) {
        auto* top = new QVBoxLayout;
        top->setContentsMargins(space::m, space::m, space::m, 0);
        top->addWidget(makePathPicker(context));
        sideColumn->addLayout(top);
    }
    sideColumn->addWidget(m_outline, 1);
    splitter->addWidget(m_side);
    splitter->addWidget(m_stack);
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    splitter->setCollapsible(1, false);
    splitter->setHandleWidth(1);
    layout->addWidget(splitter);
    connect(splitter, &QSplitter::splitterMoved, this, [this] { m_sideChosen = true; });
    m_splitter = splitter;
    connect(m_outline, &LessonOutline::chosen, &context, &AppContext::openRequested);
    connect(&context, &AppContext::catalogueReady, this, &Page::readyChanged);
    connect(&context, &AppContext::catalogueFailed, this, &Page::readyChanged);
    if (record::Store* store = context.store())
        connect(store, &record::Store::changed, this, [this] {
            m_hasRuns.clear();
            if (!m_refresh.isActive())
                m_refresh.start(kRefreshMs);
        });
    m_refresh.setSingleShot(true);
    connect(&m_refresh, &QTimer::timeout, this, [this] {
        m_outline->refreshProgress();
        Q_EMIT commandsChanged(); // there may be something to pin now
        if (m_overview && m_overview->isVisible())
            m_overview->refreshProgress(); // open() does it too
        if (m_module && m_module->isVisible())
            m_module->refresh();
    });
    updateOutline();
}

LessonPage* LearnPage::lesson() const
{
    return qobject_cast<LessonPage*>(m_stack->currentWidget());
}

ModulePage* LearnPage::module() const
{
    return qobject_cast<ModulePage*>(m_stack->currentWidget());
}

QScrollArea* LearnPage::plainPage() const
{
    return qobject_cast<QScrollArea*>(lesson() ? nullptr : m_stack->currentWidget());
}

CurriculumOverview* LearnPage::overview()
{
    if (!m_overview)
        m_stack->addWidget(m_overview = new CurriculumOverview(m_context));
    return m_overview;
}

Result<void> LearnPage::open(const QString& part)
{
    auto opened = showPart(part);
    if (!opened && !m_stack->currentWidget())
        overview(); // whoever asked may stay here
    return opened;
}

Result<void> LearnPage::showPart(const QString& part)
{
    if (part.startsWith(QLatin1String("module/")))
        return openModule(part.section(QLatin1Char('/'), 1));
    if (!part.isEmpty()) {
        auto opened = openLesson(part.section(QLatin1Char('#'), 0, 0));
        if (const QString place = part.section(QLatin1Char('#'), 1); opened && !place.isEmpty())
            lesson()->openPlace(place);
        return opened;
    }
    overview()->refreshProgress();
    m_stack->setCurrentWidget(m_overview);
    m_outline->setCurrentLesson({});
    updateOutline();
    Q_EMIT titleChanged();
    Q_EMIT commandsChanged();
    return {};
}

Result<void> LearnPage::openModule(const QString& number)
{
    const auto& modules = m_context.curriculum().modules;
    const auto known = std::find_if(modules.begin(), modules.end(), [&number](const lessons::ModuleInfo& each) {
        return QString::number(each.number) == number;
    });
    if (known == modules.end())
        return Error{"unknown-page", "There is no module " + number.toStdString() + ".", "curriculum",
                     "Modules are module/1 to module/" + std::to_string(modules.size()) + "."};
    if (m_module && m_module->number() == known->number) {
        m_module->refresh();
    } else {
        if (m_module)
            m_module->deleteLater();
        m_module = new ModulePage(m_context, known->number, m_stack);
        m_stack->addWidget(m_module);
    }
    m_stack->setCurrentWidget(m_module);
    m_outline->setCurrentLesson({});
    updateOutline();
    Q_EMIT titleChanged();
    Q_EMIT commandsChanged();
    return {};
}

Result<void> LearnPage::openLesson(const QString& id)
{
    const lessons::Curriculum& curriculum = m_context.curriculum();
    if (!curriculum.head(id.toStdString())) {
        std::vector<std::string> ids;
        for (const lessons::Lesson& head : curriculum.heads)
            ids.push_back(head.id);
        for (const lessons::Lesson& head : curriculum.capstones)
            ids.push_back(head.id);
        QStringList near;
        for (const std::string& name : nearestNames(id.toStdString(), ids))
            near << QString::fromStdString(name);
        return Error{"unknown-page", "There is no lesson " + id.toStdString() + ".", "curriculum",
                     near.isEmpty() ? "Open learn to see the lessons."
                                    : "Did you mean " + near.join(QStringLiteral(", ")).toStdString() + "?"};
    }
    auto found = std::find_if(m_lessons.begin(), m_lessons.end(),
                              [&id](const LessonPage* page) { return page->lessonId() == id; });
    LessonPage* page = nullptr;
    if (found != m_lessons.end()) {
        page = *found;
        m_lessons.erase(found);
    } else {
        page = new LessonPage(m_context, id, m_stack);
        m_stack->addWidget(page);
        connect(page, &LessonPage::blockInViewChanged, this, [this](const QString& block) {
            m_blockInView = block;
            Q_EMIT commandsChanged();
        });
        connect(page, &LessonPage::readyChanged, this, &Page::readyChanged);
        connect(page, &LessonPage::changesChanged, this, &Page::commandsChanged);
    }
    m_lessons.push_back(page);
    m_stack->setCurrentWidget(page);
    trim();
    noteLessonOpened(id);
    m_blockInView.clear();
    auto text = lessons::loadLesson(m_context.curriculum(), id.toStdString());
    m_text = text ? std::optional(std::move(*text)) : std::nullopt;
    m_outline->refreshProgress();
    m_outline->setCurrentLesson(id);
    updateOutline();
    Q_EMIT titleChanged();
    Q_EMIT commandsChanged();
    return {};
}

void LearnPage::trim()
{
    for (auto at = m_lessons.begin(); m_lessons.size() > kKeptLessons && at != m_lessons.end();) {
        if ((*at)->runningJobs() > 0 || *at == m_lessons.back()) {
            ++at;
            continue;
        }
        (*at)->deleteLater();
        at = m_lessons.erase(at);
    }
}

QString LearnPage::title() const
{
    if (const LessonPage* page = lesson())
        return page->title();
    return module() ? module()->story().title : tr("Learn");
}

QString LearnPage::part() const
{
    if (const LessonPage* page = lesson())
        return page->lessonId();
    return module() ? QStringLiteral("module/%1").arg(module()->number()) : QString();
}

bool LearnPage::ready() const
{
    const LessonPage* page = lesson();
    return (m_context.hasCatalogue() || m_context.catalogueError()) && (!page || page->ready());
}

int LearnPage::runningJobs() const
{
    int jobs = 0;
    for (const LessonPage* page : m_lessons)
        jobs += page->runningJobs();
    return jobs;
}

void LearnPage::cancelRuns()
{
    for (LessonPage* page : m_lessons)
        page->cancelRuns();
}

bool LearnPage::can(Command command) const
{
    switch (command) {
    case Command::Run:
    case Command::Commit:
    case Command::Ship:
    case Command::NextBlock:
    case Command::PreviousBlock:
    case Command::Prediction:
    case Command::Find:
        return lesson() != nullptr;
    case Command::Note:
        return lesson() && lesson()->places();
    case Command::Undo:
        return changes() && changes()->canUndo();
    case Command::Redo:
        return changes() && changes()->canRedo();
    default:
        return false;
    }
}

void LearnPage::perform(Command command)
{
    LessonPage* page = lesson();
    if (!page)
        return;
    switch (command) {
    case Command::Run:
    case Command::Commit:
        return page->commitAndRun();
    case Command::Ship:
        return page->shipArtifact();
    case Command::NextBlock:
        return page->nextBlock();
    case Command::PreviousBlock:
        return page->previousBlock();
    case Command::Prediction:
        return page->focusPrediction();
    case Command::Find:
        if (LessonPlaces* places = page->places())
            places->find();
        return;
    case Command::Undo:
    case Command::Redo:
        if (QUndoStack* stack = changes())
            command == Command::Undo ? stack->undo() : stack->redo();
        return;
    case Command::Note:
        if (LessonPlaces* places = page->places())
            places->addNote();
        return;
    default:
        return;
    }
}

double LearnPage::scrollFraction() const
{
    const LessonPage* page = lesson();
    if (!page && !plainPage())
        return 0; // nothing was opened yet
    return page ? page->scrollFraction() : app::scrollFraction(plainPage());
}

void LearnPage::setScrollFraction(double fraction)
{
    if (LessonPage* page = lesson())
        page->setScrollFraction(fraction);
    else
        app::setScrollFraction(plainPage(), fraction);
}

bool LearnPage::scrollToBlock(const QString& blockId)
{
    LessonPage* page = lesson();
    if (!page || !page->blockWidget(blockId))
        return false;
    page->scrollToBlock(blockId);
    return true;
}

/// The outline takes a part of a large window, where names need not be cut.
void LearnPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    const int side = std::clamp(width() * 17 / 100, kLeastSide, m_context.theme().scaled(kMostSide));
    if (!m_sideChosen)
        m_splitter->setSizes({side, std::max(1, width() - side)});
}

QList<QWidget*> LearnPage::panes() const
{
    if (LessonPage* page = lesson())
        return m_side->isVisibleTo(this) ? QList<QWidget*>{page, m_side} : QList<QWidget*>{page};
    if (ModulePage* page = module())
        return page->continueButton() ? QList<QWidget*>{page->continueButton()} : QList<QWidget*>{page};
    return m_overview ? QList<QWidget*>{m_overview} : QList<QWidget*>{};
}

const lessons::Block* LearnPage::blockInView() const
{
    if (!m_text || !lesson())
        return nullptr;
    // What one works in counts more than what has scrolled to the middle.
    const QString focused = lesson()->focusedBlock();
    return m_text->block((focused.isEmpty() ? m_blockInView : focused).toStdString());
}

std::optional<BenchProposal> LearnPage::benchProposal() const
{
    const lessons::Block* inView = blockInView();
    if (!inView)
        return {};
    // A scene, a quiz or a term is about the experiment before it.
    std::optional<BenchProposal> last;
    for (const lessons::Block* block : m_text->blocks()) {
        if (auto own = proposalOf(block->body))
            last = std::move(own);
        if (block == inView)
            break;
    }
    return last;
}

std::optional<record::RunRow> LearnPage::newestRun(const lessons::Block& block) const
{
    if (!m_context.store())
        return {};
    record::RunFilter filter;
    filter.lesson = m_text->id;
    const auto* scene = std::get_if<lessons::SceneBlock>(&block.body);
    filter.block = scene ? scene->of : block.id;
    filter.limit = 1;
    auto newest = m_context.store()->runs(filter);
    return newest && !newest->empty() ? std::optional(std::move(newest->front())) : std::nullopt;
}

bool LearnPage::hasRunsInView() const
{
    const lessons::Block* block = blockInView();
    if (!block)
        return false;
    const QString key = QString::fromStdString(m_text->id + '/' + block->id);
    if (const auto known = m_hasRuns.constFind(key); known != m_hasRuns.cend())
        return *known;
    return *m_hasRuns.insert(key, newestRun(*block).has_value());
}

std::vector<record::RunRow> LearnPage::runsInView() const
{
    const lessons::Block* block = blockInView();
    auto newest = block ? newestRun(*block) : std::nullopt;
    if (!newest)
        return {};
    m_context.feedback().withhold(*newest);
    if (newest->sweepId.empty())
        return {std::move(*newest)};
    record::RunFilter filter;
    filter.lesson = newest->lesson;
    filter.block = newest->block;
    filter.sweepId = newest->sweepId;
    auto all = m_context.store()->runs(filter);
    if (!all)
        return {};
    m_context.feedback().withhold(*all);
    std::reverse(all->begin(), all->end()); // as they were made
    return std::move(*all);
}

void LearnPage::setOutlineShown(bool shown)
{
    m_outlineWanted = shown;
    updateOutline();
}

void LearnPage::updateOutline()
{
    // The list of modules is an outline itself; two of them would only say everything twice.
    m_side->setVisible(m_outlineWanted && lesson());
}

} // namespace ridge::app

#include "moc_learn_page.cpp"
