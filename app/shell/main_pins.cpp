// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does with pinned runs, its own and those of files that are dropped on it, and with dropped kernels.
#include "app/compare/compare_page.h"
#include "app/compare/pin_sources.h"
#include "app/kernels/kernel_page.h"
#include "app/shell/main_window.h"

#include <QDropEvent>
#include <QMimeData>
#include <QUrl>

namespace ridge::app {
namespace {

QStringList filesEnding(const QMimeData& data, const QStringList& endings)
{
    QStringList paths;
    for (const QUrl& url : data.urls())
        for (const QString& ending : endings)
            if (url.isLocalFile() && url.toLocalFile().endsWith(ending, Qt::CaseInsensitive))
                paths << url.toLocalFile();
    return paths;
}

QStringList runFiles(const QMimeData& data)
{
    return filesEnding(data, {QStringLiteral(".json")});
}

QStringList kernelFiles(const QMimeData& data)
{
    return filesEnding(data, {QStringLiteral(".cu"), QStringLiteral(".cuh"), QStringLiteral(".ptx")});
}

} // namespace

void MainWindow::pinRunsInView()
{
    std::vector<record::RunRow> runs = page() ? page()->runsInView() : std::vector<record::RunRow>();
    if (runs.empty())
        return;
    Pin pin = pinOf(m_context, std::move(runs));
    const QString key = pin.key;
    if (auto pinned = m_context.pins().add(std::move(pin)); !pinned) {
        Q_EMIT m_context.notice(QString::fromStdString(toText(pinned.error())), true);
        return;
    }
    for (const Pin& each : m_context.pins().pins())
        if (each.key == key)
            Q_EMIT m_context.notice(tr("Pinned as %1; Ctrl+Shift+C compares.").arg(each.letter), false);
}

void MainWindow::comparePinned()
{
    (void)open(QStringLiteral("compare"));
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

void MainWindow::addKernelFiles(const QStringList& paths)
{
    (void)open(QStringLiteral("kernel"));
    auto* kernels = qobject_cast<KernelPage*>(page());
    for (const QString& path : paths)
        if (kernels)
            if (const auto added = kernels->addFile(path); !added)
                Q_EMIT m_context.notice(QString::fromStdString(toText(added.error())), true);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!runFiles(*event->mimeData()).isEmpty() || !kernelFiles(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    if (const QStringList kernels = kernelFiles(*event->mimeData()); !kernels.isEmpty())
        addKernelFiles(kernels);
    if (const QStringList runs = runFiles(*event->mimeData()); !runs.isEmpty())
        addRunFiles(runs);
    event->acceptProposedAction();
}

void MainWindow::restorePins()
{
    // Pins are called by the titles of the catalogue.
    if (!m_context.hasCatalogue())
        return;
    for (const QString& key : std::exchange(m_pinsToCome, {}))
        (void)pinByKey(m_context, key); // what is gone is gone
}

} // namespace ridge::app
