// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/assignments/open_file.h"

#include "app/assignments/assignment_page.h"
#include "app/evidence/import_artifact.h"
#include "app/runs/run_document.h"
#include "base/json.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::OpenFile", text);
}

bool endsWith(const QString& path, const char* ending)
{
    return path.endsWith(QLatin1String(ending), Qt::CaseInsensitive);
}

Error unknownFile(const QString& path)
{
    return {"unknown-file", tr("This is no file that Ridgepoint opens").toStdString(), path.toStdString(),
            openableFiles().toStdString()};
}

Result<QString> openAssignment(AppContext& context, const QString& path)
{
    const auto bytes = readFile(path.toStdString());
    if (!bytes)
        return bytes.error();
    const auto assignment = classroom::readAssignment(*bytes, path.toStdString());
    if (!assignment)
        return assignment.error();
    // The very file that was accepted: there is nothing to preview.
    const auto held = readFile(context.feedback().home() / "assignments" / (assignment->id + ".ridgeclass"));
    if (held && *held == *bytes)
        return QStringLiteral("assignment/") + QString::fromStdString(assignment->id);
    return previewPlace(path);
}

} // namespace

QString openableFiles()
{
    QStringList tools;
    for (const imports::FormatInfo& format : imports::formats())
        tools << QString::fromStdString(format.title);
    return tr("It opens assignments (.ridgeclass), exported runs (.json), and what these wrote: %1.")
        .arg(tools.join(QStringLiteral(", ")));
}

QString openFilters()
{
    return tr(
        "All that can be opened (*);;Assignments (*.ridgeclass);;Kernels (*.cu *.cuh *.ptx);;Exported runs (*.json)");
}

Result<QString> importFile(AppContext& context, const QString& path)
{
    record::Store* store = context.store();
    if (!store || store->readOnly())
        return context.storeError().value_or(Error{"store-readonly", "Your record is open for reading only",
                                                   store ? store->folder().string() : std::string(),
                                                   "Close the other Ridgepoint that is writing to it"});
    const auto row = importArtifact(*store, path.toStdString(), {});
    if (!row)
        return row.error();
    store->flush();
    return QStringLiteral("artifact/") + QString::fromStdString(row->artifactId);
}

Result<QString> openFile(AppContext& context, const QString& given)
{
    const QString path = QFileInfo(given).absoluteFilePath();
    const QFileInfo info(path);
    if (!info.exists() || info.isDir())
        return Error{"cannot-read", info.isDir() ? "This is a folder" : "There is no such file", path.toStdString(),
                     info.isDir() ? "Open the files in it; a folder of submissions goes onto the page of its class"
                                  : "Check the name, or whether the disk it lies on is there"};
    if (endsWith(path, ".ridgeclass"))
        return openAssignment(context, path);
    if (endsWith(path, ".ridgesubmission"))
        return Error{"unknown-file", "This is what a learner handed in", path.toStdString(),
                     "Its teacher drops it on the page of the class"};
    if (endsWith(path, ".json")) {
        const auto runs = readRunDocument(path);
        if (runs)
            return QStringLiteral("compare/file:") + path;
        // It may be what a tool wrote; what is wrong with it as runs counts when no tool did.
        auto imported = importFile(context, path);
        return imported || imported.error().code != "unknown-format" ? imported : runs.error();
    }
    auto imported = importFile(context, path);
    return imported || imported.error().code != "unknown-format" ? imported : unknownFile(path);
}

} // namespace ridge::app
