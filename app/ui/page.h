// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

#include <QWidget>

namespace ridge::app {

/// An experiment with settings that what is in view is about: a bench beside it shows them.
struct BenchProposal {
    std::string experiment;
    ParamSet params;                ///< those that are given; the others keep their defaults
    std::vector<std::string> sweep; ///< "stride=1..128:log2"
    bool operator==(const BenchProposal&) const = default;
};

/// What the main window shows in its stack: one per destination, made when it is first visited, kept afterwards.
/// GUI thread.
class Page : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

    /// Shows the part of the page that stands after its name: "coalescing" of "lab/coalescing", empty for the page
    /// itself. Errors: "unknown-page" (names it and what there is instead); the page then stays as it was.
    virtual Result<void> open(const QString& part)
    {
        Q_UNUSED(part);
        return {};
    }
    virtual QString title() const = 0;
    /// What `open` would need to come back here; differs from the last one where the page moved on by itself.
    virtual QString part() const { return {}; }

    /// False while something that belongs into the picture is still being fetched; readyChanged follows.
    virtual bool ready() const { return true; }

    virtual int runningJobs() const { return 0; }
    virtual void cancelRuns() {}

    // Commands of the registry; a page that has no use for one says so and the action is greyed.
    enum class Command {
        Run,
        Commit,
        Ship,
        NextBlock,
        PreviousBlock,
        Prediction,
        Find,
        Note,
        Export,
        Undo,
        Redo,
        Tag,
        NoteFailure,
        EditArtifact,
        Reproduce,
        // Of a class.
        Collect,
        CollectFiles,
        Recheck,
        Grades,
        Feedback,
        ReadRoster,
        AssignmentFile,
        Projector
    };
    virtual bool can(Command command) const
    {
        Q_UNUSED(command);
        return false;
    }
    virtual void perform(Command command) { Q_UNUSED(command); }

    /// What Ctrl+D pins: the runs chosen or shown here, those of one sweep together. Empty: nothing to pin.
    virtual std::vector<record::RunRow> runsInView() const { return {}; }
    /// Whether there are any: asked with every progress of a run, so it must not read the store each time.
    virtual bool hasRunsInView() const { return false; }

    virtual std::optional<BenchProposal> benchProposal() const { return {}; }

    virtual double scrollFraction() const { return 0; }
    virtual void setScrollFraction(double fraction) { Q_UNUSED(fraction); }
    virtual bool scrollToBlock(const QString& blockId)
    {
        Q_UNUSED(blockId);
        return false;
    }

    /// Where F6 goes, in order; the first gets the focus when the page is opened.
    virtual QList<QWidget*> panes() const { return {}; }

Q_SIGNALS:
    void readyChanged();
    void titleChanged();
    void commandsChanged();
};

} // namespace ridge::app
