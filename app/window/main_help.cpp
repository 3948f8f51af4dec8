// SPDX-License-Identifier: GPL-3.0-or-later
// What the menu Help has, and what it shows.
#include "app/window/main_window.h"
#include "app/window/shortcut_editor.h"
#include "app/window/shortcut_sheet.h"
#include "base/paths.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QMessageBox>
#include <QUrl>

namespace ridge::app {
namespace {

QKeySequence keysFor(const char* text)
{
    return QKeySequence(QLatin1String(text));
}

} // namespace

void MainWindow::addHelpActions()
{
    ActionRegistry& actions = m_context.actions();
    addLayoutActions();
    actions.add({QStringLiteral("window.minimize"),
                 tr("Window"),
                 tr("&Minimize"),
                 tr("Puts the window away"),
                 {keysFor("Ctrl+M")}},
                [this] { showMinimized(); });
    actions.add({QStringLiteral("help.shortcuts"),
                 tr("Help"),
                 tr("&Keyboard shortcuts"),
                 tr("Every shortcut on one sheet"),
                 {keysFor("?")},
                 true},
                [this] { m_sheet->open(); });
    actions.add({QStringLiteral("help.editShortcuts"),
                 tr("Help"),
                 tr("&Change keyboard shortcuts…"),
                 tr("Other keys for any command"),
                 {}},
                [this] { m_editor->open(); });
    actions.add(
        {QStringLiteral("help.terms"),
         tr("Help"),
         tr("E&xplain this, or look up a term"),
         tr("What the part of the window that has the focus is for; where there is nothing to say, the glossary"),
         {keysFor("F1")}},
        [this] { explainFocus(); });
    actions.add({QStringLiteral("help.machine"),
                 tr("Help"),
                 tr("&This machine"),
                 tr("What this computer can run, and what would make it run more"),
                 {}},
                [this] { chooseDestination(QStringLiteral("home")); });
    actions.add({QStringLiteral("help.doctor"),
                 tr("Help"),
                 tr("&What works here…"),
                 tr("Every part that has to be there, what is wrong with it and what mends it"),
                 {}},
                [this] { chooseDestination(QStringLiteral("doctor")); });
    actions.add({QStringLiteral("help.guide"),
                 tr("Help"),
                 tr("&Guides…"),
                 tr("The folder with the guides: own kernels, classes, imports, portfolios, privacy"),
                 {}},
                [this] { openGuides(); });
    actions.add({QStringLiteral("help.about"),
                 tr("Help"),
                 tr("&About Ridgepoint"),
                 tr("Version, licence, and where your record is"),
                 {}},
                [this] { showAbout(); });
}

void MainWindow::openGuides()
{
    const auto data = dataFolder();
    const QString folder = data ? QString::fromStdString((*data / "docs").string()) : QString();
    if (folder.isEmpty() || !QDir(folder).exists())
        return Q_EMIT m_context.notice(
            tr("The guides are not installed here. They are in the folder docs of the program's sources."), true);
    QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
}

void MainWindow::showAbout()
{
    const QString version = QCoreApplication::applicationVersion();
    auto* about = new QMessageBox(this);
    about->setObjectName(QStringLiteral("about"));
    about->setAttribute(Qt::WA_DeleteOnClose);
    about->setWindowTitle(tr("About Ridgepoint"));
    about->setTextFormat(Qt::PlainText);
    about->setText((version.isEmpty() ? tr("Ridgepoint") : tr("Ridgepoint %1").arg(version)) + QLatin1Char('\n') +
                   tr("A learning lab for AI hardware."));
    about->setInformativeText(
        tr("Free software under the GNU General Public License, version 3 or later. Qt %1.\n\nYour record is in %2. "
           "Nothing leaves this computer unless you export it or hand it in.")
            .arg(QString::fromLatin1(qVersion()), QString::fromStdString(homeFolder().string())));
    about->addButton(QMessageBox::Close);
    about->open();
}

} // namespace ridge::app
