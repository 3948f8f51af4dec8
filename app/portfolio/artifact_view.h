// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/portfolio/artifact_bundle.h"
#include "app/session/app_context.h"

#include <QWidget>
#include <functional>

class QVBoxLayout;

namespace ridge::app {

class ColumnScroll;
class ReproducePanel;
class ReproduceRun;
class TagField;

/// One artifact as a page to read: question, prediction beside result, chart drawn again from the stored runs,
/// sections, failures and decisions, code, reflection, whether it reproduces, its versions, machine. Nothing in it can
/// be edited: a version is what was shipped.
class ArtifactView : public QWidget {
    Q_OBJECT
public:
    ArtifactView(AppContext& context, ReproduceRun& reproduce, QWidget* parent = nullptr);
    /// `stay`: the same artifact again, because something was found out about it; the page stays where it is.
    void setArtifact(ArtifactBundle bundle, bool stay = false);
    /// Whether the focus is where a reproduction is started and told, or was thrown out of there.
    bool focusOnReproduction() const;
    void showReproduction(); ///< its newest verdict, with the focus on what repeats it once more
    const ArtifactBundle& bundle() const { return m_bundle; }
    ColumnScroll* scroll() const { return m_scroll; }
    TagField* tags() const { return m_tags; } ///< null until an artifact is shown
    void setTags(const QStringList& tags, const QStringList& known);

Q_SIGNALS:
    void exportRequested();
    void editRequested();
    void removeRequested();
    void tagAdded(const QString& label);
    void tagRemoved(const QString& label);

private:
    void addHead();
    QWidget* makeButtons();
    void addPredictions();
    void addCharts();
    void addSections();
    void addText(const QString& title, const std::string& words);
    void addRuns();
    void addBody();
    /// At once, or in a next turn of the event loop where reading the artifact has taken one.
    void afterReading(std::function<void()> add);
    void addFigures();
    void addJournal();
    void addCode();
    void addReproduction();
    void addVersions();
    void addHints();
    void addMachine();
    void addCommands();
    QVBoxLayout* section(const QString& title);

    AppContext& m_context;
    ReproduceRun& m_reproduce;
    ColumnScroll* m_scroll;
    QVBoxLayout* m_column;
    QVBoxLayout* m_into;        ///< where sections are added
    int m_shown = 0;            ///< counts artifacts
    std::optional<int> m_stays; ///< where the page was and stays
    TagField* m_tags = nullptr;
    QPointer<ReproducePanel> m_reproduction;
    ArtifactBundle m_bundle;
};

} // namespace ridge::app
