// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/placement/placement_record.h"
#include "app/lesson/reader/reader_context.h"
#include "app/session/app_context.h"
#include "app/ui/page.h"

class QPushButton;

namespace ridge::app {

class ColumnScroll;
class PlacementBlock;

/// Where to begin: one prediction after the other, from what each area asks first to what it asks an expert, and then
/// the lesson that follows from the answers. Left at any time and gone on with later; nothing of it is graded.
class PlacementPage : public Page {
    Q_OBJECT
public:
    explicit PlacementPage(AppContext& context, QWidget* parent = nullptr);
    ~PlacementPage() override;

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("Where to begin"); }
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;

    PlacementBlock* question() const { return m_block; } ///< null: none is asked now
    lessons::PlacementAdvice advice() const;

private:
    enum class View { Intro, Question, Result };
    void read(); ///< questions and what was answered
    void show(View view);
    void showIntro();
    void showQuestion();
    void showResult();
    void addHead(const QString& caption, const QString& heading, const QString& text = {});
    QPushButton* addButton(QWidget* row, const QString& name, const QString& text, const QString& help, bool primary,
                           std::function<void()> pressed);
    void begin(); ///< a new attempt
    void addNext();
    void addAreas();
    void addFoundations(QWidget* row);

    AppContext& m_context;
    ColumnScroll* m_scroll;
    std::optional<lessons::Placement> m_placement;
    QString m_problem; ///< why there are no questions
    PlacementAttempt m_attempt;
    std::unique_ptr<LessonState> m_state;
    std::unique_ptr<FormulaLibrary> m_formulas;
    std::unique_ptr<InfoCard> m_card;
    PlacementBlock* m_block = nullptr;
    QWidget* m_ways = nullptr; ///< the buttons below the question
    bool m_begun = false;
};

} // namespace ridge::app
