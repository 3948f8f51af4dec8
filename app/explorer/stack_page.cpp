// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/stack_page.h"

#include "app/chips/chip_figures.h"
#include "app/kernels/bench_job.h"
#include "app/kernels/ptx_listing.h"
#include "app/ui/code_highlighter.h"
#include "app/ui/fields.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/wheel_guard.h"
#include "base/json.h"
#include "base/target_choice.h"
#include "silicon/die.h"
#include "workload/explorer.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSpinBox>
#include <QTimer>

namespace ridge::app {
namespace {

constexpr int kColumn = 860; ///< px at 100 % that a stop is wide at most
constexpr int kCodeLines = 16;
constexpr int kWavesHeight = 360;
constexpr const char* kRtlExperiment = "rtl_array";
constexpr const char* kEngineExperiment = "systolic";

QPlainTextEdit* makeCode(Theme& theme, const QString& name)
{
    auto* code = new QPlainTextEdit;
    code->setReadOnly(true);
    code->setAccessibleName(name);
    code->setLineWrapMode(QPlainTextEdit::NoWrap);
    code->setTabChangesFocus(true);
    const auto dress = [code, &theme] {
        code->setFont(theme.font(TextStyle::Code));
        code->setFixedHeight(kCodeLines * theme.lineHeight(TextStyle::Code) + space::l);
    };
    dress();
    QObject::connect(&theme, &Theme::changed, code, dress);
    return code;
}

} // namespace

StackPage::StackPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_job(new KernelJob(this)), m_banner(new Banner(context.theme()))
{
    setAccessibleName(tr("One matmul through the stack"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_banner->setClosable(false);
    m_banner->hide();
    layout->addWidget(m_banner);
    auto catalogue = silicon::loadCatalogue(context.dataFolder() / "assets" / "chips" / "gpus.json");
    if (!catalogue) {
        m_banner->setError(catalogue.error());
        m_banner->show();
        layout->addStretch(1);
        return;
    }
    m_catalogue = std::move(*catalogue);
    m_scroll = new ColumnScroll(kColumn, tr("One matmul through the stack"));
    layout->addWidget(m_scroll, 1);
    QVBoxLayout* column = m_scroll->column();
    column->setSpacing(space::m);
    column->addWidget(makeText(context.theme(), tr("One matmul through the stack"), TextStyle::ReadH2));
    column->addWidget(
        makeText(context.theme(),
                 tr("A layer computes Y = XW + b, and ReLU of it. Below is what becomes of that line, from "
                    "the graph that a framework sees to the silicon that multiplies. Change a size and "
                    "every stop is computed again."),
                 TextStyle::Body));
    column->addWidget(makeSettings());
    m_strip = new QWidget;
    m_strip->setAccessibleName(tr("Stops"));
    auto* strip = new FlowLayout(m_strip);
    strip->setContentsMargins(0, 0, 0, 0);
    strip->setSpacing(space::s);
    column->addWidget(m_strip);
    ask();
    makeStops();
    column->addStretch(1);
    ask();
    connect(m_job, &KernelJob::answered, this, &StackPage::showPtx);
    connect(m_job, &KernelJob::failed, this, [this](const Error& error) { m_compiled->setText(whatIsWrong(error)); });
    connect(m_job, &KernelJob::stateChanged, this, [this] { m_compile->setEnabled(!m_job->busy()); });
}

StackPage::~StackPage() = default;

QSpinBox* StackPage::addSize(QLayout* row, const QString& name, int value, int most, const QString& help)
{
    auto* box = new QSpinBox;
    box->setRange(most > 16 ? 1 : 0, most);
    box->setValue(value);
    box->setKeyboardTracking(false);
    addSetting(row, m_context.theme(), name, help, box);
    connect(box, &QSpinBox::valueChanged, this, &StackPage::ask);
    return box;
}

QWidget* StackPage::makeSettings()
{
    auto* pane = new QWidget;
    pane->setAccessibleName(tr("Settings"));
    auto* row = new FlowLayout(pane);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::m);
    m_filling = true;
    m_rows = addSize(row, tr("Rows of X"), m_question.rows, 65536, tr("Tokens or examples"));
    m_inner =
        addSize(row, tr("Columns of X"), m_question.inner, 65536, tr("Width of the layer's input, and rows of W"));
    m_columns = addSize(row, tr("Columns of W"), m_question.columns, 65536, tr("Width of the layer's output"));
    m_chip = new QComboBox;
    m_chip->setAccessibleName(tr("Chip"));
    m_chip->setToolTip(tr("The GPU that runs it; figures are those of the GPU catalogue"));
    ignoreWheel(m_chip);
    for (const silicon::Chip& chip : m_catalogue->chips())
        if (chip.vendor == "NVIDIA" && workload::deviceOf(*m_catalogue, chip, workload::Dtype::Bf16) &&
            m_catalogue->limits(chip.computeMajor, chip.computeMinor))
            m_chip->addItem(chipName(chip), QString::fromStdString(chip.id));
    m_chip->setCurrentIndex(std::max(0, m_chip->findData(QString::fromStdString(m_question.chip))));
    connect(m_chip, &QComboBox::currentIndexChanged, this, &StackPage::ask);
    row->addWidget(m_chip);
    m_filling = false;
    return pane;
}

void StackPage::makeStops()
{
    for (std::size_t i = 0; i < m_stack.stops.size(); ++i) {
        const StackStop& stop = m_stack.stops[i];
        const QString name = tr("%1  %2").arg(i + 1).arg(stop.title);
        Shown shown;
        shown.jump = makeButton(name, tr("To the stop %1").arg(stop.title));
        shown.jump->setObjectName(QStringLiteral("jump-") + stop.id);
        connect(shown.jump, &QPushButton::clicked, this, [this, i] { goTo(int(i)); });
        m_strip->layout()->addWidget(shown.jump);
        shown.card = new Card(stop.title);
        shown.card->setObjectName(QStringLiteral("stop-") + stop.id);
        auto* head = new QHBoxLayout;
        head->setSpacing(space::m);
        head->addWidget(makeLabel(m_context.theme(), name, TextStyle::ReadH3));
        shown.key = makeText(m_context.theme(), {}, TextStyle::Strong, QStringLiteral("muted"));
        head->addWidget(shown.key, 1);
        auto* badge = new ProvenanceBadge(m_context.theme());
        badge->setProvenance(stop.provenance);
        head->addWidget(badge);
        shown.card->column()->addLayout(head);
        shown.says = new QVBoxLayout;
        shown.says->setSpacing(space::xs);
        shown.card->column()->addLayout(shown.says);
        if (stop.id == QLatin1String("kernel"))
            makeCode(shown.card->column());
        if (stop.id == QLatin1String("fragment")) {
            auto* row = new QHBoxLayout;
            m_filling = true;
            m_row = addSize(row, tr("Row"), m_question.row, 15, tr("Of the element that is asked for"));
            m_column = addSize(row, tr("Column"), m_question.column, 15, tr("Of the element that is asked for"));
            m_filling = false;
            row->addStretch(1);
            shown.card->column()->addLayout(row);
        }
        if (stop.id == QLatin1String("rtl"))
            makeWaves(shown.card->column());
        if (stop.id == QLatin1String("die"))
            makeDie(shown.card->column());
        auto* links = new QHBoxLayout;
        links->setSpacing(space::s);
        QPushButton* lesson = makeButton(tr("Explained in lesson %1").arg(stop.lesson), tr("Opens the lesson"));
        lesson->setObjectName(QStringLiteral("lesson-") + stop.id);
        connect(lesson, &QPushButton::clicked, this,
                [this, id = stop.lesson] { Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + id); });
        links->addWidget(lesson);
        if (!stop.place.isEmpty()) {
            QPushButton* place = makeButton(stop.placeTitle, tr("Opens the experiment in the Lab"));
            connect(place, &QPushButton::clicked, this,
                    [this, to = stop.place] { Q_EMIT m_context.openRequested(to); });
            links->addWidget(place);
        }
        links->addStretch(1);
        shown.card->column()->addLayout(links);
        m_scroll->column()->addWidget(shown.card);
        m_shown.push_back(shown);
    }
}

void StackPage::makeCode(QVBoxLayout* column)
{
    m_source = app::makeCode(m_context.theme(), tr("Source of the fused kernel"));
    new CodeHighlighter(m_source->document(), m_context.theme(), CodeLanguage::Cuda);
    column->addWidget(m_source);
    auto* row = new QHBoxLayout;
    m_compile = makeButton(tr("Compile it"), tr("Has the compiler of this machine make PTX of it"));
    m_compile->setObjectName(QStringLiteral("compile"));
    connect(m_compile, &QPushButton::clicked, this, &StackPage::compile);
    m_compiled = makeText(m_context.theme(), {}, TextStyle::Body, QStringLiteral("muted"));
    row->addWidget(m_compile);
    row->addWidget(m_compiled, 1);
    column->addLayout(row);
    m_ptx = app::makeCode(m_context.theme(), tr("PTX of the fused kernel"));
    new CodeHighlighter(m_ptx->document(), m_context.theme(), CodeLanguage::Ptx);
    m_ptx->hide();
    column->addWidget(m_ptx);
}

void StackPage::makeWaves(QVBoxLayout* column)
{
    auto* row = new QHBoxLayout;
    m_simulate = makeButton(tr("Simulate it"), tr("Runs a tile of the array here; the run is kept in your record"));
    m_simulate->setObjectName(QStringLiteral("simulate"));
    connect(m_simulate, &QPushButton::clicked, this, [this] { simulate(kRtlExperiment); });
    m_simulated = makeText(m_context.theme(), tr("The waveform of one tile, register by register."), TextStyle::Body,
                           QStringLiteral("muted"));
    row->addWidget(m_simulate);
    row->addWidget(m_simulated, 1);
    column->addLayout(row);
    if (auto scene = makeScene(QStringLiteral("lanes"))) {
        m_waves = new SceneView(m_context.theme(), std::move(scene), this);
        m_waves->offerScenes({QStringLiteral("lanes"), QStringLiteral("grid")});
        const auto fit = [this] { m_waves->setMinimumHeight(m_context.theme().scaled(kWavesHeight)); };
        fit();
        connect(&m_context.theme(), &Theme::changed, m_waves, fit);
        m_waves->hide();
        column->addWidget(m_waves);
    }
    m_run = new RunController(m_context, this);
    connect(m_run, &RunController::stateChanged, this, [this] {
        const bool busy = m_run->state() == RunState::Running || m_run->state() == RunState::Cancelling;
        m_simulate->setEnabled(!busy);
    });
    connect(m_run, &RunController::traceArrived, this, [this](std::size_t, const DecodedTraces& traces) {
        if (!m_waves)
            return;
        SceneFrame frame;
        frame.title = tr("A tile of %1 × %1").arg(kRtlSide);
        if (!m_waves->isHidden() && !m_waves->frames().empty())
            frame = m_waves->frames().front();
        traces.addTo(frame);
        m_waves->setFrames({frame});
        m_waves->chooseScene(m_noSimulator ? QStringLiteral("grid") : QStringLiteral("lanes"));
        m_waves->show();
    });
    connect(m_run, &RunController::rowStored, this, &StackPage::takeRun);
    connect(m_run, &RunController::failed, this, [this](const Error& error) {
        if (error.code == "no-iverilog")
            m_noSimulator = error;
        m_simulated->setText(whatIsWrong(error));
    });
    // Without Icarus Verilog the same tile goes through the array in C++.
    connect(m_run, &RunController::done, this, [this] {
        if (m_noSimulator && m_run->state() == RunState::Failed)
            simulate(kEngineExperiment);
    });
}

void StackPage::simulate(const std::string& experiment)
{
    ParamSet point{{"n", std::int64_t{kRtlSide}},
                   {"m", std::int64_t{kRtlRows}},
                   {"tiles", std::int64_t{1}},
                   {"pressure", std::int64_t{0}}};
    if (experiment == kEngineExperiment)
        point = {{"rows", std::int64_t{kRtlSide}}, {"cols", std::int64_t{kRtlSide}}, {"dataflow", std::string("ws")},
                 {"m", std::int64_t{kRtlRows}},    {"n", std::int64_t{kRtlSide}},    {"k", std::int64_t{kRtlSide}}};
    else
        m_noSimulator.reset();
    if (m_waves) {
        m_waves->setFrames({});
        m_waves->hide();
    }
    if (!m_noSimulator)
        m_simulated->setText(tr("Simulating …"));
    RunRequest request;
    request.experiment = experiment;
    request.target =
        experiment == kEngineExperiment ? m_context.targetOf(experiment).toStdString() : std::string(kModelTarget);
    request.points = {point};
    if (const auto begun = m_run->start(std::move(request), {}); !begun)
        m_simulated->setText(whatIsWrong(begun.error()));
}

void StackPage::takeRun(const record::RunRow& row)
{
    if (row.status != "finished")
        return;
    const auto value = [&](const char* name) {
        const auto found = row.metrics.find(name);
        return found == row.metrics.end() ? 0.0 : found->second.value;
    };
    if (row.experiment != kRtlExperiment) {
        m_simulated->setText(tr("%1 Below is the same tile in the array in C++, MODELLED, cycle by cycle.")
                                 .arg(m_noSimulator ? whatIsWrong(*m_noSimulator) : QString()));
        return;
    }
    const bool right = value("matches") == 1, inTime = value("cycles") == value("cycles_expected");
    m_simulated->setText(tr("SIMULATED in Icarus Verilog: %1 cycles%2 %3")
                             .arg(value("cycles"), 0, 'f', 0)
                             .arg(inTime
                                      ? tr(", as the closed form says.")
                                      : tr(", where the closed form says %1.").arg(value("cycles_expected"), 0, 'f', 0),
                                  right ? tr("Every result is the engine's, bit by bit.")
                                        : tr("%1 results are not the engine's.").arg(value("wrong"), 0, 'f', 0)));
}

void StackPage::makeDie(QVBoxLayout* column)
{
    auto* pane = new QWidget;
    pane->setAccessibleName(tr("Die"));
    auto* row = new FlowLayout(pane);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::m);
    m_filling = true;
    m_die = new QComboBox;
    m_die->setAccessibleName(tr("A known die"));
    m_die->setToolTip(tr("Area by NVIDIA's whitepapers, price of a wafer by CSET 2020; own figures beside it"));
    ignoreWheel(m_die);
    m_die->addItem(tr("Own figures"));
    for (const silicon::KnownDie& die : silicon::knownDies())
        if (const silicon::Chip* chip =
                findChip(*m_catalogue, QString::fromUtf8(die.chip.data(), qsizetype(die.chip.size()))))
            m_die->addItem(
                tr("%1, %2").arg(chipName(*chip), QString::fromUtf8(die.node.data(), qsizetype(die.node.size()))));
    row->addWidget(m_die);
    const auto add = [&](const QString& name, double least, double most, double value, int decimals,
                         const QString& unit, const QString& help) {
        auto* group = new QWidget;
        group->setAccessibleName(name);
        auto* line = new QHBoxLayout(group);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(space::xs);
        auto* box = new QDoubleSpinBox;
        box->setAccessibleName(name);
        box->setToolTip(help);
        box->setDecimals(decimals);
        box->setRange(least, most);
        box->setValue(value);
        box->setSuffix(unit);
        box->setKeyboardTracking(false);
        ignoreWheel(box);
        line->addWidget(makeLabel(m_context.theme(), name, TextStyle::Body, QStringLiteral("muted")));
        line->addWidget(box);
        row->addWidget(group);
        connect(box, &QDoubleSpinBox::valueChanged, this, [this] {
            if (m_filling)
                return;
            m_die->setCurrentIndex(0);
            ask();
        });
        return box;
    };
    m_area = add(tr("Area"), 1, silicon::kReticleMm2, m_question.areaMm2, 0, tr(" mm²"),
                 tr("At most 26 × 33 mm, the field of a scanner"));
    m_defects = add(tr("Defects"), 0, 5, m_question.defectsPerCm2, 2, tr(" a cm²"), tr("0.10 on TSMC's N5 in 2020"));
    m_wafer = add(tr("A wafer"), 100, 100000, m_question.waferDollars, 0, tr(" $"),
                  tr("16,988 $ at 5 nm, 9,346 $ at 7 nm, 3,984 $ at 12 nm (CSET, 2020)"));
    m_die->setCurrentIndex(std::min(3, m_die->count() - 1));
    for (int i = 1; i < m_die->count(); ++i)
        if (silicon::knownDies()[std::size_t(i - 1)].chip == m_question.chip)
            m_die->setCurrentIndex(i);
    connect(m_die, &QComboBox::activated, this, [this](int at) {
        if (at < 1)
            return;
        const silicon::KnownDie& die = silicon::knownDies()[std::size_t(at - 1)];
        m_filling = true;
        m_area->setValue(die.areaMm2);
        m_wafer->setValue(die.waferDollars);
        m_filling = false;
        ask();
    });
    m_filling = false;
    column->addWidget(pane);
}

void StackPage::ask()
{
    if (m_filling)
        return;
    m_question.rows = m_rows->value();
    m_question.inner = m_inner->value();
    m_question.columns = m_columns->value();
    m_question.chip = m_chip->currentData().toString().toStdString();
    if (m_area) {
        m_question.row = m_row->value();
        m_question.column = m_column->value();
        m_question.areaMm2 = m_area->value();
        m_question.defectsPerCm2 = m_defects->value();
        m_question.waferDollars = m_wafer->value();
    }
    auto found = matmulStack(*m_catalogue, m_question);
    m_banner->setVisible(!found.ok());
    if (!found)
        return m_banner->setError(found.error());
    m_stack = std::move(*found);
    for (std::size_t i = 0; i < m_shown.size(); ++i) {
        Shown& shown = m_shown[i];
        const StackStop& stop = m_stack.stops[i];
        shown.key->setText(stop.key);
        for (std::size_t line = 0; line < std::size_t(stop.says.size()); ++line) {
            if (line == shown.lines.size()) {
                shown.lines.push_back(makeText(m_context.theme(), {}, TextStyle::Body));
                shown.says->addWidget(shown.lines.back());
            }
            shown.lines[line]->setText(stop.says[qsizetype(line)]);
        }
    }
    if (m_source && m_source->toPlainText() != m_stack.source) {
        m_source->setPlainText(m_stack.source);
        m_ptx->hide();
        m_compiled->setText(
            tr("PTX comes from the compiler of this machine, and with it the machine instructions that the "
               "simulator makes of it."));
    }
}

void StackPage::compile()
{
    const silicon::Chip* chip = findChip(*m_catalogue, m_chip->currentData().toString());
    m_compiled->setText(tr("Compiling …"));
    m_job->start(KernelCompileRequest{{"y_is_xw_plus_b.cu", m_stack.source.toStdString(), false},
                                      "sm_" + std::to_string(10 * chip->computeMajor + chip->computeMinor),
                                      false,
                                      {30, 4096}});
}

void StackPage::showPtx(const JsonValue& document)
{
    const std::vector<PtxLine> lines = ptxListing(*document, false);
    if (lines.empty()) {
        std::string why = (*document).dump();
        m_compiled->setText(tr("No compiler made PTX of it: %1").arg(QString::fromStdString(why.substr(0, 300))));
        return;
    }
    QStringList text;
    int instructions = 0, machine = 0;
    for (const PtxLine& line : lines) {
        text << (line.machine.isEmpty()
                     ? line.text
                     : line.text.leftJustified(56) + QStringLiteral("  // ") + line.machine.join(QStringLiteral("; ")));
        instructions += line.copies > 0;
        machine += line.allMachine;
    }
    m_ptx->setPlainText(text.join(QLatin1Char('\n')));
    m_ptx->show();
    m_compiled->setText(
        tr("%1 PTX instructions; behind each what the simulator makes of it, %2 machine instructions in all "
           "(MODELLED, not NVIDIA's SASS).")
            .arg(instructions)
            .arg(machine));
}

void StackPage::goTo(int stop)
{
    m_part = m_stack.stops[std::size_t(stop)].id;
    m_scroll->verticalScrollBar()->setValue(m_shown[std::size_t(stop)].card->y() - space::m);
    if (auto* lesson = m_shown[std::size_t(stop)].card->findChild<QPushButton*>(QStringLiteral("lesson-") + m_part))
        lesson->setFocus(Qt::OtherFocusReason);
}

Result<void> StackPage::open(const QString& part)
{
    if (!m_catalogue || part.isEmpty())
        return {};
    static const QRegularExpression sizes(QStringLiteral("^(\\d{1,9})x(\\d{1,9})x(\\d{1,9})$"));
    if (const auto match = sizes.match(part); match.hasMatch()) {
        m_filling = true;
        m_rows->setValue(match.captured(1).toInt());
        m_inner->setValue(match.captured(2).toInt());
        m_columns->setValue(match.captured(3).toInt());
        m_filling = false;
        m_part = part;
        ask();
        return {};
    }
    for (std::size_t i = 0; i < m_stack.stops.size(); ++i)
        if (m_stack.stops[i].id == part) {
            m_part = part;
            // Its place is known once the page is laid out.
            QTimer::singleShot(0, this, [this, i] { goTo(int(i)); });
            return {};
        }
    QStringList all;
    for (const StackStop& stop : m_stack.stops)
        all << QStringLiteral("stack/") + stop.id;
    return Error{"unknown-page", "There is no stop " + part.toStdString() + ".", "stack",
                 "Stops are " + all.join(QStringLiteral(", ")).toStdString() +
                     "; or give sizes, as stack/4096x1024x4096."};
}

QList<QWidget*> StackPage::panes() const
{
    if (!m_catalogue)
        return {};
    return {m_rows, m_strip, m_scroll};
}

double StackPage::scrollFraction() const
{
    return m_scroll ? app::scrollFraction(m_scroll) : 0;
}

void StackPage::setScrollFraction(double fraction)
{
    if (m_scroll)
        app::setScrollFraction(m_scroll, fraction);
}

} // namespace ridge::app
