// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/artifact_view.h"

#include "app/drawing/charts/prediction_mark.h"
#include "app/portfolio/editor_parts.h"
#include "app/portfolio/figures_table.h"
#include "app/portfolio/hint_panel.h"
#include "app/portfolio/reproduce_panel.h"
#include "app/runs/table/chart_kinds.h"
#include "app/runs/table/run_data.h"
#include "app/runs/table/runs_model.h"
#include "app/runs/table/tag_field.h"
#include "app/theme/kept_units.h"
#include "app/ui/facts.h"
#include "app/ui/flow_layout.h"
#include "app/ui/icons.h"
#include "app/ui/panels.h"
#include "base/units.h"
#include "classroom/kernel_lesson.h"
#include "evidence/artifact_draft.h"
#include "record/files/content_files.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>
#include <cmath>

namespace ridge::app {
namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

/// An axis that holds everything, with room at both ends.
RevealBar::Content revealOf(const record::PredictionRow& prediction, const record::RunRow* run)
{
    RevealBar::Content content;
    content.point = prediction.point;
    content.low = prediction.low;
    content.high = prediction.high;
    content.unit = text(prediction.unit);
    double low = std::min(prediction.low, prediction.point);
    double high = std::max(prediction.high, prediction.point);
    if (run) {
        const MetricValue& value = run->metrics.at(prediction.metric);
        content.result = value.value;
        content.provenance = value.provenance;
        low = std::min(low, value.value);
        high = std::max(high, value.value);
    }
    content.logScale = low > 0;
    if (content.logScale) {
        content.min = std::exp2(std::floor(std::log2(low)) - 0.5);
        content.max = std::exp2(std::ceil(std::log2(high)) + 0.5);
    } else {
        const double room = std::max((high - low) * 0.15, 1.0);
        content.min = low - room;
        content.max = high + room;
    }
    return content;
}

constexpr int kColumn = 840, kChartHeight = 360; // px at 100 %

constexpr int kMostRows = 64, kMostLines = 160; ///< of a table and a text that are shown as a whole

/// As much of a file as somebody reads on a page; a log of hundreds of MB would stop the window.
constexpr std::size_t kShownBytes = std::size_t(64) << 10;

/// With so many figures a page is laid out in turns of its own: reading them takes one.
constexpr std::size_t kManyFigures = 2000;

std::string wholeLines(std::string_view bytes)
{
    const std::size_t end = bytes.rfind('\n');
    return std::string(bytes.substr(0, end == std::string_view::npos ? bytes.size() : end));
}

} // namespace

ArtifactView::ArtifactView(AppContext& context, ReproduceRun& reproduce, QWidget* parent)
    : QWidget(parent), m_context(context), m_reproduce(reproduce), m_scroll(new ColumnScroll(kColumn, tr("Artifact"))),
      m_column(m_scroll->column()), m_into(m_column)
{
    setAccessibleName(tr("Artifact"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
}

void ArtifactView::setArtifact(ArtifactBundle bundle, bool stay)
{
    m_tags = nullptr;
    m_stays = stay ? std::optional(m_scroll->verticalScrollBar()->value()) : std::nullopt;
    m_scroll->clear(); // what stands there refers to the bundle, and goes in a later turn of the event loop
    auto* after = new QObject;
    connect(after, &QObject::destroyed, [before = std::make_shared<ArtifactBundle>(std::move(m_bundle))] {});
    after->deleteLater();
    m_bundle = std::move(bundle);
    ++m_shown;
    addHead();
    afterReading([this] { addBody(); });
}

void ArtifactView::afterReading(std::function<void()> add)
{
    const Json& figures = *m_bundle.row.figures;
    if (!figures.is_array() || figures.size() < kManyFigures)
        return add();
    QTimer::singleShot(0, this, [this, add = std::move(add), shown = m_shown] {
        if (shown == m_shown) // else another artifact has taken the page
            add();
    });
}

void ArtifactView::addBody()
{
    addPredictions();
    addCharts();
    addSections();
    addRuns();
    auto* files = new QVBoxLayout;
    files->setSpacing(m_column->spacing());
    m_column->addLayout(files);
    afterReading([this, files] {
        m_into = files;
        addFigures();
        addJournal();
        addCode();
        m_into = m_column;
    });
    addText(tr("Reflection"), m_bundle.row.reflection);
    addReproduction();
    addVersions();
    addHints();
    addMachine();
    addCommands();
    m_column->addStretch(1);
    if (!m_stays)
        return setScrollFraction(m_scroll, 0);
    QTimer::singleShot(0, this, [this, shown = m_shown, at = *m_stays] {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        if (shown == m_shown)
            m_scroll->verticalScrollBar()->setValue(at);
    });
}

bool ArtifactView::focusOnReproduction() const
{
    const QWidget* focus = window()->focusWidget();
    return m_reproduction && (!focus || focus == m_scroll || m_reproduction->isAncestorOf(focus));
}

void ArtifactView::showReproduction()
{
    if (m_reproduction)
        m_reproduction->showVerdict();
}

QVBoxLayout* ArtifactView::section(const QString& title)
{
    auto* card = new Card(title);
    card->column()->addWidget(makeLabel(m_context.theme(), title, TextStyle::ReadH3));
    m_into->addWidget(card);
    return card->column();
}

void ArtifactView::addHead()
{
    Theme& theme = m_context.theme();
    const record::ArtifactRow& row = m_bundle.row;
    auto* head = new QWidget;
    head->setAccessibleName(text(row.title));
    auto* column = new QVBoxLayout(head);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    column->addWidget(makeButtons());
    if (!m_bundle.newest()) {
        auto* banner = new Banner(theme);
        banner->setMessage(tr("This is an earlier version, of %1.").arg(readableTime(row.createdAt)),
                           tr("The versions at the end lead to the newest one."), true);
        banner->setClosable(false);
        banner->show();
        column->addWidget(banner);
    }
    column->addSpacing(space::s);
    column->addWidget(makeText(theme, text(row.title), TextStyle::ReadH1));
    auto* facts = new QHBoxLayout;
    auto* badge = new ProvenanceBadge(theme);
    badge->setProvenance(row.provenance);
    facts->addWidget(badge);
    facts->addWidget(makeLabel(theme,
                               tr("%1 · level %2 of 5 · trust %3 · %4")
                                   .arg(text(row.kind))
                                   .arg(row.level)
                                   .arg(text(row.trust), readableTime(row.createdAt)),
                               TextStyle::Body, QStringLiteral("muted")),
                     1);
    column->addLayout(facts);
    column->addSpacing(space::s);
    column->addWidget(makeText(theme, keptUnits(text(row.question)), TextStyle::ReadBody, QStringLiteral("muted")));
    column->addWidget(makeText(theme, keptUnits(text(row.claim)), TextStyle::ReadBody));
    m_tags = new TagField(theme);
    m_tags->setSubject(tr("the artifact"));
    connect(m_tags, &TagField::added, this, &ArtifactView::tagAdded);
    connect(m_tags, &TagField::removed, this, &ArtifactView::tagRemoved);
    column->addWidget(m_tags);
    m_column->addWidget(head);
}

QWidget* ArtifactView::makeButtons()
{
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("What can be done with the artifact"));
    auto* buttons = new FlowLayout(bar);
    QPushButton* back = makeButton(tr("Portfolio"), tr("Back to all artifacts"));
    back->setFlat(true);
    setThemedIcon(m_context.theme(), back, QStringLiteral("back"));
    connect(back, &QPushButton::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("portfolio")); });
    buttons->addWidget(back);
    if (const std::string& of = m_bundle.row.lesson; !of.empty()) {
        const QString title = classroom::isKernelLesson(of) ? tr("Open its task") : tr("Open lesson %1").arg(text(of));
        QPushButton* lesson = makeButton(title, tr("Where it was made"));
        connect(lesson, &QPushButton::clicked, this,
                [this, page = text(classroom::pageOfLesson(of))] { Q_EMIT m_context.openRequested(page); });
        buttons->addWidget(lesson);
    }
    QPushButton* edit = makeButton(tr("Edit"), tr("Writes a new version; this one stays as it is (Ctrl+Shift+E)"));
    edit->setObjectName(QStringLiteral("edit"));
    connect(edit, &QPushButton::clicked, this, &ArtifactView::editRequested);
    buttons->addWidget(edit);
    QPushButton* remove = makeButton(tr("Take out"), tr("Takes it out of the portfolio; Ctrl+Z brings it back"));
    connect(remove, &QPushButton::clicked, this,
            [this] { QMetaObject::invokeMethod(this, &ArtifactView::removeRequested, Qt::QueuedConnection); });
    buttons->addWidget(remove);
    QPushButton* save = makeButton(tr("Export folder…"),
                                   tr("Writes artifact.json, runs.csv, charts, code, README and checksums"), true);
    connect(save, &QPushButton::clicked, this, &ArtifactView::exportRequested);
    buttons->addWidget(save);
    return bar;
}

void ArtifactView::setTags(const QStringList& tags, const QStringList& known)
{
    if (m_tags)
        m_tags->setTags(tags, known);
}

void ArtifactView::addText(const QString& title, const std::string& words)
{
    if (!words.empty())
        section(title)->addWidget(makeText(m_context.theme(), keptUnits(text(words)), TextStyle::ReadBody));
}

void ArtifactView::addSections()
{
    const std::array<std::pair<const char*, QString>, 5> titles = {{{"method", tr("Method")},
                                                                    {"result", tr("Result")},
                                                                    {"bottleneck", tr("Bottleneck")},
                                                                    {"failure_modes", tr("Failure modes")},
                                                                    {"next_experiment", tr("Next experiment")}}};
    for (const auto& [name, title] : titles)
        if (const auto found = m_bundle.row.sections.find(name); found != m_bundle.row.sections.end())
            addText(title, found->second);
}

void ArtifactView::addFigures()
{
    const Json& figures = *m_bundle.row.figures;
    if (!figures.is_array() || figures.empty())
        return;
    const bool graded = record::isGradedKernel(m_bundle.row);
    QVBoxLayout* column = section(graded ? tr("Found when it was graded") : tr("Figures read from a file"));
    auto* head = new QHBoxLayout;
    auto* badge = new ProvenanceBadge(m_context.theme());
    badge->setProvenance(graded ? m_bundle.row.provenance : Provenance::Recorded); // the latter were made elsewhere
    head->addWidget(badge);
    const QString counted = figures.size() == 1 ? tr("1 figure") : tr("%1 figures").arg(figures.size());
    head->addWidget(makeLabel(m_context.theme(), counted, TextStyle::Body, QStringLiteral("muted")), 1);
    column->addLayout(head);
    column->addWidget(makeFiguresTable(m_context.theme(), figures));
}

void ArtifactView::addJournal()
{
    if (m_bundle.journal.empty())
        return;
    QVBoxLayout* column = section(tr("Failures and decisions"));
    Theme& theme = m_context.theme();
    for (const record::JournalRow& entry : m_bundle.journal) {
        auto* row = new QHBoxLayout;
        row->addWidget(
            makeText(theme, (entry.kind == "failure" ? tr("Failure: %1") : tr("Decision: %1")).arg(text(entry.title)),
                     TextStyle::Strong),
            1);
        QPushButton* open = makeButton(tr("Open"), tr("Opens the entry of the journal: %1").arg(text(entry.title)));
        open->setAccessibleName(open->toolTip());
        open->setFlat(true);
        connect(open, &QPushButton::clicked, this, [this, id = entry.entryId] {
            Q_EMIT m_context.openRequested(QStringLiteral("portfolio/journal/") + text(id));
        });
        row->addWidget(open);
        column->addLayout(row);
        if (!entry.text.empty())
            column->addWidget(makeText(theme, text(entry.text), TextStyle::Body));
    }
}

void ArtifactView::addReproduction()
{
    m_reproduction = new ReproducePanel(m_context, m_reproduce, m_bundle);
    section(tr("Trust and reproduction"))->addWidget(m_reproduction);
}

void ArtifactView::addVersions()
{
    const auto& versions = m_bundle.versions;
    if (versions.size() < 2)
        return;
    auto* list = new EntryList(m_context.theme(), tr("Versions"), {});
    std::vector<EntryList::Entry> entries;
    for (std::size_t i = 0; i < versions.size(); ++i) {
        QStringList changes;
        if (i + 1 < versions.size())
            for (const std::string& change : versionChanges(versions[i + 1], versions[i]))
                changes << text(change);
        const QString what = i + 1 == versions.size() ? tr("the first version")
                             : versions[i].removed    ? tr("taken out of the portfolio")
                             : changes.isEmpty()      ? tr("nothing changed")
                                                      : changes.join(QStringLiteral(", "));
        const bool shown = versions[i].id == m_bundle.row.id;
        std::function<void()> open;
        if (!shown)
            open = [this,
                    page = QStringLiteral("artifact/%1@%2").arg(text(versions[i].artifactId), text(versions[i].id))] {
                Q_EMIT m_context.openRequested(page);
            };
        const QString when =
            tr("Version %1, %2: %3").arg(versions.size() - i).arg(readableTime(versions[i].createdAt), what);
        entries.push_back({shown ? tr("%1 (shown here)").arg(when) : when, {}, std::move(open), nullptr});
    }
    list->show(std::move(entries));
    section(tr("Versions"))->addWidget(list);
}

void ArtifactView::addHints()
{
    if (!m_bundle.artifactHeld.isEmpty()) {
        section(tr("What a reader could hold against it"))
            ->addWidget(makeText(m_context.theme(), m_bundle.artifactHeld, TextStyle::Body, QStringLiteral("hint")));
        return;
    }
    const ClaimBasis basis{m_bundle.row, m_bundle.runs, m_bundle.reproductions, m_bundle.predictions};
    auto* panel = new HintPanel(m_context.theme(), false);
    panel->show(m_bundle.row.level, ladder(basis), weakClaims(basis));
    m_column->addWidget(panel);
}

void ArtifactView::addPredictions()
{
    if (m_bundle.predictions.empty())
        return;
    QVBoxLayout* column = section(tr("Prediction and result"));
    const QString& held = m_bundle.predictionHeld;
    if (!held.isEmpty())
        column->addWidget(makeText(m_context.theme(), held, TextStyle::Body, QStringLiteral("hint")));
    for (const record::PredictionRow& prediction : m_bundle.predictions) {
        const ExperimentInfo* info = m_context.experiment(prediction.experiment);
        const MetricSpec* metric = info ? info->metric(prediction.metric) : nullptr;
        const QString at = parameterText(prediction.params, info);
        column->addWidget(makeText(m_context.theme(),
                                   (metric ? text(metric->title) : text(prediction.metric)) +
                                       (at.isEmpty() ? QString() : tr(" at %1").arg(at)),
                                   TextStyle::Body, QStringLiteral("muted")));
        auto* bar = new RevealBar(m_context.theme());
        bar->setContent(revealOf(prediction, held.isEmpty() ? answerTo(prediction, m_bundle.runs) : nullptr));
        bar->setAccessibleName(bar->summary());
        column->addWidget(bar);
    }
}

void ArtifactView::addCharts()
{
    if (!m_bundle.row.charts->is_array())
        return;
    if (!m_bundle.resultHeld.isEmpty() && !m_bundle.row.charts->empty()) {
        section(tr("Charts"))
            ->addWidget(makeText(m_context.theme(), m_bundle.resultHeld, TextStyle::Body, QStringLiteral("hint")));
        return;
    }
    for (const Json& entry : *m_bundle.row.charts) {
        const std::string experiment = entry.is_object() ? entry.value("experiment", std::string()) : std::string();
        const ExperimentInfo* info = m_context.experiment(experiment);
        QVBoxLayout* column = section(info ? text(info->title) : tr("Chart"));
        if (!info) {
            column->addWidget(makeText(
                m_context.theme(),
                m_context.catalogueError() || m_context.hasCatalogue()
                    ? tr("The experiment %1 is not known here, so its chart cannot be drawn.").arg(text(experiment))
                    : tr("Waiting for the list of experiments …"),
                TextStyle::Body, QStringLiteral("hint")));
            continue;
        }
        const std::vector<const record::RunRow*> runs = runsOfChart(m_bundle.runs, entry);
        const ChartSpec spec = chartSpec(*info, entry.value("chart", std::string()));
        PlotChart* chart = nullptr;
        double tall = kChartHeight;
        if (auto plot = plotOfChart(runs, *info, spec)) { // the kind that the experiment declares
            tall = std::max(tall, plot->heightFor(m_context.theme(), kColumn));
            chart = new PlotChart(m_context.theme());
            chart->setPlot(std::move(plot));
        } else {
            auto* curve = new SweepChart(m_context.theme());
            std::vector<record::RunRow> rows;
            for (const record::RunRow* run : runs)
                rows.push_back(*run);
            curve->setData(chartOfRuns(rows, *info, spec));
            chart = curve;
        }
        chart->setMinimumHeight(static_cast<int>(std::ceil(tall)));
        if (chart->accessibleName().isEmpty())
            chart->setAccessibleName(chart->summary());
        column->addWidget(chart);
        const std::string caption = entry.value("caption", std::string());
        if (!caption.empty())
            column->addWidget(makeText(m_context.theme(), text(caption), TextStyle::Caption, QStringLiteral("muted")));
    }
}

void ArtifactView::addRuns()
{
    if (m_bundle.runs.empty())
        return;
    QVBoxLayout* column = section(tr("Runs"));
    auto* view = new QTreeView;
    auto* model = new RunsModel(view);
    std::vector<RunsModel::Entry> entries;
    for (const record::RunRow& run : m_bundle.runs)
        entries.push_back(RunsModel::makeEntry(run, m_context.experiments(),
                                               !m_context.feedback().mayShow(run.lesson, Outcome::Result)));
    model->setEntries(std::move(entries));
    model->sort(RunsModel::Parameters, Qt::AscendingOrder);
    view->setModel(model);
    view->setAccessibleName(tr("Runs of this artifact"));
    view->setRootIsDecorated(false);
    view->setUniformRowHeights(true);
    view->setColumnHidden(RunsModel::Lesson, true);
    view->setColumnHidden(RunsModel::Tags, true);
    view->header()->setAccessibleName(tr("Columns"));
    view->header()->setStretchLastSection(true);
    useRowHeight(m_context.theme(), view);
    view->setColumnWidth(RunsModel::Parameters, m_context.theme().scaled(230));
    view->setColumnWidth(RunsModel::Result, m_context.theme().scaled(160));
    // All of them, as far as a page bears it: a list that scrolls within a page that scrolls catches the wheel.
    const int rows = std::min(model->rowCount(), kMostRows);
    if (rows == model->rowCount())
        view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view->setFixedHeight(m_context.theme().scaled(28) * (rows + 1) + space::m);
    connect(view, &QTreeView::activated, this, [this, model](const QModelIndex& index) {
        if (const RunsModel::Entry* run = model->run(index))
            Q_EMIT m_context.openRequested(QStringLiteral("runs/") + text(run->id));
    });
    column->addWidget(view);
}

void ArtifactView::addCode()
{
    std::vector<record::ArtifactCode> files = m_bundle.row.code;
    files.insert(files.end(), m_bundle.row.files.begin(), m_bundle.row.files.end());
    for (const record::ArtifactCode& code : files) {
        QVBoxLayout* column = section(text(std::filesystem::path(code.name).filename().string()));
        const auto bytes = record::contentFiles(m_context.store()->folder()).head(code.sha256, kShownBytes);
        if (!bytes) {
            auto* banner = new Banner(m_context.theme());
            banner->setError(bytes.error());
            banner->show();
            column->addWidget(banner);
            continue;
        }
        if (bytes->bytes.find('\0') != std::string::npos) {
            column->addWidget(makeText(m_context.theme(),
                                       tr("This file is no text. It has %1; Export folder writes it.")
                                           .arg(text(formatQuantity(static_cast<double>(bytes->size), "B"))),
                                       TextStyle::Body, QStringLiteral("hint")));
            continue;
        }
        const bool cut = bytes->bytes.size() < bytes->size;
        auto* editor = new QPlainTextEdit(text(cut ? wholeLines(bytes->bytes) : bytes->bytes));
        editor->setReadOnly(true);
        editor->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        editor->setTabChangesFocus(true);
        editor->setLineWrapMode(QPlainTextEdit::NoWrap);
        editor->setFont(m_context.theme().font(TextStyle::Code));
        editor->setAccessibleName(tr("Source of %1").arg(text(code.name)));
        const int lines = std::clamp(editor->document()->blockCount(), 3, kMostLines);
        editor->setFixedHeight(lines * QFontMetrics(editor->font()).lineSpacing() + space::xl);
        column->addWidget(editor);
        if (cut)
            column->addWidget(makeText(m_context.theme(),
                                       tr("The beginning of %1. Export folder writes the whole file.")
                                           .arg(text(formatQuantity(static_cast<double>(bytes->size), "B"))),
                                       TextStyle::Caption, QStringLiteral("muted")));
    }
}

void ArtifactView::addMachine()
{
    QVBoxLayout* column = section(tr("Where the numbers come from"));
    Theme& theme = m_context.theme();
    column->addWidget(makeText(theme, provenanceHelp(m_bundle.row.provenance)));
    const auto rows = readableJson(*m_bundle.row.fingerprint);
    if (rows.empty())
        return;
    auto* facts = new FactTable(theme, tr("Machine"));
    for (const auto& [name, value] : rows)
        facts->addRow(name, value);
    column->addWidget(facts);
}

void ArtifactView::addCommands()
{
    if (m_bundle.runs.empty())
        return;
    QVBoxLayout* column = section(tr("Run it again"));
    const QString commands = rerunCommands(m_bundle.runs).join(QLatin1Char('\n'));
    QLabel* code = makeText(m_context.theme(), commands, TextStyle::Code);
    code->setAccessibleName(tr("Commands that repeat these runs: %1").arg(commands));
    column->addWidget(code);
    QPushButton* copy = makeButton(tr("Copy commands"), tr("Copies the commands to the clipboard"));
    connect(copy, &QPushButton::clicked, this, [commands] { QGuiApplication::clipboard()->setText(commands); });
    column->addWidget(copy);
}

} // namespace ridge::app
#include "moc_artifact_view.cpp"
