// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/block_widget.h"
#include "lessons/placement.h"

class QLineEdit;
class QPushButton;

namespace ridge::app {

class AuthorLabel;

/// One of the questions that say where to begin: a number or "I do not know", once; then what is right, why, and where
/// that comes from.
class PlacementBlock : public BlockWidget {
    Q_OBJECT
public:
    /// `question` outlives the widget.
    PlacementBlock(const ReaderContext& context, const lessons::PlacementQuestion& question, const QString& attempt,
                   QWidget* parent = nullptr);
    void activate() override; ///< answers with what is typed
    bool canActivate() const override;

Q_SIGNALS:
    void answered(bool right); ///< the answer is durable
    void typed();

private:
    void addInput();
    void give(std::optional<double> value);
    void show(std::optional<double> value, bool right);
    void tellError(const Error& error);

    const lessons::PlacementQuestion& m_question;
    QString m_attempt;
    QLineEdit* m_number = nullptr;
    QPushButton* m_answer = nullptr;
    QPushButton* m_unknown = nullptr;
    ThemedLabel* m_verdict = nullptr;
    AuthorLabel* m_misconception = nullptr;
    ProseView* m_explains = nullptr;
    ThemedLabel* m_source = nullptr;
    bool m_given = false;
};

} // namespace ridge::app
