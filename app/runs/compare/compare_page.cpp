// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/compare/compare_page.h"

#include "app/drawing/charts/chart_text.h"
#include "app/runs/compare/pin_strip.h"
#include "app/runs/table/run_data.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/scrolled.h"
#include "app/ui/still_scroll.h"
#include "base/json.h"
#include "base/units.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QTreeView>

namespace ridge::app {
namespace {

constexpr int kSmallWidth = 420;

} // namespace

ComparePage::ComparePage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_stack(new QStackedWidget), m_model(new ComparisonModel(this))
{
    setAccessibleName(tr("Compare"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_error = new Banner(context.theme());
    layout->addWidget(m_error);
    layout->addWidget(m_stack);
    auto* empty =
        new EmptyState(context.theme(), tr("Nothing pinned yet"),
                       tr("Press Ctrl+D in the Lab, in a lesson or in Runs to pin what is there, up to eight. "
                          "Results of another machine come from the file that its export wrote: open it from "
                          "the File menu, or drop it here."),
                       tr("Go to Runs"));
    connect(empty, &EmptyState::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("runs")); });
    m_stack->addWidget(empty);

    auto* body = new QWidget;
    body->setAccessibleName(tr("Comparison"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::m);
    column->addWidget(makeHead());
    m_strip = new PinStrip(context);
    column->addWidget(m_strip);
    column->addWidget(makePickers());

    m_tabs = new QTabWidget;
    m_tabs->setAccessibleName(tr("Comparison"));
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->tabBar()->setAccessibleName(tr("Overlay, side by side or table"));
    m_chart = new SweepChart(context.theme());
    m_tabs->addTab(m_chart, tr("Overlay"));
    auto* scroll = new StillScroll;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(tr("Side by side"));
    auto* holder = new QWidget;
    holder->setAccessibleName(tr("Side by side"));
    m_grid = new QGridLayout(holder);
    m_grid->setContentsMargins(0, space::s, 0, 0);
    m_grid->setSpacing(space::m);
    scroll->setWidget(holder);
    m_tabs->addTab(scroll, tr("Side by side"));
    m_tabs->addTab(makeTable(), tr("Table"));
    connect(m_tabs, &QTabWidget::currentChanged, this, &ComparePage::fitColumns); // it has its width only when shown
    column->addWidget(m_tabs, 1);
    QScrollArea* whole = scrolled(body, tr("Comparison"));
    whole->setFocusPolicy(Qt::NoFocus);
    m_stack->addWidget(whole);

    connect(&context.pins(), &PinBoard::changed, this, &ComparePage::reload);
    connect(&context, &AppContext::catalogueReady, this, [this] {
        if (auto pinned = pinWanted(); !pinned) {
            m_error->setError(pinned.error());
            m_error->show();
        }
        reload();
        Q_EMIT readyChanged();
    });
    reload();
}

QWidget* ComparePage::makeHead()
{
    auto* head = new QWidget;
    head->setAccessibleName(tr("Summary"));
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    m_summary = makeText(m_context.theme(), {}, TextStyle::Body);
    m_summary->setAccessibleName(tr("What differs"));
    row->addWidget(m_summary, 1);
    const auto button = [&](const QString& text, const QString& help, auto slot) {
        QPushButton* made = makeButton(text, help);
        connect(made, &QPushButton::clicked, this, slot);
        row->addWidget(made, 0, Qt::AlignTop);
    };
    button(tr("Add from a file…"), tr("Pins the runs that another machine exported"),
           [this] { m_context.actions().find(QStringLiteral("file.openRuns"))->trigger(); });
    button(tr("Export…"), tr("Saves the comparison as Markdown, CSV, JSON or the chart as PNG"),
           &ComparePage::chooseExport);
    button(tr("Unpin all"), tr("Empties the comparison; the runs stay in the store"),
           [this] { m_context.pins().clear(); });
    return head;
}

QWidget* ComparePage::makePickers()
{
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("What is compared"));
    auto* row = new FlowLayout(bar);
    const auto picker = [&](const QString& label, const QString& help) {
        row->addWidget(makeLabel(m_context.theme(), label, TextStyle::Body, QStringLiteral("muted")));
        auto* box = new QComboBox;
        box->setAccessibleName(label);
        box->setToolTip(help);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        connect(box, &QComboBox::activated, this, &ComparePage::refresh);
        row->addWidget(box);
        return box;
    };
    m_metric = picker(tr("Metric"), tr("What the charts show"));
    m_axis = picker(tr("over"), tr("The parameter along the bottom"));
    m_point = picker(tr("Table at"), tr("The point of the sweeps that the table compares"));
    connect(m_axis, &QComboBox::activated, this, [this] {
        m_axisIsChosen = true;
        fillPoints();
        refresh();
    });
    m_ofLimit = new QCheckBox(tr("% of the limit"));
    m_ofLimit->setToolTip(tr("Each value as a share of the physical limit of its own machine"));
    m_onlyDifferences = new QCheckBox(tr("Only what differs"));
    m_onlyDifferences->setToolTip(tr("Leaves out of the table what is the same everywhere"));
    for (QCheckBox* box : {m_ofLimit, m_onlyDifferences}) {
        box->setAccessibleName(box->text());
        row->addWidget(box);
        connect(box, &QCheckBox::toggled, this, &ComparePage::refresh);
    }
    return bar;
}

QWidget* ComparePage::makeTable()
{
    m_table = new QTreeView;
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Comparison"));
    m_table->header()->setAccessibleName(tr("Pins"));
    m_table->header()->setStretchLastSection(false);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setTextElideMode(Qt::ElideRight);
    useRowHeight(m_context.theme(), m_table);
    return m_table;
}

void ComparePage::reload()
{
    const bool some = !m_context.pins().pins().empty();
    m_stack->setCurrentIndex(some ? 1 : 0);
    m_axisIsChosen = m_axisIsChosen && some;
    if (some) {
        fillPickers();
        refresh();
    }
    Q_EMIT commandsChanged();
}

void ComparePage::fillPickers()
{
    const Comparable known = comparable(m_context.pins().pins(), m_context.experiments());
    const QString metric = m_metric->currentData().toString();
    const QString axis = m_axis->currentData().toString();
    m_metric->clear();
    m_axis->clear();
    for (const MetricSpec& each : known.metrics)
        m_metric->addItem(QString::fromStdString(each.title), QString::fromStdString(each.name));
    for (const ParamSpec& each : known.parameters)
        m_axis->addItem(QString::fromStdString(each.title), QString::fromStdString(each.name));
    const record::RunRow& first = m_context.pins().pins().front().runs.front();
    const ExperimentInfo* info = m_context.experiment(first.experiment);
    const ChartSpec own = info ? chartSpec(*info, {}) : ChartSpec();
    const auto choose = [](QComboBox* box, const QString& before, const std::string& otherwise) {
        const int kept = box->findData(before);
        box->setCurrentIndex(std::max(0, kept >= 0 ? kept : box->findData(QString::fromStdString(otherwise))));
    };
    choose(m_metric, metric, own.y);
    choose(m_axis, m_axisIsChosen ? axis : QString(), sweptParameter(m_context.pins().pins(), known.parameters, own.x));
    fillPoints();
}

void ComparePage::fillPoints()
{
    const QVariant before = m_point->currentData();
    m_point->clear();
    m_point->addItem(tr("all points"), QVariant());
    const QString axis = inSentence(m_axis->currentText());
    const std::string parameter = m_axis->currentData().toString().toStdString();
    const ExperimentInfo* info = m_context.experiment(m_context.pins().pins().front().runs.front().experiment);
    const ParamSpec* spec = info ? info->parameter(parameter) : nullptr;
    m_points = commonPoints(m_context.pins().pins(), parameter);
    for (const ParamValue& value : m_points) {
        const auto number = asNumber(value);
        const std::string said = number ? formatNumber(*number) : spec ? valueText(*spec, value) : toText(value);
        m_point->addItem(QStringLiteral("%1 %2").arg(axis, QString::fromStdString(said)),
                         QString::fromStdString(toText(value)));
    }
    const int kept = before.isValid() ? m_point->findData(before) : -1;
    m_point->setCurrentIndex(kept >= 0 ? kept : m_point->count() > 1 ? 1 : 0);
}

ChartSpec ComparePage::spec() const
{
    ChartSpec chart;
    chart.x = m_axis->currentData().toString().toStdString();
    chart.y = m_metric->currentData().toString().toStdString();
    for (const Pin& pin : m_context.pins().pins())
        if (const ExperimentInfo* info = m_context.experiment(pin.runs.front().experiment)) {
            for (const ChartSpec& declared : info->charts)
                if (declared.x == chart.x && declared.y == chart.y) {
                    chart.xScale = declared.xScale;
                    chart.yScale = declared.yScale;
                    break;
                }
            if (const ParamSpec* x = info->parameter(chart.x); x && x->scale == ParamScale::Log2)
                chart.xScale = ParamScale::Log2;
            break;
        }
    chart.title = tr("%1 over %2").arg(m_metric->currentText(), inSentence(m_axis->currentText())).toStdString();
    return chart;
}

std::optional<ComparedPoint> ComparePage::point() const
{
    const auto at = static_cast<std::size_t>(std::max(0, m_point->currentIndex()));
    if (at == 0 || at > m_points.size())
        return {};
    return ComparedPoint{m_axis->currentData().toString().toStdString(), m_points[at - 1]};
}

void ComparePage::refresh()
{
    const std::vector<Pin>& pins = m_context.pins().pins();
    if (pins.empty())
        return;
    const bool ofLimit = m_ofLimit->isChecked();
    m_chart->setData(overlayChart(pins, m_context.experiments(), spec(), ofLimit));
    m_model->setOnlyDifferences(m_onlyDifferences->isChecked());
    m_model->show(compare(pins, m_context.experiments(), point(), m_metric->currentData().toString().toStdString()),
                  pins);
    m_summary->setText(m_model->comparison().summary);
    for (int row = 0; row < m_model->rowCount(); ++row)
        m_table->setFirstColumnSpanned(row, {}, m_model->isHeading(row));
    fitColumns();

    const auto charts = chartsSideBySide(pins, m_context.experiments(), spec(), ofLimit);
    while (m_small.size() > static_cast<qsizetype>(charts.size()))
        delete m_small.takeLast();
    while (m_small.size() < static_cast<qsizetype>(charts.size())) {
        auto* small = new SweepChart(m_context.theme());
        small->setMinimumHeight(m_context.theme().scaled(280));
        m_small << small;
    }
    for (qsizetype i = 0; i < m_small.size(); ++i)
        m_small[i]->setData(charts[static_cast<std::size_t>(i)]);
    arrangeSmall();
}

void ComparePage::fitColumns()
{
    const Theme& theme = m_context.theme();
    const int names = theme.scaled(240);
    const int pins = std::max(1, m_model->columnCount() - 1);
    const int room = (m_table->viewport()->width() - names) / pins;
    m_table->setColumnWidth(0, names);
    for (int column = 1; column <= pins; ++column)
        m_table->setColumnWidth(column, std::max(theme.scaled(200), room));
}

void ComparePage::arrangeSmall()
{
    const int columns =
        std::clamp(width() / m_context.theme().scaled(kSmallWidth), 1, std::max(1, static_cast<int>(m_small.size())));
    for (int i = 0; i < m_small.size(); ++i)
        m_grid->addWidget(m_small[i], i / columns, i % columns);
}

void ComparePage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    arrangeSmall();
    fitColumns();
}

bool ComparePage::can(Command command) const
{
    return (command == Command::Export || command == Command::Find) && !m_context.pins().pins().empty();
}

void ComparePage::perform(Command command)
{
    if (command == Command::Export)
        chooseExport();
    else if (command == Command::Find)
        m_metric->setFocus(Qt::ShortcutFocusReason);
}

QList<QWidget*> ComparePage::panes() const
{
    if (m_stack->currentIndex() == 0)
        return {m_stack->currentWidget()};
    return {m_metric, m_tabs->tabBar(), m_tabs->currentWidget(), m_strip};
}

void ComparePage::chooseExport()
{
    openExportDialog(
        this, tr("Export the comparison"),
        tr("Markdown table (*.md);;CSV table (*.csv);;Runs as JSON (*.json);;Chart (*.png);;Chart (*.svg)"),
        QStringLiteral("comparison.md"), [this](const QString& path) { return exportTo(path); },
        [this](const QString& text, bool isError) { Q_EMIT m_context.notice(text, isError); });
}

Result<void> ComparePage::exportTo(const QString& path) const
{
    const std::filesystem::path file(path.toStdString());
    if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive))
        return writeFile(file, m_model->toCsv().toStdString());
    if (path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive)) {
        std::vector<record::RunRow> runs;
        for (const Pin& pin : m_context.pins().pins())
            runs.insert(runs.end(), pin.runs.begin(), pin.runs.end());
        return writeFile(file, runsToJson(runs).dump(2) + "\n");
    }
    const auto is = [&path](const char* suffix) { return path.endsWith(QLatin1String(suffix), Qt::CaseInsensitive); };
    if (is(".png") || is(".svg"))
        return m_chart->exportTo(path);
    return writeFile(file, m_model->toMarkdown().toStdString());
}

} // namespace ridge::app

#include "moc_compare_page.cpp"
