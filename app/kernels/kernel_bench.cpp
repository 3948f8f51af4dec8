// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_bench.h"

#include "app/kernels/debug_panel.h"
#include "app/kernels/grade_panel.h"
#include "app/kernels/history_panel.h"
#include "app/kernels/kernel_results.h"
#include "app/kernels/launch_form.h"
#include "app/kernels/problem_list.h"
#include "app/kernels/ptx_panel.h"
#include "app/kernels/replace_bar.h"
#include "app/theme/announce.h"
#include "app/ui/panels.h"
#include "app/ui/target_box.h"
#include "app/ui/targets.h"
#include "base/json.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "silicon/chip_catalogue.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QProgressBar>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

/// After the last key. An error is to stand in the editor within half a second, and nvcc takes 0.4 s of it.
constexpr int kCompileAfterMs = 100;

std::filesystem::path folderOf(AppContext& context)
{
    return context.store() ? context.store()->folder() : std::filesystem::path();
}

QString provenanceNote(const Json& document, const QString& what)
{
    const auto found = document.find("provenance");
    const bool known = found != document.end() && found->is_string();
    return QStringLiteral("%1. %2").arg(known ? QString::fromStdString(found->get<std::string>()) : QString(), what);
}

} // namespace

KernelBench::KernelBench(AppContext& context, KernelDraft draft, QWidget* parent, Qt::Orientation layout)
    : QWidget(parent), m_context(context), m_draft(std::move(draft)),
      m_file(std::make_unique<DraftFile>(folderOf(context), "kernels", m_draft.name)),
      m_history(historyFile(folderOf(context), m_draft.name)), m_compile(new KernelJob(this)),
      m_run(new KernelJob(this)), m_recorder(new KernelJob(this)), m_grading(new KernelGrading(context, this))
{
    setAccessibleName(tr("Kernel %1").arg(name()));
    m_soon.setSingleShot(true);
    m_soon.setInterval(kCompileAfterMs);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    m_error = new Banner(context.theme());
    column->addWidget(m_error);
    auto* splitter = new QSplitter(layout);
    column->addWidget(splitter, 1); // what joins is styled anew, with all that is in it
    splitter->setAccessibleName(tr("Source and results"));
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
    splitter->addWidget(makeSource());
    splitter->addWidget(makeSide());
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
    m_sideShown->setVisible(layout == Qt::Horizontal);
    const auto fit = [this, splitter, layout] {
        if (layout == Qt::Vertical)
            return splitter->setSizes({height() / 2, height() / 2});
        const int side = std::min(m_context.theme().scaled(468), std::max(468, width() / 2));
        splitter->setSizes({std::max(width() - side, 300), side});
    };
    fit();
    connect(&context.theme(), &Theme::changed, splitter, fit);

    connectEditor();
    connectJobs();
    connectDebugger();
    connectGrading();
    m_editor->setLanguage(m_draft.isPtx ? CodeLanguage::Ptx : CodeLanguage::Cuda);
    m_editor->setPlainText(QString::fromStdString(m_draft.text));
    m_lineCount = m_editor->blockCount();
    m_form->setLaunches(m_draft.launches, m_draft.chosen);
    m_versions->setHistory(m_history, m_editor->toPlainText());
    fillTargets();
    m_loading = false;
    showNotes();
    showState();
    m_soon.start(0);
}

KernelBench::~KernelBench()
{
    m_soon.stop();
    for (KernelJob* job : {m_compile, m_run, m_recorder})
        job->disconnect(this);
    m_grading->disconnect(this);
    m_grading->job()->disconnect(this);
}

bool KernelBench::running() const
{
    return m_run->busy() || m_recorder->busy() || m_grading->busy();
}

void KernelBench::connectEditor()
{
    connect(m_editor, &QPlainTextEdit::textChanged, this, &KernelBench::textChanged);
    connect(m_editor, &KernelEditor::left, this, [this] {
        if (m_find->isVisible())
            m_find->close();
        (m_side->isVisible() ? m_side : m_below)->tabBar()->setFocus(Qt::TabFocusReason);
    });
    connect(m_form, &LaunchForm::changed, this, &KernelBench::noteChange);
    connect(m_form, &LaunchForm::commandWanted, this, [this] {
        const auto wanted = request();
        if (wanted)
            QApplication::clipboard()->setText(QString::fromStdString(commandLineOf(*wanted)));
        Q_EMIT m_context.notice(
            wanted ? tr("Copied: ridge kernel run …") : QString::fromStdString(toText(wanted.error())), !wanted);
    });
    connect(m_versions, &HistoryPanel::keepWanted, this, &KernelBench::keepVersion);
    connect(m_versions, &HistoryPanel::restoreWanted, this, &KernelBench::restoreVersion);
    connect(m_file.get(), &DraftFile::saveFailed, this,
            [this](const QString& message) { Q_EMIT m_context.notice(message, true); });
    connect(&m_context, &AppContext::targetChanged, this, [this] {
        fillTargets();
        m_soon.start(0); // for another architecture
        showState();
    });
    connect(&m_context, &AppContext::catalogueReady, this, [this] {
        fillTargets();
        showState();
    });
    connect(&m_context, &AppContext::remotesChanged, this, &KernelBench::fillTargets);
    connect(&m_soon, &QTimer::timeout, this, &KernelBench::compileNow);
}

void KernelBench::connectJobs()
{
    connect(m_compile, &KernelJob::answered, this, [this](const JsonValue& document) { takeCompiled(*document); });
    connect(m_compile, &KernelJob::failed, this, &KernelBench::takeErrors);
    connect(m_run, &KernelJob::stateChanged, this, &KernelBench::showState);
    connect(m_run, &KernelJob::progressed, this, [this](double fraction, const QString& message) {
        m_progress->setValue(static_cast<int>(fraction * 1000));
        m_status->setText(message);
    });
    connect(m_run, &KernelJob::pausedFor, this, [this](const Error& why) {
        const QString said = asSentence(QString::fromStdString(why.message));
        m_results->setMessage(tr("Paused"), tr("%1\n\nIt stands still there. Go on (F5) gives it as much again. Stop "
                                               "(Shift+F5) ends it there and says what it has counted.")
                                                .arg(said));
        announce(this, tr("Paused: %1").arg(said));
    });
    connect(m_run, &KernelJob::answered, this, [this](const JsonValue& document) { takeRun(*document); });
    connect(m_run, &KernelJob::failed, this, [this](const Error& error) {
        if (error.code == "cancelled")
            return m_results->setMessage(tr("Stopped"), tr("The worker was ended. Nothing of the run is kept."));
        m_error->setError(error);
        m_error->show();
        m_results->setMessage(tr("The run failed"), QString::fromStdString(toText(error)));
        announce(this, QString::fromStdString(error.message));
    });
}

KernelText KernelBench::source() const
{
    // A kernel that was begun from a file keeps its place: quoted includes stand beside it, and a shipped one that is
    // unchanged is known by it.
    const std::string own =
        (folderOf(m_context) / "drafts" / "kernels" / (m_draft.name + (m_draft.isPtx ? ".ptx" : ".cu"))).string();
    return {m_draft.origin.empty() ? own : m_draft.origin, m_editor->toPlainText().toStdString(), m_draft.isPtx};
}

QString KernelBench::target() const
{
    return runsKernels(m_context.target().toStdString()) ? m_context.target() : QString::fromLatin1(kDefaultSimulator);
}

std::string KernelBench::arch() const
{
    static const Result<silicon::Catalogue> table = silicon::shippedCatalogue();
    if (const std::string id = chipOfTarget(target().toStdString()); table && !id.empty())
        if (const auto chip = table->find(id))
            return "sm_" + std::to_string(10 * chip->computeMajor + chip->computeMinor);
    return "sm_80"; // a GPU compiles for itself when it runs; errors and parameters are the same
}

void KernelBench::fillTargets()
{
    m_targets->clear();
    m_targets->addTargets([](const std::string& id) { return runsKernels(id); });
    if (m_targets->count() == 0)
        m_targets->addItem(target(), target());
    m_targets->setCurrentIndex(m_targets->findData(target()));
}

void KernelBench::noteChange()
{
    if (m_loading)
        return;
    m_draft.text = m_editor->toPlainText().toStdString();
    if (!m_form->kernel().empty())
        m_draft.chosen = m_form->kernel();
    m_draft.launches = m_form->launches();
    m_file->keep(toJson(m_draft));
    showState();
}

void KernelBench::textChanged()
{
    if (m_loading)
        return;
    // What was said about lines below stays with them.
    const int shift = m_editor->blockCount() - m_lineCount, from = m_editor->currentLine() - std::max(0, shift);
    m_lineCount = m_editor->blockCount();
    if (shift != 0)
        for (auto* notes : {&m_compileNotes, &m_runNotes})
            for (SourceNote& note : *notes) {
                note.line += note.line > from ? shift : 0;
                note.otherLine += note.otherLine > from ? shift : 0;
            }
    if (shift != 0)
        showNotes();
    noteChange();
    if (m_side->currentWidget() == m_versions)
        m_versions->setTextNow(m_editor->toPlainText());
    showKept();
    m_soon.start();
}

void KernelBench::compileNow()
{
    m_soon.stop();
    if (m_draft.isPtx && m_editor->toPlainText().trimmed().isEmpty())
        return;
    m_compileState = tr("Compiling for %1 …").arg(QString::fromStdString(arch()));
    m_problems->setState(m_compileState);
    m_compile->start(KernelCompileRequest{source(), arch(), m_form->launch().exact, {30, 4096}});
}

void KernelBench::takeCompiled(const Json& document)
{
    m_compileNotes.clear();
    if (const auto compilation = document.find("compilation"); compilation != document.end())
        m_compiler = QString::fromStdString(compilation->value("by", std::string()));
    m_compileState = tr("Compiles for %1 with %2.")
                         .arg(QString::fromStdString(document.value("arch", std::string())),
                              QString::fromStdString(document.value("compiler", std::string())));
    m_form->setKernels(kernelsOf(document, m_editor->toPlainText().toStdString()));
    if (m_form->kernels().empty())
        m_compileState = tr("Compiles, but there is no __global__ function in it.");
    m_ptx->setDocument(document, m_draft.isPtx);
    showNotes();
    showState();
}

void KernelBench::takeErrors(const Error& error)
{
    if (error.code == "cancelled")
        return;
    m_compileNotes = compileMessages(QString::fromStdString(error.message), QString::fromStdString(source().path));
    if (m_compileNotes.empty()) {
        SourceNote note;
        note.title = tr("Not compiled");
        note.text = asSentence(QString::fromStdString(error.message));
        note.advice = asSentence(QString::fromStdString(error.fix));
        m_compileNotes.push_back(note);
    }
    m_ptx->setFailed();
    showNotes();
    showState();
}

void KernelBench::showNotes()
{
    m_below->setTabText(0, m_compileNotes.empty() && m_runNotes.empty()
                               ? tr("Problems")
                               : tr("Problems (%1)").arg(m_compileNotes.size() + m_runNotes.size()));
    std::vector<SourceNote> all = m_compileNotes;
    all.insert(all.end(), m_runNotes.begin(), m_runNotes.end());
    m_editor->setNotes(all);
    m_problems->setNotes(all);
    m_problems->setState(m_compileState);
}

Result<KernelRunRequest> KernelBench::request() const
{
    if (m_form->kernel().empty())
        return Error{"no-kernel", "There is no kernel to run yet.", m_draft.name, "Write a __global__ function."};
    return requestOf(m_form->launch(), source(), m_form->kernel(), target().toStdString());
}

bool KernelBench::canRun() const
{
    if (m_run->paused())
        return true;
    const AppContext::Target chosen = m_context.targetInfo(target());
    return !running() && m_context.hasCatalogue() && chosen.available && request().ok();
}

void KernelBench::run()
{
    if (m_run->paused()) {
        m_results->setMessage(tr("Running …"), tr("The kernel goes on where it stood."));
        return m_run->goOn();
    }
    auto wanted = request();
    if (running() || !wanted)
        return;
    wanted->pausable = true;
    m_error->hide();
    m_context.calibration().cancel(); // two of them on one machine would both be wrong
    m_ranText = wanted->source.text;
    m_ranArgs = wanted->args;
    const auto kept = m_history.keep(m_ranText);
    if (!kept)
        Q_EMIT m_context.notice(QString::fromStdString(toText(kept.error())), true);
    m_ranVersion = kept ? *kept : std::string();
    m_versions->setHistory(m_history, m_editor->toPlainText());
    m_progress->setValue(0);
    m_side->setCurrentWidget(m_results);
    showSide(true);
    m_results->setMessage(tr("Running …"), tr("The kernel runs in a process of its own."));
    m_run->start(*wanted);
}

void KernelBench::stop()
{
    if (m_run->paused())
        return m_run->endThere();
    cancel();
}

void KernelBench::cancel()
{
    m_run->cancel();
    m_recorder->cancel();
    m_grading->cancel();
}

void KernelBench::takeRun(const Json& document)
{
    const KernelScore score = scoreOf(document, m_ranArgs, m_ranVersion);
    const auto best = m_history.best(score.setting, m_ranVersion);
    m_results->setDocument(document, score, best);
    if (!m_ranVersion.empty())
        if (const auto kept = m_history.add(score); !kept)
            Q_EMIT m_context.notice(QString::fromStdString(toText(kept.error())), true);
    m_versions->setHistory(m_history, m_editor->toPlainText());
    m_runNotes = detectorNotes(document);
    m_reportedText = m_ranText;
    tellReports();
    m_heat = heatOf(document);
    m_lines->setRows(lineRows(m_heat),
                     provenanceNote(document, tr("Machine instructions of all blocks that the simulator timed.")));
    if (m_heat.empty())
        m_lines->setMessage(tr("Numbers by line come from the clock of a simulated chip. This run had none."));
    m_buffers->setRows(bufferRows(document), buffersNote(document));
    m_counters->setRows(counterRows(document), provenanceNote(document, tr("Zero counters are left out.")));
    m_stalls->setRows(stallRows(document), provenanceNote(document, tr("Warp-cycles by what the warp waited for.")));
    if (stallRows(document).empty())
        m_stalls->setMessage(tr("Stalls come from the clock of a simulated chip. This run had none."));
    showNotes();
    showHeat();
    const QString said = !m_runNotes.empty()
                             ? m_runNotes.size() == 1
                                   ? tr("Finished; the detectors found a problem.")
                                   : tr("Finished; the detectors found %1 problems.").arg(m_runNotes.size())
                             : tr("Finished. %1").arg(m_results->scoreText());
    announce(this, said);
    if (!isVisible() || !isActiveWindow()) {
        Q_EMIT m_context.notice(tr("Finished: %1").arg(name()), false);
        QApplication::alert(window());
    }
}

void KernelBench::showHeat()
{
    // Of another text the numbers would stand beside the wrong lines.
    const bool same = m_editor->toPlainText().toStdString() == m_ranText;
    m_editor->setHeat(same ? m_heat : std::vector<HeatLine>(), heatMetric());
    Q_EMIT changed();
}

HeatMetric KernelBench::heatMetric() const
{
    return HeatMetric(m_metrics->currentData().toInt());
}

void KernelBench::setMetric(HeatMetric metric)
{
    m_metrics->setCurrentIndex(int(metric));
}

bool KernelBench::canGoToHottest() const
{
    return hottestLine(m_heat, heatMetric()) > 0;
}

void KernelBench::goToHottest()
{
    const int line = hottestLine(m_heat, heatMetric());
    if (line == 0)
        return;
    m_editor->goToLine(line);
    m_editor->setFocus(Qt::ShortcutFocusReason);
    announce(this, tr("Line %1 has the most: %2, %3")
                       .arg(line)
                       .arg(heatTitle(heatMetric()),
                            shortNumber(*std::ranges::find(m_heat, line, &HeatLine::line)->value(heatMetric()))));
}

void KernelBench::keepVersion(const QString& name)
{
    const QString called = name.isEmpty() ? tr("Kept") : name;
    const auto kept = m_history.keep(m_editor->toPlainText().toStdString(), called.toStdString());
    Q_EMIT m_context.notice(kept ? tr("Kept as “%1”").arg(called) : QString::fromStdString(toText(kept.error())),
                            !kept);
    m_versions->setHistory(m_history, m_editor->toPlainText());
}

void KernelBench::restoreVersion(const QString& id)
{
    const KernelVersion* version = m_history.version(id.toStdString());
    if (!version)
        return;
    const QString text = QString::fromStdString(version->text);
    (void)m_history.keep(m_editor->toPlainText().toStdString(), tr("Before going back").toStdString());
    replaceText(text);
    m_versions->setHistory(m_history, text);
}

void KernelBench::replaceText(const QString& text)
{
    QTextCursor all(m_editor->document());
    all.select(QTextCursor::Document);
    all.insertText(text);
}

void KernelBench::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (event->spontaneous() || running() || !hasKernel(folderOf(m_context), m_draft.name))
        return;
    const KernelDraft kept = draftFromJson(m_file->load(), m_draft.name);
    takeBest(kept.best);
    if (kept.text != m_editor->toPlainText().toStdString())
        replaceText(QString::fromStdString(kept.text));
}

void KernelBench::hideEvent(QHideEvent* event)
{
    m_file->save();
    QWidget::hideEvent(event);
}

void KernelBench::showState()
{
    const bool busy = running();
    const auto wanted = request();
    const AppContext::Target chosen = m_context.targetInfo(target());
    const bool paused = m_run->paused();
    m_start->setEnabled(canRun());
    m_start->setText(paused ? tr("Go on") : tr("Run"));
    m_start->setToolTip(paused ? tr("Lets the kernel go on where it stands, with as much again (F5)")
                               : tr("Runs the kernel as the form says (F5)"));
    m_stop->setToolTip(paused ? tr("Ends the kernel where it stands and says what it has counted (Shift+F5)")
                              : tr("Ends the worker that runs it (Shift+F5)"));
    const bool stopping = m_run->cancelling() || m_recorder->cancelling() || m_grading->job()->cancelling();
    m_stop->setEnabled(busy && !stopping);
    m_progress->setVisible(busy);
    QString said;
    if (stopping)
        said = tr("Stopping …");
    else if (paused)
        said = tr("Paused: it has spent what it may.");
    else if (!busy && m_context.hasCatalogue() && !chosen.available)
        said = whyNot(chosen);
    else if (!busy && !wanted && m_compileNotes.empty() && !m_form->kernels().empty())
        said = asSentence(QString::fromStdString(wanted.error().message));
    if (said.isEmpty())
        said = m_context.store() ? tr("Every change is saved within 2 s.")
                                 : tr("Changes are not saved: the store is not open.");
    if (!busy || stopping || paused)
        m_status->setText(said);
    showGradeState();
    Q_EMIT changed();
}

QList<QWidget*> KernelBench::panes() const
{
    return {m_editor, m_below->tabBar(), m_side->tabBar(), m_start};
}

} // namespace ridge::app

#include "moc_kernel_bench.cpp"
