// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/rtl_block.h"

#include "app/theme/announce.h"
#include "base/json.h"
#include "base/plain_file.h"
#include "rtl/design.h"

#include <QComboBox>
#include <QCryptographicHash>
#include <QLabel>
#include <QListWidget>
#include <QSignalBlocker>
#include <QTextCursor>

namespace ridge::app {
namespace {

constexpr const char* kBench = "rtl_array";
constexpr const char* kEngine = "systolic";
constexpr const char* kTiming = "rtl_timing";
constexpr std::int64_t kMostPlaced = 4;     ///< PEs a side that have pins and cells enough
constexpr std::size_t kMostText = 1u << 20; ///< as the bench reads
constexpr int kEditorHeight = 420, kSceneHeight = 400;

double metricOf(const record::RunRow& row, const char* name)
{
    const auto found = row.metrics.find(name);
    return found == row.metrics.end() ? 0 : found->second.value;
}

std::int64_t integerOf(const ParamSet& params, const char* name, std::int64_t otherwise)
{
    const auto found = params.find(name);
    const auto* value = found == params.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    return value ? *value : otherwise;
}

} // namespace

RtlBlockWidget::RtlBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("RTL"), parent), m_rtl(std::get<lessons::KernelBlock>(block.body)),
      m_draft(new DraftFile(context.app.store() ? context.app.store()->folder() : std::filesystem::path(),
                            context.state.lesson().id, block.id, this)),
      m_from(new QComboBox(this)), m_editor(new KernelEditor(context.theme(), this)), m_problems(new QListWidget(this)),
      m_formHolder(new QWidget(this)), m_panel(new RunPanel(context, block.id, kBench, tr("Run the testbench"), this)),
      m_engine(new RunPanel(context, block.id, kEngine, tr("Show the array in C++"), this)),
      m_timing(new RunPanel(context, block.id, kTiming, tr("Place and route on an FPGA"), this)),
      m_verdict(new ThemedLabel(context.theme(), {}, TextStyle::Strong, "", this)),
      m_result(new ResultTable(context.theme(), this))
{
    const auto source = readFile(app().dataFolder() / "labs" / "rtl" / m_rtl.file);
    if (source)
        m_shipped = *source;
    else
        addLabel(QString::fromStdString(toText(source.error())), TextStyle::Body, "error");
    addEditor();
    addBench();
    addCaption(m_rtl.caption);
    refresh();
}

QString RtlBlockWidget::designText(int bug) const
{
    const auto faults = rtl::faults();
    if (bug < 1 || std::size_t(bug) > faults.size())
        return QString::fromStdString(m_shipped);
    const auto wrong = rtl::withFault({m_rtl.file, m_shipped}, faults[std::size_t(bug) - 1].id);
    return QString::fromStdString(wrong ? wrong->text : m_shipped);
}

void RtlBlockWidget::addEditor()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    auto* label = new ThemedLabel(theme(), tr("Start from"), TextStyle::Body, "muted", this);
    label->setWordWrap(false);
    m_from->setObjectName(QStringLiteral("startFrom"));
    m_from->setAccessibleName(tr("Design to start from"));
    m_from->addItem(tr("the design as it is shipped"));
    for (std::size_t i = 0; i < rtl::faults().size(); ++i)
        m_from->addItem(tr("planted bug %1").arg(i + 1)); // what it is, is what there is to find
    label->setBuddy(m_from);
    auto* load = new QPushButton(tr("Load"), this);
    load->setObjectName(QStringLiteral("loadDesign"));
    load->setAccessibleName(tr("Load this design into the editor"));
    load->setToolTip(tr("Takes the place of the text below; Ctrl+Z in the editor brings that back"));
    row->addWidget(label);
    row->addWidget(m_from);
    row->addWidget(load);
    row->addStretch();
    body()->addLayout(row);
    connect(load, &QPushButton::clicked, this, [this] {
        this->load(m_from->currentIndex());
        m_editor->setFocus(Qt::OtherFocusReason);
    });

    m_editor->setObjectName(QStringLiteral("rtlEditor"));
    m_editor->setAccessibleName(tr("Source of %1").arg(QString::fromStdString(m_rtl.file)));
    m_editor->setAccessibleDescription(tr("Tab indents, Esc leaves, Ctrl+Enter runs the testbench"));
    m_editor->setLanguage(CodeLanguage::Verilog);
    const auto fit = [this] {
        m_editor->setFixedHeight(theme().scaled(kEditorHeight));
        m_problems->setMaximumHeight(theme().scaled(120));
    };
    connect(&theme(), &Theme::changed, this, fit);
    fit();
    const Json draft = m_draft->load();
    const auto faults = rtl::faults();
    const auto planted = std::ranges::find(faults, m_rtl.task, &rtl::Fault::id);
    const int bug = planted == faults.end() ? 0 : int(planted - faults.begin()) + 1;
    m_from->setCurrentIndex(bug);
    m_editor->setPlainText(draft.contains("text") && draft["text"].is_string()
                               ? QString::fromStdString(draft["text"].get<std::string>())
                               : designText(bug));
    if (!m_rtl.highlight.empty())
        m_editor->goToLine(m_rtl.highlight.front());
    body()->addWidget(m_editor);
    connect(m_editor, &QPlainTextEdit::textChanged, this, [this] {
        m_draft->keep(Json{{"text", m_editor->plainText().toStdString()}});
    });
    connect(m_editor, &KernelEditor::left, this, [this] { m_panel->button()->setFocus(Qt::OtherFocusReason); });
    connect(m_draft, &DraftFile::saveFailed, this, [this](const QString& message) {
        m_verdict->setText(tr("Your design is not kept: %1").arg(message));
        m_verdict->setTone("warn");
        m_verdict->setVisible(true);
    });

    m_problems->setObjectName(QStringLiteral("rtlProblems"));
    m_problems->setAccessibleName(tr("What the compiler said"));
    m_problems->setVisible(false);
    body()->addWidget(m_problems);
    connect(m_problems, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
        m_editor->goToLine(item->data(Qt::UserRole).toInt());
        m_editor->setFocus(Qt::OtherFocusReason);
    });
}

void RtlBlockWidget::addBench()
{
    auto* holder = new QVBoxLayout(m_formHolder);
    holder->setContentsMargins(0, 0, 0, 0);
    m_formHolder->setVisible(false);
    body()->addWidget(m_formHolder);
    body()->addWidget(m_panel);
    m_engine->button()->setObjectName(QStringLiteral("engineButton"));
    m_engine->setVisible(false);
    body()->addWidget(m_engine);
    m_timing->button()->setObjectName(QStringLiteral("timingButton"));
    m_timing->button()->setToolTip(
        tr("Yosys and nextpnr map the design to a Lattice iCE40 HX8K, at most 4 × 4 PEs. The "
           "timing report goes with the artifact of this lesson"));
    m_timing->setPrimary(false);
    body()->addWidget(m_timing);
    m_verdict->setObjectName(QStringLiteral("verdict"));
    m_verdict->setVisible(false);
    body()->addWidget(m_verdict);
    addHeld();
    if (auto scene = makeScene(QStringLiteral("grid"))) {
        m_view = new SceneView(theme(), std::move(scene), this);
        m_view->setMinimumHeight(theme().scaled(kSceneHeight));
        m_view->offerScenes({QStringLiteral("grid"), QStringLiteral("lanes")});
        m_view->setVisible(false);
        body()->addWidget(m_view);
    }
    m_result->setVisible(false);
    body()->addWidget(m_result);
    connect(m_panel, &RunPanel::requested, this, &RtlBlockWidget::activate);
    connect(m_panel, &RunPanel::failed, this, &RtlBlockWidget::tellFailure);
    connect(m_engine, &RunPanel::requested, this, &RtlBlockWidget::runEngine);
    connect(m_timing, &RunPanel::requested, this, &RtlBlockWidget::runTiming);
    connect(m_timing, &RunPanel::failed, this, &RtlBlockWidget::tellFailure);
    const auto able = [this] {
        m_panel->setObstacle(state().runObstacle(kBench, {}));
        m_engine->setObstacle(state().runObstacle(kEngine, {}));
        m_timing->setObstacle(state().runObstacle(kTiming, {}));
        buildForm();
    };
    connect(&state(), &LessonState::abilityChanged, this, able);
    connect(&state(), &LessonState::abilityChanged, this, &RtlBlockWidget::refresh);
    connect(&state(), &LessonState::runsChanged, this, [this](const QString& id) {
        if (id == blockId())
            refresh();
    });
    connect(&state(), &LessonState::framesChanged, this, [this](const QString& id) {
        if (id == blockId())
            takeFrames();
    });
    able();
}

void RtlBlockWidget::buildForm()
{
    const ExperimentInfo* info = app().experiment(kBench);
    if (m_form || !info)
        return;
    std::vector<ParamSpec> specs;
    for (const char* name : {"n", "stimuli", "pressure"})
        if (const ParamSpec* spec = info->parameter(name))
            specs.push_back(*spec);
    ParamSet values;
    for (const record::RunRow* row : state().runsOf(block().id)) // the newest last
        if (row->experiment == kBench)
            for (const ParamSpec& spec : specs)
                if (const auto found = row->params.find(spec.name); found != row->params.end())
                    values[spec.name] = found->second;
    m_form = new ParameterForm(theme(), specs, values, AppContext::targetClass(state().targetOf(kBench)), m_formHolder);
    m_formHolder->layout()->addWidget(m_form);
    m_formHolder->setVisible(!specs.empty());
}

/// As typing would: what stood there comes back with undo.
void RtlBlockWidget::load(int bug)
{
    QTextCursor all(m_editor->document());
    all.select(QTextCursor::Document);
    all.insertText(designText(bug));
    showNotes({});
    m_editor->goToLine(1);
}

/// Below a folder that is named by the text: what ran once is there again when the run is repeated.
Result<std::string> RtlBlockWidget::designFile() const
{
    const std::string text = m_editor->plainText().toStdString();
    if (text == m_shipped)
        return std::string();
    if (text.size() > kMostText)
        return Error{"too-large", "the design is longer than a MiB", m_rtl.file,
                     "take out what the array does not need"};
    if (!app().store())
        return Error{"no-store", "your record is not open", m_rtl.file, "restart the program"};
    const auto digest = QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha256);
    const auto folder = app().store()->folder() / "designs" / digest.toHex().left(16).toStdString();
    const auto file = folder / m_rtl.file;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
        return Error{"cannot-write", "your design cannot be written: " + failed.message(), folder.string(),
                     "make room there"};
    if (auto written = writeFile(file, text); !written)
        return written.error();
    return file.string();
}

void RtlBlockWidget::activate()
{
    if (!canActivate())
        return;
    const auto file = designFile();
    if (!file)
        return m_panel->showError(file.error(), false);
    ParamSet point = m_form ? m_form->values() : ParamSet();
    if (!file->empty())
        point["design"] = *file;
    showNotes({});
    m_engine->setVisible(false);
    m_panel->start({point}, {}, true);
}

void RtlBlockWidget::cancel()
{
    m_panel->cancel();
    m_engine->cancel();
    m_timing->cancel();
}

void RtlBlockWidget::restore()
{
    state().restoreFrames(block().id);
}

void RtlBlockWidget::showNotes(std::vector<SourceNote> notes)
{
    m_problems->clear();
    for (const SourceNote& note : notes) {
        auto* item = new QListWidgetItem(tr("Line %1: %2").arg(note.line).arg(note.text), m_problems);
        item->setData(Qt::UserRole, note.line);
    }
    if (!notes.empty()) {
        m_problems->setCurrentRow(0);
        m_editor->goToLine(notes.front().line);
    }
    m_problems->setVisible(!notes.empty());
    m_editor->setNotes(std::move(notes));
}

void RtlBlockWidget::tellFailure(const Error& error)
{
    m_runsAtFailure = state().runsOf(block().id).size();
    m_verdict->setVisible(false);
    if (error.code == "no-iverilog")
        m_engine->setVisible(true); // the lesson goes on without the tool
    if (error.code == "rtl-compile")
        showNotes(verilogMessages(QString::fromStdString(error.message), QString::fromStdString(m_rtl.file)));
}

/// One tile of the same size in the engine that the design is held against.
void RtlBlockWidget::runEngine()
{
    const ParamSet form = m_form ? m_form->values() : ParamSet();
    const std::int64_t side = integerOf(form, "n", 8);
    m_engine->start({{{"rows", side},
                      {"cols", side},
                      {"dataflow", std::string("ws")},
                      {"m", std::int64_t(16)},
                      {"n", side},
                      {"k", side}}},
                    {}, true);
}

/// The editor's design, as large as the chip holds.
void RtlBlockWidget::runTiming()
{
    const auto file = designFile();
    if (!file)
        return m_timing->showError(file.error(), false);
    ParamSet point{
        {"n", std::clamp(integerOf(m_form ? m_form->values() : ParamSet(), "n", 2), std::int64_t(2), kMostPlaced)}};
    if (!file->empty())
        point["design"] = *file;
    showNotes({});
    m_timing->start({point}, {}, true);
}

void RtlBlockWidget::takeFrames()
{
    if (!m_view)
        return;
    const auto& frames = state().frames(block().id);
    std::vector<SceneFrame> all;
    for (const BlockFrame& frame : frames)
        all.push_back(frame.scene);
    m_view->setFrames(std::move(all));
    m_view->setVisible(!frames.empty());
}

void RtlBlockWidget::refresh()
{
    const auto rows = state().runsOf(block().id);
    const record::RunRow* row = rows.empty() ? nullptr : rows.back();
    const ExperimentInfo* info = row ? app().experiment(row->experiment) : nullptr;
    const QString held = row ? state().held(Outcome::Result) : QString();
    setHeld(row ? tr("Your run is stored.") : QString(), held);
    m_result->setVisible(info && held.isEmpty());
    m_verdict->setVisible(row && held.isEmpty() && m_runsAtFailure != rows.size());
    if (!info || !held.isEmpty())
        return;
    m_result->show(*info, *row, state().pointTitle(block().id, row->params));
    tell(*row);
}

void RtlBlockWidget::tell(const record::RunRow& row)
{
    QString tone = QStringLiteral("ok");
    const QString said =
        row.experiment == kBench ? verdictOf(row, tone)
        : row.experiment == kTiming
            ? placedText(row)
            : tr("The array in C++: nothing was compared, since no simulator of SystemVerilog is installed.");
    if (row.experiment == kEngine)
        tone = QStringLiteral("hint");
    const bool fresh = m_verdict->text() != said;
    m_verdict->setText(said);
    m_verdict->setTone(tone.toLatin1().constData());
    if (fresh)
        announce(m_verdict, said);
}

QString RtlBlockWidget::verdictOf(const record::RunRow& row, QString& tone) const
{
    const auto count = [&](const char* name) { return locale().toString(qint64(metricOf(row, name))); };
    const bool right = metricOf(row, "matches") == 1;
    const bool inTime = metricOf(row, "cycles") == metricOf(row, "cycles_expected");
    tone = right && inTime ? QStringLiteral("ok") : QStringLiteral("warn");
    QString said = right ? tr("Bit-exact: %1 results are the engine's.").arg(count("results"))
                         : tr("Wrong: %1 of %2 results are not the engine's.").arg(count("wrong"), count("results"));
    said += QLatin1Char(' ') +
            (inTime ? tr("Cycle-exact: %1 cycles, as the closed form says.").arg(count("cycles"))
                    : tr("%1 cycles, where the closed form says %2.").arg(count("cycles"), count("cycles_expected")));
    for (const CheckResult& check : row.checks)
        if (!check.passed && (check.name == "product" || check.name == "registers")) {
            said += QLatin1Char(' ') + tr("The first: %1.").arg(QString::fromStdString(check.detail));
            break;
        }
    return said;
}

QString RtlBlockWidget::placedText(const record::RunRow& row) const
{
    const auto figure = [&](const char* name, double scale, int digits) {
        return locale().toString(metricOf(row, name) * scale, 'f', digits);
    };
    const QString side = locale().toString(integerOf(row.params, "n", 2));
    if (!row.metrics.contains("fmax"))
        return tr("%1 × %1 PEs take %2 logic cells. No path leads from register to register, so there is no clock.")
            .arg(side, figure("logic_cells", 1, 0));
    const double path = metricOf(row, "path");
    return tr("%1 × %1 PEs run at %2 MHz in %3 logic cells. The slowest path takes %4 ns, %5 % of it in wires. The "
              "timing "
              "report goes with the artifact.")
        .arg(side, figure("fmax", 1e-6, 1), figure("logic_cells", 1, 0), figure("path", 1e9, 2),
             locale().toString(path > 0 ? 100 * metricOf(row, "path_routing") / path : 0, 'f', 0));
}

} // namespace ridge::app

#include "moc_rtl_block.cpp"
