// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/lesson_page.h"
#include "app/ui/page.h"

class QSplitter;
class QStackedWidget;

#include <QTimer>

namespace ridge::app {

class CurriculumOverview;
class LessonOutline;
class ModulePage;

/// The modules, one module, or one lesson with the outline beside it. Serves "learn" (part empty), "module/1" (part the
/// same) and "lesson/<id>" (part the id).
class LearnPage : public Page {
    Q_OBJECT
public:
    explicit LearnPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override;
    QString part() const override;
    bool ready() const override;
    int runningJobs() const override;
    void cancelRuns() override;
    bool can(Command command) const override;
    void perform(Command command) override;
    double scrollFraction() const override;
    void setScrollFraction(double fraction) override;
    bool scrollToBlock(const QString& blockId) override;
    QList<QWidget*> panes() const override;
    /// The newest runs of the block in view.
    std::vector<record::RunRow> runsInView() const override;
    bool hasRunsInView() const override;
    std::optional<BenchProposal> benchProposal() const override;

    QUndoStack* changes() const { return lesson() ? lesson()->changes() : nullptr; }
    LessonPage* lesson() const; ///< null while modules are shown
    ModulePage* module() const; ///< null while something else is shown
    void setOutlineShown(bool shown);
    bool outlineShown() const { return m_outlineWanted; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    CurriculumOverview* overview();
    Result<void> showPart(const QString& part);
    Result<void> openLesson(const QString& id);
    Result<void> openModule(const QString& number);
    QScrollArea* plainPage() const; ///< the modules or one of them: what is shown while no lesson is
    void trim();
    void updateOutline();
    const lessons::Block* blockInView() const;
    std::optional<record::RunRow> newestRun(const lessons::Block& block) const;

    AppContext& m_context;
    LessonOutline* m_outline;
    QWidget* m_side; ///< the outline with the list of paths above it
    QSplitter* m_splitter = nullptr;
    bool m_sideChosen = false; ///< its width, by the learner
    QStackedWidget* m_stack;
    CurriculumOverview* m_overview = nullptr; ///< made when it is first asked for
    ModulePage* m_module = nullptr;           ///< the one opened last
    QTimer m_refresh;
    std::vector<LessonPage*> m_lessons;     ///< last opened last
    std::optional<lessons::Lesson> m_text;  ///< of the lesson shown: what its blocks ask for
    QString m_blockInView;                  ///< of the lesson shown
    mutable QHash<QString, bool> m_hasRuns; ///< by lesson and block, until a row is stored
    bool m_outlineWanted = true;
};

} // namespace ridge::app
