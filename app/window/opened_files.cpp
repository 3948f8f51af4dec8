// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/opened_files.h"

#include "app/class/assignments/file_reader.h"
#include "app/explorer/explorer_page.h"
#include "app/runs/compare/compare_page.h"
#include "app/theme/announce.h"
#include "app/ui/outcome_bar.h"
#include "app/ui/panels.h"
#include "app/window/file_bar.h"
#include "app/window/main_window.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QVBoxLayout>

namespace ridge::app {

OpenedFiles::OpenedFiles(AppContext& context, MainWindow& window, Banner& banner, QVBoxLayout& column)
    : QObject(&window), m_window(window), m_banner(banner), m_reader(new FileReader(context, this)),
      m_bar(new FileBar(context.theme(), *m_reader)), m_outcome(new OutcomeBar(context.theme()))
{
    m_outcome->nextButton()->setObjectName(QStringLiteral("file-show"));
    column.addWidget(m_bar);
    column.addWidget(m_outcome);
    connect(m_reader, &FileReader::opened, this, [this](const QString& path, const QString& place) {
        show(path, [this, place] {
            if (const auto shown = m_window.open(place); !shown)
                tellError(shown.error());
        });
    });
    connect(m_reader, &FileReader::runsRead, this,
            [this](const QString& path, const std::vector<record::RunRow>& runs) {
                show(path, [this, path, runs] {
                    (void)m_window.open(QStringLiteral("compare"));
                    if (auto* compare = qobject_cast<ComparePage*>(m_window.page()))
                        (void)compare->addFile(path, runs); // the page says what is wrong
                });
            });
    connect(m_reader, &FileReader::modelRead, this,
            [this](const QString& path, const std::shared_ptr<workload::Subject>& model) {
                show(path, [this, model] {
                    (void)m_window.open(QStringLiteral("explorer"));
                    if (auto* explorer = qobject_cast<ExplorerPage*>(m_window.page()))
                        explorer->showModel(*model);
                });
            });
    connect(m_reader, &FileReader::failed, this, &OpenedFiles::tellError);
}

/// Who has gone to another page while a long file was read is told, and not taken away from there.
void OpenedFiles::show(const QString& path, std::function<void()> act)
{
    if (m_window.currentPage() == m_from) {
        act();
        m_from = m_window.currentPage();
        return;
    }
    const QString words = tr("%1 is read.").arg(QFileInfo(path).fileName());
    m_outcome->tell(words, tr("Show it"), [this, act = std::move(act)] {
        m_outcome->hide();
        act();
    });
    announce(m_outcome, words);
}

void OpenedFiles::tellError(const Error& error)
{
    m_banner.setError(error);
    m_banner.setClosable(true);
    m_banner.show();
    announce(&m_banner, m_banner.text());
}

void OpenedFiles::chooseAs(const QString& title, const QString& filters, OpenAs as)
{
    auto* dialog = new QFileDialog(&m_window, title, {}, filters);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::filesSelected, this, [this, as](const QStringList& paths) { read(paths, as); });
    dialog->open();
}

void OpenedFiles::choose(bool import)
{
    if (import)
        chooseAs(tr("Import a file"), tr("Any file (*)"), OpenAs::Import);
    else
        chooseAs(tr("Open a file"), openFilters(), OpenAs::Any);
}

void OpenedFiles::chooseRuns()
{
    chooseAs(tr("Results of another machine"), tr("Exported runs (*.json)"), OpenAs::Runs);
}

void OpenedFiles::read(const QStringList& paths, OpenAs as)
{
    m_banner.hide();
    m_outcome->hide();
    m_from = m_window.currentPage();
    QStringList toRead;
    for (const QString& path : paths) {
        static const QStringList kernels{QStringLiteral("cu"), QStringLiteral("cuh"), QStringLiteral("ptx")};
        if (as == OpenAs::Any && kernels.contains(QFileInfo(path).suffix().toLower()))
            Q_EMIT kernelCame(path);
        else
            toRead << path;
    }
    m_reader->open(toRead, as);
}

bool OpenedFiles::stop()
{
    if (!m_reader->canStop())
        return false;
    m_reader->stop();
    return true;
}

} // namespace ridge::app

#include "moc_opened_files.cpp"
