// SPDX-License-Identifier: GPL-3.0-or-later
// What the Runs page does with the runs that are chosen: tag, note, ship, export.
#include "app/runs/table/run_data.h"
#include "app/runs/table/run_detail.h"
#include "app/runs/table/run_loader.h"
#include "app/runs/table/runs_page.h"
#include "app/runs/table/tag_field.h"
#include "app/session/background.h"
#include "app/ui/filter_bar.h"
#include "app/ui/panels.h"
#include "base/hash.h"
#include "evidence/artifact_draft.h"
#include "record/worker/when_done.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTreeView>

namespace ridge::app {

bool RunsPage::can(Command command) const
{
    switch (command) {
    case Command::Find:
    case Command::Export:
        return m_model->total() > 0;
    case Command::Tag:
    case Command::Ship:
        return !m_detail->runs().empty();
    case Command::NoteFailure:
        return m_detail->failedRuns() > 0;
    case Command::Undo:
        return m_undo.canUndo();
    case Command::Redo:
        return m_undo.canRedo();
    default:
        return false;
    }
}

void RunsPage::perform(Command command)
{
    switch (command) {
    case Command::Find:
        m_filters->text()->setFocus(Qt::ShortcutFocusReason);
        break;
    case Command::Export:
        chooseExport();
        break;
    case Command::Tag:
        m_tags->startTyping();
        break;
    case Command::Ship:
        makeArtifact();
        break;
    case Command::NoteFailure:
        noteFailure();
        break;
    case Command::Undo:
        m_undo.undo();
        break;
    case Command::Redo:
        m_undo.redo();
        break;
    default:
        break;
    }
}

QList<QWidget*> RunsPage::panes() const
{
    if (m_stack->currentIndex() == 0)
        return {};
    return {m_tableStack->currentWidget(), m_filters->text(), m_tags->field(), m_detail};
}

std::vector<record::RunRow> RunsPage::runsInView() const
{
    return m_detail->runs();
}

bool RunsPage::hasRunsInView() const
{
    return !m_detail->runs().empty();
}

std::vector<TagSubject> RunsPage::tagSubjects() const
{
    std::vector<TagSubject> subjects;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows()) {
        if (const QString sweep = m_model->sweep(index); !sweep.isEmpty())
            subjects.push_back({"sweep", sweep.toStdString()});
        else if (const RunsModel::Entry* run = m_model->run(index))
            subjects.push_back({"run", run->id});
    }
    return subjects;
}

void RunsPage::showTags()
{
    const std::vector<TagSubject> subjects = tagSubjects();
    QStringList shown;
    for (const TagSubject& subject : subjects)
        shown +=
            (subject.kind == "sweep" ? m_tagMaps.sweeps : m_tagMaps.runs).value(QString::fromStdString(subject.id));
    shown.sort(Qt::CaseInsensitive);
    shown.removeDuplicates();
    m_tags->setTags(shown, m_tagMaps.known);
    const auto count = subjects.size();
    m_tags->setSubject(count == 0                         ? QString()
                       : count > 1                        ? tr("%1 rows").arg(count)
                       : subjects.front().kind == "sweep" ? tr("the sweep")
                                                          : tr("the run"));
}

void RunsPage::tag(const QString& label, bool remove)
{
    // Only where it changes something, so that undoing it gives back what was.
    std::vector<TagSubject> subjects = tagSubjects();
    std::erase_if(subjects, [&](const TagSubject& subject) {
        const TagMap& map = subject.kind == "sweep" ? m_tagMaps.sweeps : m_tagMaps.runs;
        return map.value(QString::fromStdString(subject.id)).contains(label) != remove;
    });
    if (!subjects.empty() && m_context.store())
        m_undo.push(new TagCommand(*m_context.store(), std::move(subjects), label, remove));
}

void RunsPage::noteFailure()
{
    record::JournalRow row;
    row.kind = "failure";
    row.entryId = newUuid7();
    const record::RunRow* first = nullptr;
    for (const record::RunRow& run : m_detail->runs())
        if (run.status == "failed") {
            first = first ? first : &run;
            row.runIds.push_back(run.id);
        }
    if (!first || !m_context.store())
        return;
    row.lesson = first->lesson;
    const ExperimentInfo* info = m_context.experiment(first->experiment);
    row.title = (info ? info->title : first->experiment) + ": " + (first->error ? first->error->code : "failed");
    row.text = (first->error ? toText(*first->error) + "\n\n" : std::string()) +
               parameterText(first->params, info).toStdString() + " on " + first->target;
    const QString page = QStringLiteral("portfolio/journal/") + QString::fromStdString(row.entryId);
    // The page reads the store: it is opened once the row is there.
    record::whenDone(m_context.store()->append(std::move(row)), this, [this, page](const Result<std::string>& stored) {
        if (stored)
            Q_EMIT m_context.openRequested(page);
        else
            Q_EMIT m_context.notice(QString::fromStdString(toText(stored.error())), true);
    });
}

void RunsPage::makeArtifact()
{
    record::Store* store = m_context.store();
    if (!store || m_detail->runs().empty())
        return;
    auto row = artifactOfRuns(*store, m_detail->runs(), m_context.experiments());
    const std::string id = newUuid7();
    const auto written = row ? writeDraft(store->folder(), id, *row) : Result<void>(row.error());
    if (written)
        Q_EMIT m_context.openRequested(QStringLiteral("portfolio/edit/") + QString::fromStdString(id));
    else
        Q_EMIT m_context.notice(QString::fromStdString(toText(written.error())), true);
}

std::vector<std::string> RunsPage::idsToExport() const
{
    std::vector<std::string> ids;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows())
        for (const RunsModel::Entry* run : m_model->runs(index))
            ids.push_back(run->id);
    return ids.empty() ? m_model->shownIds() : ids;
}

Result<void> RunsPage::exportTo(const QString& path) const
{
    auto runs = readRows(*m_context.store(), idsToExport());
    if (runs)
        m_context.feedback().withhold(*runs);
    return runs ? writeRuns(*runs, path) : Result<void>(runs.error());
}

void RunsPage::chooseExport()
{
    auto* dialog = new QFileDialog(this, tr("Export runs"), {}, tr("CSV table (*.csv);;JSON (*.json)"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(QStringLiteral("ridgepoint-runs.csv"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        saveRuns(Background::of(m_context), *m_context.store(), idsToExport(),
                 m_context.feedback().withheld(Outcome::Result), path, this, [this, path](const Result<void>& written) {
                     Q_EMIT m_context.notice(written ? tr("Exported %1").arg(path)
                                                     : QString::fromStdString(toText(written.error())),
                                             !written);
                 });
    });
    dialog->open();
}

} // namespace ridge::app
