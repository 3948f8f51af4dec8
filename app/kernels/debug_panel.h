// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/debug_models.h"
#include "base/json_value.h"

#include <QTimer>
#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QSlider;
class QSpinBox;
class QTabWidget;
class QTableView;
class QToolButton;

namespace ridge::app {

class AccessPicture;
class Background;
class LaneStrip;
class StillText;

/// Steps through what one block did, forwards and backwards: transport bar, scrub bar, lanes, registers, shared memory,
/// the last access, watches and breakpoints.
class DebugPanel : public QWidget {
    Q_OBJECT
public:
    enum class Move { Into, Back, Over, IntoLine, Out, ToBarrier, Continue, Reverse };

    DebugPanel(Theme& theme, Background& background, QWidget* parent = nullptr);
    ~DebugPanel() override;

    /// Whether a recording should be of a build without optimization, in which variables have names.
    QCheckBox* namesWanted() const { return m_names; }
    /// Of the recording that comes next. `none` says why there are no names, where there are none.
    void expectVariables(std::vector<SourceVariable> variables, const QString& none);
    /// Decodes off the GUI thread, then shows it; recorded follows, or failed.
    void setTrace(std::string bytes);
    void setMessage(const QString& text);
    void setOutdated(bool outdated); ///< the steps are of another text than the editor's
    bool hasSteps() const { return m_session && m_session->reader().size() > 0; }
    DebugSession* session() const { return m_session.get(); }
    /// Continue and Reverse may take several turns of the event loop; any other move ends them where they are.
    void go(Move move);
    bool running() const { return m_goesOn.isActive(); }
    void scrub(int by);
    void seek(int position);
    void chooseWarp(int by);
    /// On a line without one sets it, else takes it away.
    void toggleBreakpoint(int line);
    /// Errors: "bad-expression".
    Result<void> setBreakpoint(int line, const QString& condition);
    const std::map<int, QString>& breakpoints() const { return m_lines; }
    /// Lines of the recorded text that detectors named in a run of it: races, accesses out of bounds …
    void setReportedLines(const std::set<int>& lines);
    QCheckBox* reportStop() const { return m_reports; }
    QString positionText() const; ///< with the function that the warp is in, where it was called
    QString standingText() const; ///< why the warp that is looked at goes on or waits
    QString messageText() const;  ///< why there is nothing to step through, or what is missing; empty: nothing is
    /// What is shown, for structural goldens: place, masks, and the tables as texts.
    Json describe() const;
    QTabWidget* views() const { return m_views; }
    QAbstractItemModel* variables() const { return m_variables; }
    QAbstractItemModel* registers() const { return m_registers; }
    QAbstractItemModel* shared() const { return m_shared; }
    AccessModel* access() const { return m_access; }
    AccessPicture* picture() const { return m_picture; }
    /// What is typed as the block to be recorded.
    QString blockText() const;
    QLineEdit* blockField() const { return m_block; }
    WatchModel* watches() const { return m_watches; }
    LaneStrip* lanes() const { return m_strip; }
    QCheckBox* divergenceStop() const { return m_divergence; }
    QCheckBox* conflictStop() const { return m_conflicts; }
    QLineEdit* watchField() const { return m_watchField; }

Q_SIGNALS:
    void recordWanted();
    void recorded();
    void failed(const ridge::Error& error);
    void moved(int line); ///< of the source; 0: none
    void breakpointsChanged();

private:
    QWidget* makeTransport();
    QWidget* makeBreakpoints();
    QTableView* table(const QString& name, QAbstractItemModel* model);
    void take(std::unique_ptr<DebugSession> session);
    void followView(); ///< what is shown; the other views follow when they are
    void applyBreakpoints();
    void fillBreakpoints();
    void showPlace();
    void runSlice();
    void goBack();
    void sayNoCaller();

    Theme& m_theme;
    Background& m_background;
    std::unique_ptr<DebugSession> m_session;
    std::map<int, QString> m_lines; ///< breakpoints, kept from one recording to the next
    std::vector<SourceVariable> m_expected;
    QString m_noNames;
    VariableModel* m_variables;
    RegisterModel* m_registers;
    SharedModel* m_shared;
    AccessModel* m_access;
    WatchModel* m_watches;
    QLabel* m_message;
    QLabel* m_outdated = nullptr;
    QWidget* m_body;
    StillText *m_position = nullptr, *m_instruction = nullptr, *m_standing = nullptr, *m_accessText = nullptr;
    QSpinBox* m_warp = nullptr;
    QSlider* m_slider = nullptr;
    LaneStrip* m_strip = nullptr;
    AccessPicture* m_picture = nullptr;
    const TracedStep* m_pictured = nullptr;
    QTabWidget* m_views = nullptr;
    QLineEdit *m_block = nullptr, *m_watchField = nullptr, *m_condition = nullptr;
    QLabel* m_wrong = nullptr;
    QListWidget* m_list = nullptr;
    QLabel* m_variableText = nullptr;
    QCheckBox *m_names = nullptr, *m_divergence = nullptr, *m_conflicts = nullptr, *m_reports = nullptr;
    std::set<int> m_reported;
    std::vector<std::pair<const QWidget*, StepTableModel*>> m_followers; ///< views, each with what it shows
    std::vector<QToolButton*> m_buttons;
    std::vector<std::pair<std::size_t, std::uint16_t>> m_trail; ///< place and warp before each step forwards
    QTimer m_goesOn;
    int m_generation = 0;
};

} // namespace ridge::app
