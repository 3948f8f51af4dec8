// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/author_label.h"
#include "app/lesson/reader/reader_context.h"

class QButtonGroup;
class QLineEdit;

namespace ridge::app {

/// What the prediction had assumed: the authored mechanisms, "I had it right" and "something else". The choice is
/// stored at once; picking another adds a row, the newest counts. What the chosen assumption gets wrong is explained
/// below it.
class ReasonPicker : public QWidget {
    Q_OBJECT
public:
    ReasonPicker(const ReaderContext& context, const lessons::PredictBlock& block, QWidget* parent = nullptr);
    void setPrediction(const std::string& predictionId);

private:
    void addOption(const QString& id, const std::string& text);
    void choose(const QString& id);
    void showChoice(const QString& id, const QString& text);

    ReaderContext m_context;
    const lessons::PredictBlock& m_block;
    std::string m_prediction;
    QButtonGroup* m_group;
    QLineEdit* m_other;
    AuthorLabel* m_explains;
    ThemedLabel* m_problem;
};

} // namespace ridge::app
