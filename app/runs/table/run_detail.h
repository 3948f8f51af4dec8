// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QWidget>

class QVBoxLayout;

namespace ridge::app {

class ColumnScroll;

/// Everything stored about one run, or a summary with a chart of a whole sweep. Read-only: rows never change.
class RunDetail : public QWidget {
    Q_OBJECT
public:
    explicit RunDetail(AppContext& context, QWidget* parent = nullptr);

    void showNothing();
    void showRuns(std::vector<record::RunRow> runs);
    const std::vector<record::RunRow>& runs() const { return m_runs; }
    /// How many are chosen in all; the runs that are shown may be the first of them.
    void setChosen(std::size_t count) { m_chosen = count; }
    int failedRuns() const;

Q_SIGNALS:
    void exportRequested();
    void artifactRequested();
    void failureRequested();

private:
    void addHead();
    void addError(const Error& error);
    void addChart();
    void addExplanation(const record::RunRow& run);
    void addMetrics(const record::RunRow& run);
    void addAgreement();
    void addParameters();
    void addChecks();
    void addFingerprint(const record::RunRow& run);
    void addCommands();
    void addSection(const QString& title);

    AppContext& m_context;
    ColumnScroll* m_scroll;
    QVBoxLayout* m_column;
    std::vector<record::RunRow> m_runs;
    std::size_t m_chosen = 0;
};

} // namespace ridge::app
