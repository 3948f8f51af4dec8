// SPDX-License-Identifier: GPL-3.0-or-later
// Files that come to the window: dropped, double-clicked, or chosen in a dialog.
#include "app/class/assignments/file_reader.h"
#include "app/runs/compare/compare_page.h"
#include "app/theme/announce.h"
#include "app/ui/outcome_bar.h"
#include "app/ui/panels.h"
#include "app/window/file_bar.h"
#include "app/window/main_window.h"

#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMimeData>
#include <QUrl>
#include <QVBoxLayout>

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

void MainWindow::addFileBars(QVBoxLayout* column)
{
    m_reader = new FileReader(m_context, this);
    m_fileBar = new FileBar(m_context.theme(), *m_reader);
    m_fileOutcome = new OutcomeBar(m_context.theme());
    m_fileOutcome->nextButton()->setObjectName(QStringLiteral("file-show"));
    column->addWidget(m_fileBar);
    column->addWidget(m_fileOutcome);
    connect(m_reader, &FileReader::opened, this, [this](const QString& path, const QString& place) {
        showRead(path, [this, place] {
            if (const auto shown = open(place); !shown)
                tellFileError(shown.error());
        });
    });
    connect(m_reader, &FileReader::runsRead, this,
            [this](const QString& path, const std::vector<record::RunRow>& runs) {
                showRead(path, [this, path, runs] {
                    comparePinned();
                    if (auto* compare = qobject_cast<ComparePage*>(page()))
                        (void)compare->addFile(path, runs); // the page says what is wrong
                });
            });
    connect(m_reader, &FileReader::failed, this, &MainWindow::tellFileError);
}

/// Who has gone to another page while a long file was read is told, and not taken away from there.
void MainWindow::showRead(const QString& path, std::function<void()> show)
{
    if (currentPage() == m_readFrom) {
        show();
        m_readFrom = currentPage();
        return;
    }
    const QString words = tr("%1 is read.").arg(QFileInfo(path).fileName());
    m_fileOutcome->tell(words, tr("Show it"), [this, show = std::move(show)] {
        m_fileOutcome->hide();
        show();
    });
    announce(m_fileOutcome, words);
}

void MainWindow::tellFileError(const Error& error)
{
    m_fileBanner->setError(error);
    m_fileBanner->setClosable(true);
    m_fileBanner->show();
    announce(m_fileBanner, m_fileBanner->text());
}

void MainWindow::chooseFile(bool import)
{
    auto* dialog = new QFileDialog(this, import ? tr("Import a file") : tr("Open a file"), {},
                                   import ? tr("Any file (*)") : openFilters());
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::filesSelected, this,
            [this, import](const QStringList& paths) { readFiles(paths, import ? OpenAs::Import : OpenAs::Any); });
    dialog->open();
}

void MainWindow::chooseRunFiles()
{
    auto* dialog = new QFileDialog(this, tr("Results of another machine"), {}, tr("Exported runs (*.json)"));
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::filesSelected, this,
            [this](const QStringList& paths) { readFiles(paths, OpenAs::Runs); });
    dialog->open();
}

void MainWindow::openFiles(const QStringList& paths)
{
    readFiles(paths, OpenAs::Any);
}

void MainWindow::readFiles(const QStringList& paths, OpenAs as)
{
    m_fileBanner->hide();
    m_fileOutcome->hide();
    m_readFrom = currentPage();
    QStringList read;
    for (const QString& path : paths) {
        static const QStringList kernels{QStringLiteral("cu"), QStringLiteral("cuh"), QStringLiteral("ptx")};
        if (as == OpenAs::Any && kernels.contains(QFileInfo(path).suffix().toLower()))
            addKernelFile(path);
        else
            read << path;
    }
    m_reader->open(read, as);
}

/// Esc that no widget wanted for itself.
void MainWindow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_reader->canStop()) {
        m_reader->stop();
        return;
    }
    if (event->key() == Qt::Key_Escape && m_layout == QLatin1String("present"))
        return setLayoutName(QStringLiteral("read")); // no menu is there to lead back
    QMainWindow::keyPressEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    // A chart of ours that is pulled over the window is not meant for it.
    if (!event->source() && !filesOf(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    openFiles(filesOf(*event->mimeData()));
    event->acceptProposedAction();
}

} // namespace ridge::app
