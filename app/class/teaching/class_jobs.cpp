// SPDX-License-Identifier: GPL-3.0-or-later
// What one does with a class: each job asks for its files, runs beside the event loop, and says what came of it.
#include "app/class/teaching/class_tables.h"
#include "app/class/teaching/class_view.h"

#include "app/ui/panels.h"

#include <QFileDialog>
#include <QTabWidget>

namespace ridge::app {
namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString counted(int count, const QString& one, const QString& many)
{
    return count == 1 ? one : many.arg(count);
}

QString collectedText(const Collected& collected)
{
    const classroom::CollectReport& report = collected.report;
    if (report.files == 0)
        return QObject::tr("No submission was found there. They end in .ridgesubmission.");
    QStringList parts = {counted(report.merged, QObject::tr("1 taken in"), QObject::tr("%1 taken in"))};
    if (report.duplicates > 0)
        parts << QObject::tr("%1 were here already").arg(report.duplicates);
    if (!report.odd.empty())
        parts << QObject::tr("%1 odd").arg(report.odd.size());
    if (!report.late.empty())
        parts << QObject::tr("%1 late").arg(report.late.size());
    if (!report.missing.empty())
        parts << QObject::tr("%1 missing").arg(report.missing.size());
    const QString files = counted(report.files, QObject::tr("1 file"), QObject::tr("%1 files"));
    QString words = QStringLiteral("%1: %2.").arg(files, parts.join(QStringLiteral(", ")));
    if (collected.stopped)
        words += QObject::tr(" Stopped before the end; collecting again goes on.");
    return words;
}

QFileDialog* ask(QWidget* parent, const QString& title, const QString& filters = {})
{
    auto* dialog = new QFileDialog(parent, title, {}, filters);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    return dialog;
}

QFileDialog* askForFile(QWidget* parent, const QString& title, const QString& filters, const QString& suffix,
                        const QString& name)
{
    QFileDialog* dialog = ask(parent, title, filters);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(name);
    return dialog;
}

} // namespace

QString ClassView::suggested(const QString& what) const
{
    const AssignmentHead* shown = m_state ? m_state->shown() : nullptr;
    const QString slug = text(classroom::slugOf(shown ? shown->title : m_request.slug));
    return slug.isEmpty() ? what : slug + QLatin1Char('-') + what;
}

void ClassView::chooseFolder()
{
    QFileDialog* dialog = ask(this, tr("The folder with the submissions"));
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::filesSelected, this, &ClassView::collect);
    dialog->open();
}

void ClassView::chooseFiles()
{
    QFileDialog* dialog = ask(this, tr("Submissions"), tr("Submissions (*.ridgesubmission*)"));
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, &ClassView::collect);
    dialog->open();
}

void ClassView::collect(const QStringList& paths)
{
    if (!changeable() || paths.isEmpty())
        return;
    m_banner->hide();
    std::vector<std::filesystem::path> places;
    for (const QString& path : paths)
        places.emplace_back(path.toStdString());
    m_desk
        .run<Collected>(tr("Collecting …"),
                        [request = m_request, places](ClassBench& bench, const JobHooks& hooks) {
                            return bench.collect(request, places, hooks);
                        })
        .then(this, [this](const Result<Collected>& collected) {
            if (!collected)
                return fail(collected.error());
            const bool odd = !collected->report.odd.empty();
            tell(collectedText(*collected), odd ? tr("See the odd ones") : QString(), [this] {
                m_tabs->setCurrentWidget(m_handIns);
                m_handIns->showOnly(HandIn::State::Odd);
            });
            reload();
        });
}

void ClassView::dismiss(const std::vector<std::string>& files)
{
    if (!changeable() || files.empty())
        return;
    m_banner->hide();
    m_desk
        .run<int>({}, [of = m_request, files](ClassBench& bench, const JobHooks&) { return bench.dismiss(of, files); })
        .then(this, [this](const Result<int>& count) {
            if (!count)
                return fail(count.error());
            tell(counted(*count, tr("1 file is off the list."), tr("%1 files are off the list.")));
            reload();
        });
}

void ClassView::decide(const std::vector<OpenChoice>& choices)
{
    if (!changeable() || choices.empty())
        return;
    m_banner->hide();
    m_desk
        .run<int>({},
                  [of = m_state->of, choices](ClassBench& bench, const JobHooks&) { return bench.decide(of, choices); })
        .then(this, [this, accepted = choices.front().accept](const Result<int>& count) {
            if (!count)
                return fail(count.error());
            tell(accepted ? counted(*count, tr("The work of 1 lesson counts as it was handed in."),
                                    tr("The work of %1 lessons counts as it was handed in."))
                          : counted(*count, tr("The work of 1 lesson does not count."),
                                    tr("The work of %1 lessons does not count.")));
            reload();
        });
}

void ClassView::join(const std::string& learner, const std::string& whom)
{
    if (!changeable())
        return;
    m_banner->hide();
    m_desk
        .run<classroom::Person>({}, [of = m_state->of, learner, whom](
                                        ClassBench& bench, const JobHooks&) { return bench.join(of, learner, whom); })
        .then(this, [this](const Result<classroom::Person>& who) {
            if (!who)
                return fail(who.error());
            tell(tr("What was handed in under %1 is the work of %2 from now on, in grades and feedback, too.")
                     .arg(QString::fromStdString(who->learner), QString::fromStdString(who->name)));
            reload();
        });
}

void ClassView::regrade()
{
    if (!changeable() || !hasHandIns())
        return;
    m_banner->hide();
    const ClassRequest of = m_state->of;
    m_desk
        .run<classroom::RegradeReport>(
            tr("Running again what was handed in …"),
            [of](ClassBench& bench, const JobHooks& hooks) { return bench.regrade(of, hooks); })
        .then(this, [this, of](const Result<classroom::RegradeReport>& report) {
            if (!report) {
                // Who stops it knows that it was stopped.
                if (report.error().code == "cancelled")
                    tell(tr("Stopped. The grades are as they were."));
                else
                    fail(report.error());
                return;
            }
            m_regrades[of.slug + '/' + of.assignment] = *report;
            tell(
                regradeText(*report), tr("Details"), [this] { m_tabs->setCurrentWidget(m_rechecked); },
                isDoubtful(*report));
            reload();
        });
}

void ClassView::chooseGrades()
{
    if (!hasHandIns())
        return;
    const QString moodle = tr("For Moodle (*.csv)"), canvas = tr("For Canvas (*.csv)");
    QFileDialog* dialog = askForFile(this, tr("Grades"), moodle + QStringLiteral(";;") + canvas, QStringLiteral("csv"),
                                     suggested(tr("grades.csv")));
    connect(dialog, &QFileDialog::fileSelected, this, [this, dialog, canvas](const QString& file) {
        writeGrades(file, dialog->selectedNameFilter() == canvas ? QStringLiteral("canvas") : QStringLiteral("moodle"));
    });
    dialog->open();
}

void ClassView::writeGrades(const QString& file, const QString& format)
{
    m_banner->hide();
    m_desk
        .run<QString>(tr("Writing grades …"),
                      [of = m_state->of, file, format](ClassBench& bench, const JobHooks&) -> Result<QString> {
                          const auto written = bench.writeGrades(of, format.toStdString(), file.toStdString());
                          if (!written)
                              return written.error();
                          return file;
                      })
        .then(this, [this](const Result<QString>& written) {
            if (!written)
                return fail(written.error());
            tell(tr("Grades are in %1.").arg(*written), tr("Open the folder"),
                 [this, folder = QFileInfo(*written).absolutePath()] { Q_EMIT openFolderRequested(folder); });
        });
}

void ClassView::writeFeedback()
{
    if (!hasHandIns())
        return;
    m_banner->hide();
    m_desk
        .run<FeedbackPages>(tr("Writing feedback …"),
                            [of = m_state->of](ClassBench& bench, const JobHooks&) { return bench.writeFeedback(of); })
        .then(this, [this](const Result<FeedbackPages>& pages) {
            if (!pages)
                return fail(pages.error());
            const QString folder = text(pages->folder.string());
            tell(tr("%1 pages of feedback are in %2.").arg(pages->count).arg(folder), tr("Open the folder"),
                 [this, folder] { Q_EMIT openFolderRequested(folder); });
        });
}

void ClassView::chooseRoster()
{
    QFileDialog* dialog = ask(this, tr("A roster"), tr("Tables (*.csv *.tsv *.txt)"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ClassView::takeRoster);
    dialog->open();
}

void ClassView::takeRoster(const QString& path)
{
    if (!changeable())
        return;
    m_banner->hide();
    m_desk
        .run<RosterText>(tr("Reading the roster …"),
                         [request = m_request, file = path.toStdString()](ClassBench& bench, const JobHooks&) {
                             return bench.takeRoster(request, file);
                         })
        .then(this, [this](const Result<RosterText>& roster) {
            if (!roster)
                return fail(roster.error());
            QString words = tr("%1 people read from %2.").arg(roster->people).arg(text(roster->place));
            if (!roster->notes.empty())
                words += QLatin1Char(' ') + asSentence(text(roster->notes.front()));
            if (roster->notes.size() > 1)
                words += tr(" %1 further rows were left out.").arg(roster->notes.size() - 1);
            tell(words);
            reload();
        });
}

void ClassView::chooseAssignmentFile()
{
    if (!changeable())
        return;
    QString name = suggested(QStringLiteral(".ridgeclass"));
    name.replace(QStringLiteral("-.ridgeclass"), QStringLiteral(".ridgeclass"));
    QFileDialog* dialog = askForFile(this, tr("The file for your learners"), tr("Assignments (*.ridgeclass)"),
                                     QStringLiteral("ridgeclass"), name);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        m_desk
            .run<QString>(tr("Writing the assignment …"),
                          [of = m_state->of, file](ClassBench& bench, const JobHooks&) -> Result<QString> {
                              const auto written = bench.writeAssignment(of, file.toStdString());
                              if (!written)
                                  return written.error();
                              return file;
                          })
            .then(this, [this](const Result<QString>& written) {
                if (!written)
                    return fail(written.error());
                tell(tr("The assignment is in %1. Give it to your learners.").arg(*written));
            });
    });
    dialog->open();
}

} // namespace ridge::app
