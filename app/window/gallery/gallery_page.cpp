// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/gallery/gallery_page.h"

#include "app/runs/table/run_data.h"
#include "app/runs/table/run_loader.h"
#include "app/ui/filter_bar.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/scrolled.h"
#include "app/ui/target_box.h"
#include "app/ui/targets.h"
#include "app/window/gallery/card_delegate.h"
#include "base/json.h"
#include "base/target_choice.h"
#include "base/units.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QSettings>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kHeadsRead = 5000;                  ///< of the newest: what was run last does not lie far back
constexpr int kCardWidth = 340, kSideWidth = 320; ///< px at 100 %
constexpr int kSideFrom = 900;                    ///< px at 100 % from which there is room for the chosen card beside

const QString kFavourites = QStringLiteral("gallery/favourites");

QString q(const std::string& text)
{
    return QString::fromStdString(text);
}

/// "stride 8: 33 sectors/request, SIM, today 20:10 on H100 SXM"
QString runWords(const record::RunHead& run, const AppContext& context)
{
    QStringList words;
    const ExperimentInfo* info = context.experiment(run.experiment);
    const Json params = Json::parse(run.params, nullptr, false);
    if (const auto read = paramSetFromJson(params, "record"); info && read)
        words << parameterText(*read, info, tellingParameters(*read, run.target, *info));
    if (!run.metric.empty())
        words << GalleryPage::tr("%1, %2").arg(q(formatQuantity(run.value, run.unit)),
                                               q(std::string(shortLabel(run.provenance))));
    words << GalleryPage::tr("%1 on %2").arg(readableTime(run.createdAt), context.targetInfo(q(run.target)).title);
    words.removeAll(QString());
    return words.join(QStringLiteral(" · "));
}

} // namespace

GalleryPage::GalleryPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_model(new GalleryModel(context, this)),
      m_delegate(new CardDelegate(context.theme(), *m_model, this)),
      m_filter(new FilterBar(context.theme(), tr("Filter cards"), tr("Filter by title, text or lesson"))),
      m_kinds(m_filter->addPicker(tr("Kind"), tr("All kinds"))),
      m_modules(m_filter->addPicker(tr("Module"), tr("All modules"))),
      m_shows(m_filter->addPicker(tr("State"), tr("All states"))), m_view(new QListView)
{
    setAccessibleName(tr("Gallery"));
    m_filter->fill(m_kinds, {{tr("Experiments"), QString::number(int(GalleryCard::Kind::Experiment))},
                             {tr("Tasks"), QString::number(int(GalleryCard::Kind::Task))},
                             {tr("Kernels"), QString::number(int(GalleryCard::Kind::Kernel))}});
    std::vector<std::pair<QString, QString>> modules;
    for (const auto& module : context.curriculum().modules)
        modules.emplace_back(QStringLiteral("%1. %2").arg(module.number).arg(q(module.title)),
                             QString::number(module.number));
    m_filter->fill(m_modules, modules);
    m_filter->fill(m_shows, {{tr("Favourites"), QString::number(int(GalleryQuery::Show::Favourites))},
                             {tr("Tried, newest first"), QString::number(int(GalleryQuery::Show::Recent))},
                             {tr("Not tried yet"), QString::number(int(GalleryQuery::Show::Untried))}});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::xl, space::l, space::xl, space::l);
    column->setSpacing(space::s);
    column->addWidget(makeLabel(context.theme(), tr("Gallery"), TextStyle::ReadH2));
    column->addWidget(makeText(context.theme(),
                               tr("Experiments, graded tasks and kernels. A dashed picture shows the kind of chart; a "
                                  "solid one is your newest sweep, from its least to its greatest value."),
                               TextStyle::Body, QStringLiteral("muted")));
    column->addWidget(m_filter);
    auto* row = new QHBoxLayout;
    row->setSpacing(space::m);
    column->addLayout(row, 1);
    m_view->setModel(m_model);
    m_view->setItemDelegate(m_delegate);
    m_view->setAccessibleName(tr("Cards; Enter opens one"));
    m_view->setViewMode(QListView::IconMode);
    m_view->setMovement(QListView::Static);
    m_view->setResizeMode(QListView::Adjust);
    m_view->setUniformItemSizes(true);
    m_view->setMouseTracking(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setStyleSheet(QStringLiteral("QListView { border: none; background: transparent; padding: 0; }"));
    m_view->viewport()->installEventFilter(this);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // or the width of a card depends on how many there are
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    row->addWidget(m_view, 1);
    row->addWidget(makeSide());
    connect(m_filter, &FilterBar::changed, this, &GalleryPage::applyQuery);
    connect(m_view, &QListView::activated, this, &GalleryPage::openChosen);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, &GalleryPage::showChosen);
    connect(&context, &AppContext::catalogueReady, this, [this] {
        fillCards();
        Q_EMIT readyChanged();
    });
    connect(&context, &AppContext::catalogueFailed, this, [this] { Q_EMIT readyChanged(); });
    connect(&context.theme(), &Theme::changed, this, &GalleryPage::fit);
    m_model->setFavourites(QSettings().value(kFavourites).toStringList());
    fillCards();
    fit();
}

QWidget* GalleryPage::makeSide()
{
    Theme& theme = m_context.theme();
    m_side = new Card(tr("The chosen card"));
    auto* body = new QWidget;
    body->setAccessibleName(tr("The chosen card"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    m_title = makeText(theme, {}, TextStyle::Strong);
    m_state = makeText(theme, {}, TextStyle::Caption, QStringLiteral("hint"));
    m_about = makeText(theme, {});
    m_latest = makeText(theme, {});
    m_open = makeButton(tr("Open"), tr("Opens what the card shows (Enter)"), true);
    m_favourite = makeButton({}, tr("Favourites come first in the gallery"));
    m_other = makeButton(tr("On another chip"), tr("Opens the bench with the settings of the last run and the target "
                                                   "that you choose; nothing runs yet"));
    m_chips = new QMenu(m_other);
    m_chips->setAccessibleName(tr("Targets"));
    m_other->setMenu(m_chips);
    m_lesson = makeButton({}, tr("Opens the lesson that this task goes with"));
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("What can be done with the card"));
    auto* buttons = new FlowLayout(bar);
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(space::s);
    for (QPushButton* button : {m_open, m_favourite, m_other, m_lesson})
        buttons->addWidget(button);
    for (QWidget* each : std::initializer_list<QWidget*>{m_title, m_state, bar, m_about, m_latest})
        column->addWidget(each);
    column->addStretch(1);
    m_side->column()->addWidget(scrolled(body, tr("The chosen card")));
    connect(m_open, &QPushButton::clicked, this, &GalleryPage::openChosen);
    connect(m_favourite, &QPushButton::clicked, this, &GalleryPage::toggleFavourite);
    connect(m_chips, &QMenu::aboutToShow, this, &GalleryPage::fillChips);
    connect(m_lesson, &QPushButton::clicked, this, [this] {
        if (const GalleryCard* card = chosen())
            Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + card->lesson);
    });
    return m_side;
}

Result<void> GalleryPage::open(const QString& part)
{
    if (part.isEmpty())
        return {};
    return Error{"unknown-page", "The gallery has no page of that name.", "gallery/" + part.toStdString(),
                 "Open “gallery”."};
}

bool GalleryPage::ready() const
{
    return (m_context.hasCatalogue() || m_context.catalogueError().has_value()) && !m_reading;
}

void GalleryPage::perform(Command command)
{
    if (command == Command::Find)
        m_filter->text()->setFocus(Qt::ShortcutFocusReason);
}

QList<QWidget*> GalleryPage::panes() const
{
    return {m_view, m_filter->text()};
}

void GalleryPage::fillCards()
{
    m_model->setCards(galleryCards(m_context.experiments(), m_context.dataFolder()));
    applyQuery();
}

/// What was run or graded since the page was last seen.
void GalleryPage::refresh()
{
    const record::Store* store = m_context.store();
    if (!store || m_reading)
        return;
    const QString kept = chosen() ? chosen()->key() : QString();
    m_model->setStandings(taskStandings(m_context, kernelsIn(store->folder())));
    choose(kept);
    record::RunHeadFilter newest;
    newest.limit = kHeadsRead;
    newest.metricOf = headlineMetrics(m_context.experiments());
    m_reading = true;
    using Runs = std::map<std::string, CardRuns>;
    readInBackground<Runs>(
        Background::of(m_context), *store, this,
        [newest = std::move(newest),
         withheld = m_context.feedback().withheld(Outcome::Result)](const record::Store& reader) -> Result<Runs> {
            auto heads = reader.runHeads(newest);
            return heads ? Result<Runs>(cardRuns(std::move(*heads), withheld)) : Result<Runs>(heads.error());
        },
        [this](Result<Runs> runs) {
            m_reading = false;
            if (runs) {
                const QString key = chosen() ? chosen()->key() : QString();
                m_model->setRuns(std::move(*runs));
                choose(key);
            } else {
                Q_EMIT m_context.notice(asSentence(q(toText(runs.error()))), true);
            }
            Q_EMIT readyChanged();
        });
}

void GalleryPage::applyQuery()
{
    const QString kept = chosen() ? chosen()->key() : QString();
    GalleryQuery query;
    query.text = m_filter->text()->text();
    if (const QString kind = m_kinds->currentData().toString(); !kind.isEmpty())
        query.kind = GalleryCard::Kind(kind.toInt());
    query.module = m_modules->currentData().toString().toInt();
    query.show = GalleryQuery::Show(m_shows->currentData().toString().toInt());
    m_model->setQuery(query);
    choose(kept);
}

const GalleryCard* GalleryPage::chosen() const
{
    return m_model->card(m_view->currentIndex());
}

/// That card again, or the first, after the list was filled.
void GalleryPage::choose(const QString& key)
{
    const QModelIndex found = m_model->indexOf(key);
    m_view->setCurrentIndex(found.isValid() ? found : m_model->index(0));
    m_filter->setCount(tr("%1 of %2").arg(m_model->rowCount()).arg(m_model->total()));
    showChosen();
}

void GalleryPage::showChosen()
{
    const GalleryCard* card = chosen();
    for (QWidget* each : std::initializer_list<QWidget*>{m_state, m_about, m_latest, m_open, m_favourite})
        each->setVisible(card);
    const CardRuns* runs = card ? m_model->runs(*card) : nullptr;
    m_other->setVisible(card && card->kind == GalleryCard::Kind::Experiment);
    m_lesson->setVisible(card && m_context.curriculum().head(card->lesson.toStdString()));
    m_latest->setVisible(runs);
    if (!card) {
        m_title->setText(m_context.hasCatalogue() ? tr("No card is like this. Clear the filter to see all of them.")
                                                  : tr("Asking for the experiments …"));
        return;
    }
    m_title->setText(card->title);
    m_state->setText(tr("%1 · %2").arg(kindWords(card->kind), m_model->stateWords(*card)));
    m_about->setText(card->about);
    m_favourite->setText(m_model->isFavourite(*card) ? tr("★ Favourite") : tr("☆ Favourite"));
    m_lesson->setText(tr("Lesson %1").arg(card->lesson));
    if (!runs)
        return;
    QStringList lines{tr("Last runs")};
    for (const record::RunHead& run : runs->latest)
        lines << runWords(run, m_context);
    m_latest->setText(lines.join(QStringLiteral("\n\n")));
}

void GalleryPage::openChosen()
{
    const GalleryCard* card = chosen();
    if (!card)
        return;
    if (card->kind == GalleryCard::Kind::Experiment)
        return Q_EMIT m_context.openRequested(QStringLiteral("lab/") + card->id);
    if (!m_context.store())
        return Q_EMIT m_context.notice(tr("Kernels need the store, which is not open."), true);
    if (card->kind == GalleryCard::Kind::Task)
        return Q_EMIT m_context.openRequested(QStringLiteral("kernel/task/") + card->id);
    const auto name = ownKernelOfFile(m_context.store()->folder(), card->file);
    if (!name)
        return Q_EMIT m_context.notice(asSentence(q(toText(name.error()))), true);
    Q_EMIT m_context.openRequested(QStringLiteral("kernel/") + q(*name));
}

void GalleryPage::toggleFavourite()
{
    const GalleryCard* card = chosen();
    if (!card)
        return;
    const QString key = card->key();
    m_model->setFavourite(*card, !m_model->isFavourite(*card));
    QSettings().setValue(kFavourites, m_model->favourites());
    choose(key);
}

/// Made when it is asked for: there are some eighty targets.
void GalleryPage::fillChips()
{
    m_chips->clear();
    const GalleryCard* card = chosen();
    const ExperimentInfo* info = card ? m_context.experiment(card->id.toStdString()) : nullptr;
    if (!info)
        return;
    const CardRuns* runs = m_model->runs(*card);
    const QString run = runs ? QStringLiteral("/") + q(runs->latest.front().id) : QString();
    const QString last = runs ? q(runs->latest.front().target) : QString();
    std::vector<TargetEntry> entries;
    for (const AppContext::Target& target : targetsOf(m_context))
        if (target.id != last && canRun(*info, target.id.toStdString()))
            entries.push_back({.id = target.id,
                               .title = target.title,
                               .offer = offerOf(m_context, target.id),
                               .tip = target.available ? QString() : whyNot(target),
                               .enabled = target.available});
    addTargetEntries(m_chips, nullptr, entries,
                     [this, place = QStringLiteral("lab/") + card->id + run](const QString& id) {
                         m_context.setTarget(id);
                         Q_EMIT m_context.openRequested(place);
                     });
}

void GalleryPage::fit()
{
    m_side->setVisible(width() >= m_context.theme().scaled(kSideFrom));
    m_side->setFixedWidth(m_context.theme().scaled(kSideWidth));
    fitCards();
}

/// As many cards in a row as there is room for, all of one width.
void GalleryPage::fitCards()
{
    const int room = std::max(m_view->viewport()->width() - 1, 1); // a row that is full to the last pixel is wrapped
    m_delegate->setWidth(room / std::max(room / m_context.theme().scaled(kCardWidth), 1));
    m_view->setGridSize(m_delegate->sizeHint({}, {}));
}

bool GalleryPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_view->viewport() && event->type() == QEvent::Resize)
        fitCards();
    return Page::eventFilter(watched, event);
}

void GalleryPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    fit();
}

void GalleryPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    fit();
    refresh();
}

} // namespace ridge::app

#include "moc_gallery_page.cpp"
