// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/teaching/class_desk.h"
#include "app/session/app_context.h"

#include <QWidget>

class QBoxLayout;
class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QShortcut;
class QStackedWidget;
class QTabWidget;
class QAction;
class QToolButton;

namespace ridge::app {

class Banner;
class ClassDashboard;
class DropVeil;
class HandInTable;
class JobBar;
class LivePanel;
class OutcomeBar;
class RegradeTable;
class RosterTable;
class TallyStrip;

/// One class: what was handed in, what is to be done with it, and what comes of it. Files and folders are collected by
/// dropping them anywhere on it. Shows values that ClassDesk hands out; never waits for a file.
class ClassView : public QWidget {
    Q_OBJECT
public:
    ClassView(AppContext& context, ClassDesk& desk, QWidget* parent = nullptr);
    ~ClassView() override;

    /// `part`: "hand-ins", "roster", "live" or "projector", shown as soon as the class is there; else what was shown.
    void open(const ClassRequest& request, const QString& part = {});
    const ClassRequest& request() const { return m_request; }
    const std::optional<ClassState>& state() const { return m_state; }
    bool ready() const { return m_ready; }
    QString title() const;
    /// Nothing can be done with the sample but to look at it and to write grades and feedback of it.
    bool changeable() const { return m_ready && m_state && !m_request.sample; }
    bool hasHandIns() const { return m_state && !m_state->report.learners.empty(); }

    void collect(const QStringList& paths);
    /// As soon as the class that is being opened is there.
    void collectWhenReady(const QStringList& paths) { m_waiting = paths; }
    void chooseFolder();
    void chooseFiles();
    void dismiss(const std::vector<std::string>& files);
    void decide(const std::vector<OpenChoice>& choices);
    void join(const std::string& learner, const std::string& whom);
    void regrade();
    void chooseGrades();
    void writeFeedback();
    void chooseRoster();
    void chooseAssignmentFile();
    void setProjector(bool on);
    bool projector() const { return m_projector; }
    /// Kept until the next job. `doubtful`: somebody should look at what was found.
    void tell(const QString& words, const QString& next = {}, std::function<void()> act = {}, bool doubtful = false);

    QScrollArea* scroll() const { return m_scroll; }
    QList<QWidget*> panes() const;
    QTabWidget* tabs() const { return m_tabs; }
    ClassDashboard* dashboard() const { return m_dashboard; }

Q_SIGNALS:
    void changed();                                ///< what can be done, or the title
    void openFolderRequested(const QString& path); ///< the desktop is asked to show it

protected:
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeHead();
    QWidget* makeActions();
    void makeTabs();
    void makeOverview();
    void makeDashboard();
    QWidget* makeRoster();
    void reload();
    void show(ClassState state);
    void showPart(const QString& part);
    void fail(const Error& error);
    void look();
    void arrange();
    void takeRoster(const QString& path);
    void writeGrades(const QString& file, const QString& format);
    void showReport();
    QString suggested(const QString& what) const;

    AppContext& m_context;
    ClassDesk& m_desk;
    ClassRequest m_request;
    std::optional<ClassState> m_state;
    bool m_ready = false, m_projector = false;
    QStringList m_waiting; ///< dropped on the class's card
    QString m_part;        ///< to be shown as soon as the class is there
    int m_asked = 0;       ///< looks that were asked for: only the newest counts

    QScrollArea* m_scroll;
    QBoxLayout* m_head;
    QLabel *m_title, *m_about;
    QComboBox* m_assignments;
    QWidget* m_actions;
    QPushButton *m_collect, *m_regrade, *m_grades, *m_feedback, *m_project;
    QToolButton* m_more;
    QAction* m_key = nullptr; ///< tells the key of the assignment that is shown
    TallyStrip* m_tally;
    JobBar* m_job;
    Banner* m_banner;
    OutcomeBar* m_outcome;
    QTabWidget* m_tabs;
    QStackedWidget* m_overview;
    ClassDashboard* m_dashboard = nullptr; ///< made when there is something to show
    HandInTable* m_handIns;
    QWidget* m_rosterTab;
    RosterTable* m_roster;
    RegradeTable* m_rechecked;
    LivePanel* m_live;
    DropVeil* m_veil;
    QShortcut* m_leave;                                         ///< Esc, on a projector alone
    std::map<std::string, classroom::RegradeReport> m_regrades; ///< of this session, by class and assignment
};

} // namespace ridge::app
