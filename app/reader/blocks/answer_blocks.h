// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/reader/block_widget.h"
#include "app/reader/choice_row.h"

class QLineEdit;
class QListWidget;
class QPushButton;

namespace ridge::app {

/// One question with choices or a number. Every attempt is stored; what is right and why shows only after one.
class QuizBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    QuizBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
    void activate() override;
    bool canActivate() const override;

private:
    void addChoices();
    void addNumber();
    void refresh();
    void showGiven(const Json& answer);
    void showChoiceFeedback(const Json& answer);
    void showNumberFeedback(const Json& answer, bool correct);
    void attempt(Json answer, bool correct);
    int chosen() const;

    const lessons::QuizBlock& m_quiz;
    std::vector<ChoiceRow*> m_choices;
    QLineEdit* m_number = nullptr;
    QPushButton* m_check;
    ThemedLabel* m_verdict;
    AuthorLabel* m_misconception = nullptr;
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
