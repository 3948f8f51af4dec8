// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/portfolio/artifact_bundle.h"
#include "app/session/app_context.h"

#include <QWidget>

class QVBoxLayout;

namespace ridge::app {

class ColumnScroll;

/// One artifact as a page to read: question, prediction beside result, chart drawn again from the stored runs, code,
/// reflection, machine. Nothing in it can be edited: an artifact is what was shipped.
class ArtifactView : public QWidget {
    Q_OBJECT
public:
    explicit ArtifactView(AppContext& context, QWidget* parent = nullptr);
    void setArtifact(ArtifactBundle bundle);
    const ArtifactBundle& bundle() const { return m_bundle; }
    ColumnScroll* scroll() const { return m_scroll; }

Q_SIGNALS:
    void exportRequested();

private:
    void addHead();
    void addPredictions();
    void addCharts();
    void addRuns();
    void addCode();
    void addMachine();
    void addCommands();
    QVBoxLayout* section(const QString& title);

    AppContext& m_context;
    ColumnScroll* m_scroll;
    QVBoxLayout* m_column;
    ArtifactBundle m_bundle;
};

} // namespace ridge::app
