// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/run_detail.h"

#include "app/runs/table/run_agreement.h"
#include "app/runs/table/run_data.h"
#include "app/runs/table/run_explained.h"
#include "app/ui/facts.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "base/units.h"
#include "base/warp_states.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

/// Runs that differ in more than one parameter are repeated one by one.
constexpr qsizetype kCommandsShown = 20;

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString limitText(const record::RunRow& run, const std::string& metric)
{
    const auto limit = run.limits.find(metric);
    if (limit == run.limits.end())
        return {};
    return QString::fromUtf8(limit->second.kind == "lower" ? "≥ " : "≤ ") + text(formatNumber(limit->second.value));
}

} // namespace

RunDetail::RunDetail(AppContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_scroll(new ColumnScroll(720, tr("Run detail"))),
      m_column(m_scroll->column())
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
    m_scroll->widget()->layout()->setContentsMargins(space::l, space::l, space::l, space::l);
    m_column->setSpacing(space::s);
    setAccessibleName(tr("Run detail"));
    showNothing();
}

void RunDetail::showNothing()
{
    m_runs.clear();
    m_scroll->clear();
    m_column->addWidget(makeText(m_context.theme(),
                                 tr("Choose a run to see its parameters, metrics, checks and the machine it ran on."),
                                 TextStyle::Body, QStringLiteral("hint")));
    m_column->addStretch(1);
}

void RunDetail::showRuns(std::vector<record::RunRow> runs)
{
    if (runs.empty())
        return showNothing();
    m_runs = std::move(runs);
    m_scroll->clear();
    addHead();
    const record::RunRow& first = m_runs.front();
    const QString held = m_context.feedback().why(first.lesson, Outcome::Result);
    if (!held.isEmpty()) {
        if (first.error)
            addError(*first.error);
        m_column->addWidget(makeText(m_context.theme(), tr("What it gave is stored. %1").arg(held), TextStyle::Body,
                                     QStringLiteral("muted")));
    } else if (m_runs.size() == 1) {
        if (first.error)
            addError(*first.error);
        addExplanation(first);
        addMetrics(first);
    } else {
        addChart();
    }
    if (held.isEmpty())
        addAgreement();
    addParameters();
    if (held.isEmpty())
        addChecks();
    addFingerprint(first);
    addCommands();
    m_column->addStretch(1);
    setScrollFraction(m_scroll, 0);
}

int RunDetail::failedRuns() const
{
    return static_cast<int>(
        std::ranges::count_if(m_runs, [](const record::RunRow& run) { return run.status == "failed"; }));
}

void RunDetail::addSection(const QString& title)
{
    m_column->addSpacing(space::m);
    m_column->addWidget(makeLabel(m_context.theme(), title, TextStyle::Strong));
}

void RunDetail::addHead()
{
    Theme& theme = m_context.theme();
    const record::RunRow& run = m_runs.front();
    const ExperimentInfo* info = m_context.experiment(run.experiment);
    m_column->addWidget(makeText(theme, info ? text(info->title) : text(run.experiment), TextStyle::ReadH3));

    auto* row = new QHBoxLayout;
    auto* badge = new ProvenanceBadge(theme);
    badge->setProvenance(run.provenance);
    row->addWidget(badge);
    const int failures = failedRuns();
    const bool failed = failures > 0;
    QLabel* verdict = makeLabel(
        theme,
        !failed              ? text(run.validity)
        : m_runs.size() == 1 ? tr("failed")
                             : tr("%1 of %2 failed").arg(failures).arg(m_runs.size()),
        TextStyle::Strong, failed ? QStringLiteral("error") : QLatin1String(run.validity == "valid" ? "ok" : "warn"));
    row->addWidget(verdict);
    QString where = QStringLiteral("%1 · %2").arg(text(run.target), readableTime(run.createdAt));
    if (!run.lesson.empty())
        where += tr(" · lesson %1").arg(text(run.lesson));
    if (m_runs.size() > 1) {
        const bool oneSweep =
            std::ranges::all_of(m_runs, [&run](const record::RunRow& each) { return each.sweepId == run.sweepId; });
        where += (oneSweep ? tr(" · sweep of %1 runs") : tr(" · %1 runs")).arg(m_runs.size());
    }
    row->addWidget(makeText(theme, where, TextStyle::Body, QStringLiteral("muted")), 1);
    m_column->addLayout(row);

    if (m_chosen > m_runs.size())
        m_column->addWidget(makeText(theme,
                                     tr("The newest %1 of the %2 chosen runs are shown; an export takes all of them.")
                                         .arg(m_runs.size())
                                         .arg(m_chosen),
                                     TextStyle::Body, QStringLiteral("muted")));
    auto* buttons = new FlowLayout;
    QPushButton* artifact =
        makeButton(tr("Make artifact…"), tr("Starts an artifact with these runs (Ctrl+Shift+A)"), !failed);
    connect(artifact, &QPushButton::clicked, this, &RunDetail::artifactRequested);
    buttons->addWidget(artifact);
    if (failed) {
        QPushButton* note = makeButton(failures == 1 ? tr("Note the failure") : tr("Note the failures"),
                                       tr("Opens an entry of the journal with what went wrong (Ctrl+J)"), true);
        connect(note, &QPushButton::clicked, this, &RunDetail::failureRequested);
        buttons->addWidget(note);
    }
    QPushButton* lab = makeButton(tr("Open in Lab"), tr("Opens this experiment on the free bench"));
    connect(lab, &QPushButton::clicked, this,
            [this, id = run.experiment] { Q_EMIT m_context.openRequested(QStringLiteral("lab/") + text(id)); });
    buttons->addWidget(lab);
    if (!run.lesson.empty()) {
        QPushButton* lesson = makeButton(tr("Open lesson"), tr("Opens the lesson this run belongs to"));
        connect(lesson, &QPushButton::clicked, this,
                [this, id = run.lesson] { Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + text(id)); });
        buttons->addWidget(lesson);
    }
    QPushButton* save = makeButton(tr("Export…"), tr("Saves these runs as CSV or JSON"));
    connect(save, &QPushButton::clicked, this, &RunDetail::exportRequested);
    buttons->addWidget(save);
    QPushButton* pin = makeButton(tr("Pin"), tr("Puts these runs aside to be compared (Ctrl+D)"));
    connect(pin, &QPushButton::clicked, m_context.actions().find(QStringLiteral("run.pin")), &QAction::trigger);
    buttons->addWidget(pin);
    auto* commands = new QWidget;
    commands->setAccessibleName(tr("What can be done with these runs"));
    commands->setLayout(buttons);
    m_column->addSpacing(space::xs);
    m_column->addWidget(commands);
}

void RunDetail::addError(const Error& error)
{
    auto* banner = new Banner(m_context.theme());
    banner->setError(error);
    banner->show();
    m_column->addWidget(banner);
}

void RunDetail::addChart()
{
    const ExperimentInfo* info = m_context.experiment(m_runs.front().experiment);
    const QStringList varied = variedParameters(m_runs, info);
    if (!info || varied.isEmpty())
        return;
    ChartSpec spec = chartSpec(*info, {});
    if (!varied.contains(text(spec.x))) {
        spec.x = varied.first().toStdString();
        if (const ParamSpec* parameter = info->parameter(spec.x))
            spec.xScale = parameter->scale == ParamScale::Log2 ? ParamScale::Log2 : ParamScale::Linear;
    }
    auto* chart = new SweepChart(m_context.theme());
    chart->setAccessibleName(tr("Chart of the sweep"));
    chart->setMinimumHeight(300);
    chart->setData(chartOfRuns(m_runs, *info, spec));
    m_column->addSpacing(space::s);
    m_column->addWidget(chart);
}

void RunDetail::addExplanation(const record::RunRow& run)
{
    const auto said = explainRun(run, m_context.experiment(run.experiment));
    if (!said)
        return;
    addSection(tr("This run explained"));
    const std::pair<QString, QString> answers[] = {{tr("What saturates?"), said->saturates},
                                                   {tr("How far from the roof?"), said->roof},
                                                   {tr("What to change?"), said->change}};
    for (const auto& [question, answer] : answers) {
        if (answer.isEmpty())
            continue;
        m_column->addWidget(makeText(m_context.theme(), question, TextStyle::Caption, QStringLiteral("muted")));
        m_column->addWidget(makeText(m_context.theme(), answer));
    }
    m_column->addWidget(makeText(m_context.theme(),
                                 tr("Rules over the figures below. A gain is the most that there can be."),
                                 TextStyle::Caption, QStringLiteral("hint")));
}

void RunDetail::addAgreement()
{
    const record::Store* store = m_context.store();
    if (!store || !m_context.hasCatalogue())
        return;
    Theme& theme = m_context.theme();
    const QString noGpu = whyNoGpu(m_context), heading = tr("Simulator and GPU");
    if (m_runs.size() > 1) {
        if (const QString said = agreementOfRuns(m_runs, *store, m_context.experiments(), noGpu); !said.isEmpty()) {
            addSection(heading);
            m_column->addWidget(makeText(theme, said));
        }
        return;
    }
    const record::RunRow& run = m_runs.front();
    const auto found = compareSides(run, runsOfTheOtherSide(*store, run), m_context.experiment(run.experiment), noGpu);
    if (!found)
        return;
    addSection(heading);
    m_column->addWidget(makeText(theme, found->sentence, TextStyle::Body,
                                 QLatin1String(found->state == RunAgreement::State::Agree      ? "ok"
                                               : found->state == RunAgreement::State::Disagree ? "error"
                                                                                               : "muted")));
    if (!found->time.isEmpty())
        m_column->addWidget(makeText(theme, found->time));
    if (found->figures.empty())
        return;
    auto* facts = new FactTable(theme, heading);
    for (const RunAgreement::Figure& figure : found->figures)
        facts->addRow(figure.title, tr("%1 SIM, %2 MEAS").arg(figure.simulated, figure.measured), figure.difference);
    m_column->addWidget(facts);
}

void RunDetail::addMetrics(const record::RunRow& run)
{
    if (run.metrics.empty())
        return;
    addSection(tr("Metrics"));
    const ExperimentInfo* info = m_context.experiment(run.experiment);
    auto* facts = new FactTable(m_context.theme(), tr("Metrics"));
    const auto add = [&](const std::string& name, const QString& title, const QString& help) {
        const auto value = run.metrics.find(name);
        if (value == run.metrics.end() || (isWarpState(name) && value->second.value == 0))
            return;
        auto* badge = new ProvenanceBadge(m_context.theme());
        badge->setProvenance(value->second.provenance);
        facts->addRow(title, text(formatQuantity(value->second.value, value->second.unit)), limitText(run, name), badge,
                      help);
    };
    if (info)
        for (const MetricSpec& metric : info->metrics)
            add(metric.name, text(metric.title), text(metric.help));
    for (const auto& [name, value] : run.metrics)
        if (!info || !info->metric(name))
            add(name, text(name), {});
    m_column->addWidget(facts);
}

void RunDetail::addParameters()
{
    addSection(tr("Parameters"));
    const record::RunRow& run = m_runs.front();
    const ExperimentInfo* info = m_context.experiment(run.experiment);
    const QStringList varied = variedParameters(m_runs, info);
    auto* facts = new FactTable(m_context.theme(), tr("Parameters"));
    const auto add = [&](const std::string& name, const QString& title, const std::string& unit) {
        if (!run.params.contains(name))
            return;
        QStringList values;
        for (const record::RunRow& each : m_runs)
            if (const auto value = each.params.find(name); value != each.params.end())
                values << text(toText(value->second));
        values.removeDuplicates();
        if (values.size() > 12)
            values = QStringList{values.first(), QStringLiteral("…"), values.last()};
        QString shown = values.join(QStringLiteral(", "));
        if (!unit.empty())
            shown += QLatin1Char(' ') + text(unit);
        facts->addRow(title, shown, varied.contains(text(name)) ? tr("swept") : QString());
    };
    if (info)
        for (const ParamSpec& spec : info->parameters)
            add(spec.name, text(spec.title), spec.unit);
    for (const auto& [name, value] : run.params)
        if (!info || !info->parameter(name))
            add(name, text(name), {});
    facts->addRow(tr("Seed"), QString::number(run.seed));
    m_column->addWidget(facts);
}

void RunDetail::addChecks()
{
    auto* facts = new FactTable(m_context.theme(), tr("Checks"));
    std::map<std::string, std::pair<int, std::string>> failed;
    std::map<std::string, int> passed;
    for (const record::RunRow& run : m_runs)
        for (const CheckResult& check : run.checks) {
            if (check.passed)
                ++passed[check.name];
            else
                failed.try_emplace(check.name, 0, check.detail).first->second.first++;
        }
    if (passed.empty() && failed.empty()) {
        delete facts;
        return;
    }
    addSection(tr("Checks"));
    for (const auto& [name, count] : passed)
        if (!failed.contains(name))
            facts->addRow(readableName(name), tr("passed"), m_runs.size() > 1 ? tr("%1 runs").arg(count) : QString());
    for (const auto& [name, found] : failed)
        facts->addRow(readableName(name), tr("failed"), text(found.second));
    m_column->addWidget(facts);
}

void RunDetail::addFingerprint(const record::RunRow& run)
{
    const auto rows = readableJson(*run.fingerprint);
    if (rows.empty())
        return;
    addSection(tr("Machine"));
    auto* facts = new FactTable(m_context.theme(), tr("Machine"));
    for (const auto& [name, value] : rows)
        facts->addRow(name, value);
    m_column->addWidget(facts);
}

void RunDetail::addCommands()
{
    addSection(tr("Run it again"));
    QStringList lines = rerunCommands(m_runs);
    const QString commands = lines.join(QLatin1Char('\n'));
    if (const auto more = lines.size() - kCommandsShown; more > 0) {
        lines.resize(kCommandsShown);
        lines << tr("… and %1 more").arg(more);
    }
    QLabel* code = makeText(m_context.theme(), lines.join(QLatin1Char('\n')), TextStyle::Code);
    code->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    code->setFocusPolicy(Qt::StrongFocus);
    code->setAccessibleName(tr("Command that repeats this: %1").arg(lines.join(QLatin1Char('\n'))));
    m_column->addWidget(code);
    QPushButton* copy = makeButton(tr("Copy command"), tr("Copies the command to the clipboard"));
    connect(copy, &QPushButton::clicked, this, [commands] { QGuiApplication::clipboard()->setText(commands); });
    m_column->addWidget(copy);
    if (m_runs.size() == 1) {
        const QString name = tr("Run %1").arg(text(m_runs.front().id));
        // A line does not end between a hyphen and a digit, so that some ids would be one word as wide as themselves.
        QString mayBreak = name;
        mayBreak.replace(QLatin1Char('-'), QStringLiteral("-\u200b"));
        QLabel* label = makeText(m_context.theme(), mayBreak, TextStyle::Caption, QStringLiteral("hint"));
        label->setTextInteractionFlags(Qt::NoTextInteraction); // a copied id would carry the places where it may break
        label->setAccessibleName(name);
        m_column->addWidget(label);
    }
}

} // namespace ridge::app

#include "moc_run_detail.cpp"
