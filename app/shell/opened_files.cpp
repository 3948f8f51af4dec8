// SPDX-License-Identifier: GPL-3.0-or-later
// Files that come to the window: dropped, double-clicked, or chosen in a dialog.
#include "app/assignments/open_file.h"
#include "app/compare/compare_page.h"
#include "app/shell/main_window.h"
#include "app/shell/ui/panels.h"
#include "app/theme/announce.h"

#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

namespace ridge::app {
namespace {

QStringList filesOf(const QMimeData& data)
{
    QStringList paths;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile())
            paths << url.toLocalFile();
    return paths;
}

} // namespace

void MainWindow::addOpenActions()
{
    ActionRegistry& actions = m_context.actions();
    actions.add({QStringLiteral("file.open"),
                 tr("File"),
                 tr("&Open…"),
                 tr("Opens an assignment of your teacher, exported runs, or what another tool wrote"),
                 {QKeySequence(QStringLiteral("Ctrl+O"))}},
                [this] { chooseFile(false); });
    actions.add({QStringLiteral("file.import"),
                 tr("File"),
                 tr("&Import a file…"),
                 tr("Makes an artifact of what a profiler, benchmark or synthesis tool wrote, with its figures"),
                 {QKeySequence(QStringLiteral("Ctrl+I"))}},
                [this] { chooseFile(true); });
}

void MainWindow::chooseFile(bool import)
{
    auto* dialog = new QFileDialog(this, import ? tr("Import a file") : tr("Open a file"), {},
                                   import ? tr("Any file (*)") : openFilters());
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::filesSelected, this, import ? &MainWindow::importFiles : &MainWindow::openFiles);
    dialog->open();
}

void MainWindow::openFiles(const QStringList& paths)
{
    showOpened(paths, false);
}

void MainWindow::importFiles(const QStringList& paths)
{
    showOpened(paths, true);
}

void MainWindow::showOpened(const QStringList& paths, bool import)
{
    m_fileBanner->hide();
    for (const QString& path : paths) {
        static const QStringList kernels{QStringLiteral("cu"), QStringLiteral("cuh"), QStringLiteral("ptx")};
        if (!import && kernels.contains(QFileInfo(path).suffix().toLower())) {
            addKernelFile(path);
            continue;
        }
        const auto place = import ? importFile(m_context, path) : openFile(m_context, path);
        if (place && place->startsWith(QLatin1String("compare/"))) {
            addRunFiles({path}); // as files, whose names may hold what separates pins in a place
            continue;
        }
        const auto shown = place ? open(*place) : Result<void>(place.error());
        if (shown)
            continue;
        m_fileBanner->setError(shown.error());
        m_fileBanner->setClosable(true);
        m_fileBanner->show();
        announce(m_fileBanner, m_fileBanner->text());
    }
}

void MainWindow::addRunFiles(const QStringList& paths)
{
    comparePinned();
    auto* compare = qobject_cast<ComparePage*>(page());
    if (!compare)
        return;
    for (const QString& path : paths)
        (void)compare->addFile(path); // the page says what is wrong
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!filesOf(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    openFiles(filesOf(*event->mimeData()));
    event->acceptProposedAction();
}

} // namespace ridge::app
