// SPDX-License-Identifier: GPL-3.0-or-later
// The debugger's part of the bench: a recording, and the editor that follows it.
#include "app/kernels/debug_panel.h"
#include "app/kernels/kernel_bench.h"
#include "app/theme/announce.h"
#include "app/ui/panels.h"
#include "base/debug_build.h"
#include "base/json.h"
#include "base/step_trace.h"
#include "base/target_kind.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QProgressBar>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>

namespace ridge::app {
namespace {

constexpr int kRoomForBoth = 1500; ///< px at 100 % that the debugger needs beside launch and results

} // namespace

void KernelBench::showSide(bool shown)
{
    m_side->setVisible(shown);
    const QSignalBlocker quiet(m_sideShown);
    m_sideShown->setChecked(shown);
}

void KernelBench::connectDebugger()
{
    connect(m_debugger, &DebugPanel::recordWanted, this, &KernelBench::record);
    connect(m_debugger, &DebugPanel::moved, this, [this](int line) {
        // Of another text the line would be the wrong one.
        m_editor->setPosition(isRecordedText() ? line : 0);
    });
    connect(m_debugger, &DebugPanel::breakpointsChanged, this,
            [this] { m_editor->setBreakpoints(m_debugger->breakpoints()); });
    connect(m_editor, &KernelEditor::breakpointToggled, m_debugger, &DebugPanel::toggleBreakpoint);
    connect(m_editor, &QPlainTextEdit::textChanged, this, &KernelBench::showWhetherRecorded);
    connect(m_debugger, &DebugPanel::recorded, this, [this] {
        showWhetherRecorded();
        m_below->setCurrentWidget(m_debugger);
        if (m_sourceSplit->sizes().value(1) < m_sourceSplit->height() * 6 / 10)
            m_sourceSplit->setSizes({m_sourceSplit->height() * 35 / 100, m_sourceSplit->height() * 65 / 100});
        if (m_foldsSide && m_sideShown->isVisible() && width() < m_context.theme().scaled(kRoomForBoth))
            showSide(false);
        const auto& block = m_debugger->session()->trace().block;
        announce(this, tr("Recorded %1 steps of block (%2, %3, %4).")
                           .arg(m_debugger->session()->reader().size())
                           .arg(block[0])
                           .arg(block[1])
                           .arg(block[2]));
        Q_EMIT changed();
    });
    const auto failed = [this](const Error& error) {
        // A build without optimization asks for more: what the usual one can do is better than nothing.
        if (m_recordsNames && error.code != "cancelled")
            return QTimer::singleShot(0, this, [this] { recordAs(false); });
        m_debugger->setMessage(error.code == "cancelled" ? tr("Stopped.") : QString::fromStdString(toText(error)));
        announce(this, QString::fromStdString(error.message));
    };
    connect(m_debugger, &DebugPanel::failed, this, failed);
    connect(m_recorder, &KernelJob::failed, this, failed);
    connect(m_recorder, &KernelJob::answered, this, [this](const JsonValue& document) {
        QString none;
        if (m_draft.isPtx)
            none = tr("This PTX has no debug information, so nothing tells which register is which variable.");
        else if (!m_debugger->namesWanted()->isChecked())
            none = tr("Names were not asked for: tick Names, then Debug.");
        else if (!namesVariables())
            none = tr("%1 gives no names of variables for a GPU. NVRTC or nvcc does: install one, then Debug.")
                       .arg(m_compiler);
        else
            none = tr("The build without optimization could not be recorded: these steps are of the usual one.");
        m_debugger->expectVariables(variablesOf(*document), none);
    });
    connect(m_recorder, &KernelJob::stateChanged, this, &KernelBench::showState);
    connect(m_recorder, &KernelJob::progressed, this,
            [this](double fraction, const QString&) { m_progress->setValue(static_cast<int>(fraction * 1000)); });
    connect(m_recorder, &KernelJob::traceArrived, this, [this](const TraceEvent& trace) {
        if (trace.kind == "steps")
            m_debugger->setTrace(trace.bytes);
    });
}

void KernelBench::tellReports()
{
    std::set<int> lines;
    if (m_reportedText == m_recordedText)
        for (const SourceNote& note : m_runNotes)
            for (const int line : {note.line, note.otherLine})
                if (line > 0)
                    lines.insert(line);
    m_debugger->setReportedLines(lines);
}

/// A step asks: the text itself is compared only after it changed.
bool KernelBench::isRecordedText()
{
    if (const int revision = m_editor->document()->revision(); revision != m_comparedRevision) {
        m_comparedRevision = revision;
        m_isRecordedText = m_editor->toPlainText().toStdString() == m_recordedText;
    }
    return m_isRecordedText;
}

void KernelBench::showWhetherRecorded()
{
    if (!m_debugger->hasSteps())
        return;
    m_debugger->setOutdated(!isRecordedText());
    m_editor->setPosition(isRecordedText() ? m_debugger->session()->line() : 0);
}

bool KernelBench::canRecord() const
{
    return canRun() && simulatesKernels(target().toStdString());
}

bool KernelBench::namesVariables() const
{
    return !m_draft.isPtx && (m_compiler == QLatin1String("nvrtc") || m_compiler == QLatin1String("nvcc"));
}

void KernelBench::record()
{
    recordAs(m_debugger->namesWanted()->isChecked() && namesVariables());
}

void KernelBench::recordAs(bool named)
{
    m_below->setCurrentWidget(m_debugger);
    if (!simulatesKernels(target().toStdString()))
        return m_debugger->setMessage(tr("A GPU does not tell its steps. Choose a simulated chip as the target."));
    auto wanted = request();
    if (running() || !wanted)
        return;
    const auto block = blockFromText(m_debugger->blockText().toStdString(), wanted->grid);
    if (!block) {
        m_debugger->setMessage(QString::fromStdString(toText(block.error())));
        m_debugger->blockField()->setFocus(Qt::OtherFocusReason);
        m_debugger->blockField()->selectAll();
        return announce(this, QString::fromStdString(block.error().message));
    }
    wanted->stepsBlock = *block;
    // Values and order need no clock; the detectors have their own run.
    wanted->functional = true;
    wanted->check = wanted->checkGlobal = false;
    wanted->steps = StepTrace::kMostSteps;
    m_recordedText = wanted->source.text;
    m_recordsNames = named;
    if (named)
        wanted->source.text = withDebugBuild(std::move(wanted->source.text));
    m_comparedRevision = -1;
    tellReports();
    m_editor->setPosition(0);
    m_progress->setValue(0);
    m_debugger->setMessage(tr("Recording …"));
    m_recorder->start(*wanted);
}

} // namespace ridge::app
