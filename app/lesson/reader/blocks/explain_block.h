// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/block_widget.h"

class QPlainTextEdit;
class QPushButton;

namespace ridge::app {

/// A reason in the reader's own words. What is kept no longer changes; then the model answer shows beside it and the
/// reader rates the own one. Every step is a row of the record.
class ExplainBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    ExplainBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
    void activate() override;
    bool canActivate() const override;

private:
    void addRating();
    void refresh();
    void refreshKeep();
    void rate(const std::string& rating);
    void store(lessons::AnswerGiven given, bool correct);
    /// The newest answer, with its rating if it has one; none where the reader writes again.
    std::optional<lessons::AnswerGiven> kept() const;

    const lessons::ExplainBlock& m_explain;
    QPlainTextEdit* m_text;
    ThemedLabel* m_hint;
    QPushButton* m_keep;
    ThemedLabel* m_ownTitle;
    ThemedLabel* m_own;
    ThemedLabel* m_modelTitle;
    ProseView* m_model;
    QWidget* m_rating;
    std::vector<QPushButton*> m_ratings; ///< no, partly, yes
    ThemedLabel* m_verdict;
    QPushButton* m_again;
    ThemedLabel* m_problem;
    bool m_pending = false, m_writesAgain = false;
};

} // namespace ridge::app
