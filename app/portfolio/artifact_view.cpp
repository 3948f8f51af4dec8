// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/artifact_view.h"

#include "app/charts/prediction_mark.h"
#include "app/runs/run_data.h"
#include "app/runs/runs_model.h"
#include "app/shell/ui/facts.h"
#include "app/shell/ui/icons.h"
#include "app/shell/ui/panels.h"
#include "base/units.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QTreeView>
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
        const auto label = shortLabel(value.provenance);
        content.provenance = QString::fromLatin1(label.data(), static_cast<qsizetype>(label.size()));
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

} // namespace

ArtifactView::ArtifactView(AppContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_scroll(new ColumnScroll(840, tr("Artifact"))), m_column(m_scroll->column())
{
    setAccessibleName(tr("Artifact"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
}

void ArtifactView::setArtifact(ArtifactBundle bundle)
{
    m_bundle = std::move(bundle);
    m_scroll->clear();
    addHead();
    addPredictions();
    addCharts();
    addRuns();
    addCode();
    if (!m_bundle.row.reflection.empty())
        section(tr("Reflection"))
            ->addWidget(makeText(m_context.theme(), text(m_bundle.row.reflection), TextStyle::ReadBody));
    addMachine();
    addCommands();
    m_column->addStretch(1);
    setScrollFraction(m_scroll, 0);
}

QVBoxLayout* ArtifactView::section(const QString& title)
{
    auto* card = new Card(title);
    card->column()->addWidget(makeLabel(m_context.theme(), title, TextStyle::ReadH3));
    m_column->addWidget(card);
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
    auto* buttons = new QHBoxLayout;
    QPushButton* back = makeButton(tr("Portfolio"), tr("Back to all artifacts"));
    back->setFlat(true);
    setThemedIcon(theme, back, QStringLiteral("back"));
    connect(back, &QPushButton::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("portfolio")); });
    buttons->addWidget(back);
    buttons->addStretch(1);
    if (!row.lesson.empty()) {
        QPushButton* lesson = makeButton(tr("Open lesson %1").arg(text(row.lesson)), tr("The lesson it was made in"));
        connect(lesson, &QPushButton::clicked, this,
                [this] { Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + text(m_bundle.row.lesson)); });
        buttons->addWidget(lesson);
    }
    QPushButton* save = makeButton(tr("Export folder…"),
                                   tr("Writes artifact.json, runs.csv, charts, code, README and checksums"), true);
    connect(save, &QPushButton::clicked, this, &ArtifactView::exportRequested);
    buttons->addWidget(save);
    column->addLayout(buttons);
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
    column->addWidget(makeText(theme, text(row.question), TextStyle::ReadBody, QStringLiteral("muted")));
    column->addWidget(makeText(theme, text(row.claim), TextStyle::ReadBody));
    m_column->addWidget(head);
}

void ArtifactView::addPredictions()
{
    if (m_bundle.predictions.empty())
        return;
    QVBoxLayout* column = section(tr("Prediction and result"));
    for (const record::PredictionRow& prediction : m_bundle.predictions) {
        const ExperimentInfo* info = m_context.experiment(prediction.experiment);
        const MetricSpec* metric = info ? info->metric(prediction.metric) : nullptr;
        const QString at = parameterText(prediction.params, info);
        column->addWidget(makeText(m_context.theme(),
                                   (metric ? text(metric->title) : text(prediction.metric)) +
                                       (at.isEmpty() ? QString() : tr(" at %1").arg(at)),
                                   TextStyle::Body, QStringLiteral("muted")));
        auto* bar = new RevealBar(m_context.theme());
        bar->setContent(revealOf(prediction, answerTo(prediction, m_bundle.runs)));
        bar->setAccessibleName(bar->summary());
        column->addWidget(bar);
    }
}

void ArtifactView::addCharts()
{
    if (!m_bundle.row.charts->is_array())
        return;
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
        std::vector<record::RunRow> runs;
        for (const record::RunRow& run : m_bundle.runs)
            if (run.experiment == experiment)
                runs.push_back(run);
        auto* chart = new SweepChart(m_context.theme());
        chart->setMinimumHeight(360);
        chart->setData(chartOfRuns(runs, *info, chartSpec(*info, entry.value("chart", std::string()))));
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
        entries.push_back(RunsModel::makeEntry(run, m_context.experiments()));
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
    view->setColumnWidth(RunsModel::Parameters, 220);
    view->setColumnWidth(RunsModel::Result, 150);
    const int rows = std::min(model->rowCount(), 8);
    view->setFixedHeight(m_context.theme().scaled(28) * (rows + 1) + space::m);
    connect(view, &QTreeView::activated, this, [this, model](const QModelIndex& index) {
        if (const RunsModel::Entry* run = model->run(index))
            Q_EMIT m_context.openRequested(QStringLiteral("runs/") + text(run->id));
    });
    column->addWidget(view);
}

void ArtifactView::addCode()
{
    for (const record::ArtifactCode& code : m_bundle.row.code) {
        QVBoxLayout* column = section(text(std::filesystem::path(code.name).filename().string()));
        const auto bytes = m_context.store()->file(code.sha256);
        if (!bytes) {
            auto* banner = new Banner(m_context.theme());
            banner->setError(bytes.error());
            banner->show();
            column->addWidget(banner);
            continue;
        }
        auto* editor = new QPlainTextEdit(text(*bytes));
        editor->setReadOnly(true);
        editor->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        editor->setTabChangesFocus(true);
        editor->setLineWrapMode(QPlainTextEdit::NoWrap);
        editor->setFont(m_context.theme().font(TextStyle::Code));
        editor->setAccessibleName(tr("Source of %1").arg(text(code.name)));
        const int lines = std::clamp(editor->document()->blockCount(), 3, 24);
        editor->setFixedHeight(lines * QFontMetrics(editor->font()).lineSpacing() + space::xl);
        column->addWidget(editor);
    }
}

void ArtifactView::addMachine()
{
    QVBoxLayout* column = section(tr("Where the numbers come from"));
    Theme& theme = m_context.theme();
    column->addWidget(makeText(theme, provenanceHelp(m_bundle.row.provenance)));
    column->addWidget(makeText(theme,
                               tr("Trust %1. %2").arg(text(m_bundle.row.trust), text(trustMeaning(m_bundle.row.trust))),
                               TextStyle::Body, QStringLiteral("muted")));
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
