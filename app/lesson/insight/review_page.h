// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/reader_context.h"
#include "app/session/app_context.h"
#include "app/ui/page.h"
#include "evidence/review.h"
#include "lessons/mixed.h"

class QPushButton;

namespace ridge::app {

class ColumnScroll;
class PredictBlockWidget;
class QuizBlockWidget;

/// What surprised the learner comes back at another point: one question after the other, mixed over lessons, each a
/// prediction and a run like any other. "review" begins with what is due, or goes on where it was left; below it are
/// sets of quiz questions mixed over modules, for practice: "review/<set>" asks one of them.
class ReviewPage : public Page {
    Q_OBJECT
public:
    explicit ReviewPage(AppContext& context, QWidget* parent = nullptr);
    ~ReviewPage() override;

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("Review"); }
    bool ready() const override;
    bool can(Command command) const override;
    void perform(Command command) override;
    int runningJobs() const override;
    void cancelRuns() override;
    QList<QWidget*> panes() const override;

    int questions() const { return static_cast<int>(m_session.tasks.size()); }
    int answered() const { return static_cast<int>(m_done.size()); }
    QPushButton* nextButton() const { return m_next; } ///< null until the question is answered
    QString part() const override;
    /// The questions of the set that is asked, in their order; empty while reviews are.
    const std::vector<lessons::MixedQuestion>& mixed() const { return m_mixed; }
    QuizBlockWidget* quiz() const { return m_quiz; } ///< of the set's question that is shown; null: none

private:
    struct Question; ///< the lesson made of one block that asks at another point
    struct Done {
        ReviewTask task;
        bool missed = false;
    };
    void begin();
    Result<void> beginSet(const std::string& id);
    void showSets();
    void showSetQuestion();
    void takeAnswer();
    void showSetSummary();
    void failed(const Error& error);
    void show();
    void showQuestion();
    void showEmpty();
    void showSummary();
    void addHead(const QString& caption, const QString& heading);
    void takeResult();
    void next();

    AppContext& m_context;
    ColumnScroll* m_scroll;
    ReviewSession m_session;
    std::vector<Done> m_done;
    std::size_t m_at = 0;
    std::shared_ptr<Question> m_question; ///< the block has it, too
    PredictBlockWidget* m_block = nullptr;
    QPushButton* m_next = nullptr;
    bool m_begun = false;
    std::vector<lessons::MixedSet> m_sets;
    std::string m_set; ///< the one that is asked; empty: reviews are
    std::vector<lessons::MixedQuestion> m_mixed;
    std::map<std::string, lessons::MixedHistory> m_history;
    std::vector<bool> m_right; ///< at first, a question each
    std::size_t m_mixedAt = 0;
    QuizBlockWidget* m_quiz = nullptr;
};

} // namespace ridge::app
