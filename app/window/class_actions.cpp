// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of the menu Class. They are there for everybody; what the rail shows of it depends on use.
#include "app/session/demonstration_mode.h"
#include "app/window/main_window.h"
#include "app/window/rail.h"
#include "app/window/settings.h"
#include "base/paths.h"

#include <filesystem>

namespace ridge::app {
namespace {

bool holdsAnything(const std::filesystem::path& folder)
{
    std::error_code ec;
    return std::filesystem::directory_iterator(folder, ec) != std::filesystem::directory_iterator();
}

} // namespace

void MainWindow::addClassActions()
{
    ActionRegistry& actions = m_context.actions();
    const auto place = [&](const char* id, const QString& text, const QString& help, const QString& where) {
        actions.add({QLatin1String(id), tr("Class"), text, help, {}}, [this, where] {
            if (auto opened = open(where); !opened)
                Q_EMIT m_context.notice(QString::fromStdString(toText(opened.error())), true);
        });
    };
    const auto command = [&](const char* id, const QString& text, const QString& help, Page::Command what) {
        addPageAction({QLatin1String(id), tr("Class"), text, help, {}}, what);
    };
    place("class.new", tr("&New assignment…"), tr("Lessons, a deadline and a roster, as one file to give out"),
          QStringLiteral("class/new"));
    place("class.sample", tr("Look at the &sample class"), tr("Twelve invented learners, to see what comes of a class"),
          QStringLiteral("class/sample"));
    command("class.collect", tr("&Collect a folder…"), tr("Takes in every submission below a folder"),
            Page::Command::Collect);
    command("class.collectFiles", tr("Collect single &files…"), tr("Takes in the submissions that are chosen"),
            Page::Command::CollectFiles);
    command("class.regrade", tr("&Re-check"), tr("Runs what was handed in again, here, and grades by that"),
            Page::Command::Recheck);
    command("class.grades", tr("&Grades…"), tr("A table that Moodle or Canvas imports"), Page::Command::Grades);
    command("class.feedback", tr("Feedbac&k pages"), tr("Writes a page for each learner, as the policy allows"),
            Page::Command::Feedback);
    command("class.roster", tr("Read a r&oster…"), tr("Brings names, emails and numbers up to date"),
            Page::Command::ReadRoster);
    command("class.assignmentFile", tr("Save the &assignment file again…"),
            tr("Writes the file that learners open once more"), Page::Command::AssignmentFile);
    actions
        .add({QStringLiteral("class.demonstrate"),
              tr("Class"),
              tr("&Demonstrate without predictions"),
              tr("Lessons run before anybody has predicted. Such runs are stored as demonstrations and count for "
                 "nothing"),
              {}},
             [this] {
                 DemonstrationMode& mode = DemonstrationMode::of(m_context);
                 mode.set(!mode.isOn());
                 Q_EMIT m_context.notice(mode.isOn() ? tr("Demonstration: lessons run without a prediction, and what "
                                                          "they run counts for nothing.")
                                                     : tr("Predictions come first again."),
                                         false);
                 updateActions();
             })
        ->setCheckable(true);
    command("class.projector", tr("&Projector mode"), tr("Large type, and nobody's name"), Page::Command::Projector);
}

bool MainWindow::classUsed() const
{
    return savedClassUsed() || holdsAnything(homeFolder() / "classes") || holdsAnything(homeFolder() / "assignments");
}

void MainWindow::noteClassUsed()
{
    m_rail->setShown(QStringLiteral("class"), true);
    if (m_options.remember)
        saveClassUsed();
}

} // namespace ridge::app
