// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene_view.h"
#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/result_table.h"
#include "app/lesson/reader/run_panel.h"
#include "app/session/draft_file.h"
#include "app/ui/kernel_editor.h"
#include "app/ui/parameter_form.h"

class QComboBox;
class QListWidget;

namespace ridge::app {

/// A design in SystemVerilog that the reader changes and puts under the testbench: the editor, how hard the testbench
/// tries, a verdict of results and cycles, and the registers cycle by cycle; and the same design on a small FPGA, whose
/// timing report goes with the lesson's artifact. The text is a draft of the record; each
/// version that ran is a file of its own, so that a run can be repeated.
class RtlBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    RtlBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);

    void activate() override;
    bool canActivate() const override { return m_panel->ready() && !m_shipped.empty(); }
    void cancel() override;
    int runningJobs() const override
    {
        return m_panel->running() || m_engine->running() || m_timing->running() ? 1 : 0;
    }
    void restore() override;

    KernelEditor* editor() const { return m_editor; }
    SceneView* view() const { return m_view; }

private:
    QString designText(int bug) const; ///< 0: as it is shipped, else with that bug
    void addEditor();
    void addBench();
    void buildForm();
    void load(int bug);
    Result<std::string> designFile() const; ///< of the editor's text; empty: it is the shipped one
    void tellFailure(const Error& error);
    void showNotes(std::vector<SourceNote> notes);
    void runEngine();
    void runTiming();
    void takeFrames();
    void refresh();
    void tell(const record::RunRow& row);
    QString verdictOf(const record::RunRow& row, QString& tone) const; ///< of the testbench
    QString placedText(const record::RunRow& row) const;

    const lessons::KernelBlock& m_rtl;
    std::string m_shipped; ///< the design's text; empty: it could not be read
    DraftFile* m_draft;
    QComboBox* m_from;
    KernelEditor* m_editor;
    QListWidget* m_problems;
    QWidget* m_formHolder;
    ParameterForm* m_form = nullptr;
    RunPanel* m_panel;
    RunPanel* m_engine; ///< where Icarus Verilog is missing: the same array in C++
    RunPanel* m_timing; ///< the design on a small FPGA
    ThemedLabel* m_verdict;
    ResultTable* m_result;
    SceneView* m_view = nullptr;
    std::optional<std::size_t> m_runsAtFailure; ///< how many there were when the last one failed: no verdict is of it
};

} // namespace ridge::app
