// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/portfolio/artifact_bundle.h"
#include "app/portfolio/artifact_document.h"
#include "app/portfolio/editor_parts.h"
#include "app/portfolio/hint_panel.h"
#include "app/session/app_context.h"

#include <QHash>

class QBoxLayout;
class QComboBox;
class QTimer;
class QTreeView;

namespace ridge::app {

class ColumnScroll;
class RunsModel;

/// Writes an artifact: texts, runs, charts, code, failures and decisions, kind and level, with the hints beside it.
/// What is typed is a draft until it is saved as a version.
class ArtifactEditor : public QWidget {
    Q_OBJECT
public:
    explicit ArtifactEditor(AppContext& context, QWidget* parent = nullptr);

    /// Opens the draft of this id; without one the newest version of the artifact; without that an empty draft.
    /// Errors: those of the store.
    Result<void> open(const std::string& id);
    /// Null until something is opened.
    ArtifactDocument* document() const { return m_document.get(); }
    HintPanel* hints() const { return m_hints; }
    ColumnScroll* scroll() const { return m_scroll; }
    QWidget* field(const QString& name) const; ///< "title", "claim", "method" …; null: none of this name
    /// Appends the draft as a version; `saved` follows with the artifact's id. Errors: "no-title", those of the store
    /// come as a notice.
    Result<void> save();
    void addRuns(const std::vector<std::string>& runIds);
    void removeRuns(const std::vector<std::string>& runIds);

Q_SIGNALS:
    void saved(const QString& artifactId);
    void discarded();
    void changed();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    // artifact_editor.cpp
    void addHead();
    void addLine(const QString& name, const QString& title);
    void addText(const QString& name, const QString& title, const QString& help, int lines);
    QVBoxLayout* section(const QString& title, const QString& help = {});
    void showField(const QString& field);
    void showText(const QString& name); ///< or why it is not shown
    void showAll();
    void updateHints();
    void arrange();
    void discard();
    void setText(const QString& name, const QString& value);
    QString textOf(const QString& name) const;
    // artifact_editor_lists.cpp
    void addPredictions();
    void addRunTable();
    void addCharts();
    void addFiles();
    void addJournal();
    void showPredictions();
    void showRuns();
    void fitRuns();
    void showCharts();
    void showFiles();
    void showJournal();
    void loadLinked(); ///< the rows that the draft names
    void chooseRuns();
    void chooseFile(bool code);
    void takeFile(const QString& path, bool code);
    void noteFailure();

    AppContext& m_context;
    std::unique_ptr<ArtifactDocument> m_document;
    std::string m_saving;    ///< the draft that is on its way into the record
    ArtifactBundle m_linked; ///< runs, predictions, journal and reproductions of the draft
    ColumnScroll* m_scroll;
    QBoxLayout* m_split;
    ColumnScroll* m_side;
    HintPanel* m_hints;
    QTimer* m_hintsSoon;
    QHash<QString, GrowingEdit*> m_texts;
    QHash<QString, PlainLine*> m_lines;
    QComboBox* m_kind = nullptr;
    QComboBox* m_level = nullptr;
    EntryList* m_predictions = nullptr;
    QComboBox* m_morePredictions = nullptr;
    RunsModel* m_runsModel = nullptr;
    QTreeView* m_runs = nullptr;
    QLabel* m_runsHint = nullptr;
    EntryList* m_charts = nullptr;
    EntryList* m_code = nullptr;
    EntryList* m_files = nullptr;
    EntryList* m_journal = nullptr;
    QComboBox* m_moreJournal = nullptr;
    QLabel* m_state = nullptr;
    bool m_ownClaim = false;       ///< there was none when it was opened: what is there was typed here
    QLabel* m_heldClaim = nullptr; ///< in the place of a claim that was filled in from results held back
};

/// "Title of the experiment, metric at parameters: 16, 8 to 32": a prediction in one line.
QString predictionLine(const record::PredictionRow& prediction, const AppContext& context);

} // namespace ridge::app
