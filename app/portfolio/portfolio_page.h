// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/portfolio/artifact_bundle.h"
#include "app/runs/table/run_tags.h"
#include "app/session/app_context.h"
#include "app/ui/page.h"

#include <QTimer>
#include <QUndoStack>

class QGridLayout;
class QLabel;
class QStackedWidget;
class QTabWidget;

namespace ridge::app {

class ArtifactCard;
class ArtifactEditor;
class ArtifactView;
class AssembleStart;
class ColumnScroll;
class EntryList;
class JournalView;
class ReproduceRun;

/// Everything the learner has shipped, and the journal beside it. Parts: an artifact's id opens it, "<artifact>@<row>"
/// a certain version, "edit/<id>" its draft (an unknown id: a new one), "new", "journal", "journal/<entry>",
/// "journal/decision", "journal/failure".
class PortfolioPage : public Page {
    Q_OBJECT
public:
    explicit PortfolioPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override;
    QString part() const override { return m_part; }
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;
    double scrollFraction() const override;
    void setScrollFraction(double fraction) override;
    int runningJobs() const override;
    void cancelRuns() override;
    std::vector<record::RunRow> runsInView() const override;
    bool hasRunsInView() const override;

    int artifacts() const { return static_cast<int>(m_cards.size()); }
    ArtifactEditor* editor() const { return m_editor; }
    ArtifactView* view() const { return m_view; }
    JournalView* journal() const { return m_journal; }
    ReproduceRun* reproduction() const { return m_reproduce; }
    QUndoStack* undoStack() const; ///< of what is shown

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    enum View { Overview, Detail, Editor };
    QWidget* makeOverview();
    QWidget* makeArtifacts();
    void connectViews();
    void reload();
    void reloadDrafts();
    void arrange();
    Result<void> showPart(const QString& part);
    Result<void> showArtifact(const QString& part, bool stay = false);
    void removeArtifact();
    void tag(const QString& label, bool remove);
    void showTags();
    void chooseExport();
    bool showsJournal() const;
    View shown() const;

    AppContext& m_context;
    ReproduceRun* m_reproduce;
    QStackedWidget* m_stack;
    QTabWidget* m_tabs = nullptr;
    QStackedWidget* m_gridStack = nullptr;
    ColumnScroll* m_scroll = nullptr;
    QLabel* m_count = nullptr;
    AssembleStart* m_start = nullptr;
    QWidget* m_draftsCard = nullptr;
    EntryList* m_drafts = nullptr;
    QGridLayout* m_grid = nullptr;
    ArtifactView* m_view;
    ArtifactEditor* m_editor;
    JournalView* m_journal;
    std::vector<ArtifactCard*> m_cards;
    QTimer* m_soon = new QTimer(this); ///< until the cards are made anew
    mutable QUndoStack m_undo;         ///< of tags and of what was taken out
    QString m_part;
    int m_columns = 0;
};

} // namespace ridge::app
