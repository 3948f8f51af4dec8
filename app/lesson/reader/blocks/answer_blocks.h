// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/choice_row.h"
#include "lessons/instances.h"

class QLineEdit;
class QListWidget;
class QPushButton;

namespace ridge::app {

/// One question with choices or a number, each instance of it with numbers of its own. Every attempt is stored. A wrong
/// answer is explained and nothing else; the solution appears after a right one, or when it was asked for.
class QuizBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    QuizBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
    void activate() override;
    bool canActivate() const override;
    const lessons::QuizInstance& instance() const { return m_instance; }

private:
    void ask(const lessons::QuizInstance& instance);
    void addChoices();
    void addNumber();
    void refresh();
    void takeAnother();
    void showGiven(const Json& answer);
    void showSolution();
    void showChoiceFeedback(const Json& answer);
    void showNumberFeedback(const Json& answer, bool correct);
    void attempt(lessons::AnswerGiven given);
    int chosen() const;
    std::vector<lessons::EvidenceAnswer> answers() const;
    bool single() const; ///< it has no other instance

    const lessons::QuizBlock& m_quiz;
    lessons::QuizInstance m_instance;
    lessons::QuizBlock m_asked; ///< with the numbers of the instance
    lessons::QuizStanding m_standing;
    bool m_another = false; ///< an instance is asked that no stored answer belongs to yet
    std::vector<ChoiceRow*> m_choices;
    QVBoxLayout* m_rows = nullptr;
    QLineEdit* m_number = nullptr;
    QPushButton* m_check;
    QPushButton* m_next;
    QPushButton* m_show;
    ThemedLabel* m_verdict;
    AuthorLabel* m_misconception = nullptr;
    ProseView* m_question = nullptr;
    ProseView* m_explains = nullptr;
    bool m_pending = false;
};

/// Steps to be put in order by dragging, with Alt+Up and Alt+Down, or with the two buttons.
class OrderBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    OrderBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
    void activate() override;
    bool canActivate() const override;
    std::vector<int> order() const; ///< index into the authored steps, top first

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill(const std::vector<int>& order);
    void moveStep(int delta);
    void refresh();
    void fitHeight();

    const lessons::OrderBlock& m_order;
    QListWidget* m_list;
    QPushButton* m_up;
    QPushButton* m_down;
    QPushButton* m_check;
    ThemedLabel* m_verdict;
    ProseView* m_explains = nullptr;
    bool m_pending = false;
};

/// Order in which `count` steps are first shown: shuffled by a seed made from the block's id, never already right.
std::vector<int> shuffledOrder(std::size_t count, const std::string& blockId);

} // namespace ridge::app
