// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/assignments/open_file.h"

#include "app/class/assignments/assignment_page.h"
#include "app/runs/table/run_document.h"
#include "base/json.h"
#include "base/plain_file.h"
#include "evidence/import_artifact.h"

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

Result<ReadFile> readAssignmentFile(const QString& path, const std::filesystem::path& home)
{
    const auto bytes = classroom::readBundle(path.toStdString());
    if (!bytes)
        return bytes.error();
    const auto assignment = classroom::readAssignment(*bytes, path.toStdString());
    if (!assignment)
        return assignment.error();
    ReadFile read;
    read.place = previewPlace(path);
    // The very file that was accepted: there is nothing to preview.
    const auto held = readFile(home / "assignments" / (assignment->id + ".ridgeclass"));
    if (held && *held == *bytes)
        read.place = QStringLiteral("assignment/") + QString::fromStdString(assignment->id);
    return read;
}

Result<ReadFile> readLog(const QString& path, const Stopped& stopped)
{
    auto imported = readImport(path.toStdString(), {}, stopped);
    if (!imported)
        return imported.error();
    ReadFile read;
    read.imported = std::move(*imported);
    return read;
}

Result<ReadFile> readRuns(const QString& path)
{
    auto runs = readRunDocument(path);
    if (!runs)
        return runs.error();
    ReadFile read;
    read.runs = std::move(*runs);
    return read;
}

/// JSON is a model where it says so itself: no other JSON that is opened has these names.
bool saysModel(const QString& path)
{
    if (!endsWith(path, ".json"))
        return endsWith(path, ".onnx") || endsWith(path, ".yaml") || endsWith(path, ".yml");
    const auto text = readFile(path.toStdString(), workload::kMostModelText);
    const auto json = text ? parseJson(*text, path.toStdString()) : Result<Json>(text.error());
    return json && json->is_object() &&
           (json->contains("model_type") || (json->contains("layers") && json->contains("input")));
}

Result<ReadFile> readModel(const QString& path)
{
    auto subject = workload::subjectFromFile(path.toStdString());
    if (!subject)
        return subject.error();
    ReadFile read;
    read.model = std::make_shared<workload::Subject>(std::move(*subject));
    return read;
}

} // namespace

QString openableFiles()
{
    QStringList tools;
    for (const imports::FormatInfo& format : imports::formats())
        tools << QString::fromStdString(format.title);
    return tr("It opens assignments (.ridgeclass), exported runs (.json), models (config.json, .onnx, "
              ".yaml), and what these wrote: %1.")
        .arg(tools.join(QStringLiteral(", ")));
}

QString openFilters()
{
    return tr("All that can be opened (*);;Assignments (*.ridgeclass);;Kernels (*.cu *.cuh *.ptx);;"
              "Models (*.json *.onnx *.yaml *.yml);;Exported runs (*.json)");
}

Result<ReadFile> readOpened(const QString& given, OpenAs as, const std::filesystem::path& home, const Stopped& stopped)
{
    const QString path = QFileInfo(given).absoluteFilePath();
    const QFileInfo info(path);
    if (!info.exists() || info.isDir())
        return Error{"cannot-read", info.isDir() ? "This is a folder" : "There is no such file", path.toStdString(),
                     info.isDir() ? "Open the files in it; a folder of submissions goes onto the page of its class"
                                  : "Check the name, or whether the disk it lies on is there"};
    if (as == OpenAs::Import)
        return readLog(path, stopped);
    if (as == OpenAs::Runs)
        return readRuns(path);
    if (endsWith(path, ".ridgeclass"))
        return readAssignmentFile(path, home);
    if (endsWith(path, ".ridgesubmission"))
        return Error{"unknown-file", "This is what a learner handed in", path.toStdString(),
                     "Its teacher drops it on the page of the class"};
    if (saysModel(path))
        return readModel(path);
    Error odd = unknownFile(path);
    if (endsWith(path, ".json")) {
        auto runs = readRuns(path);
        if (runs)
            return runs;
        odd = runs.error();
    }
    // JSON may be what a tool wrote; what is wrong with it as runs counts when no tool did.
    auto log = readLog(path, stopped);
    return log || log.error().code != "unknown-format" ? std::move(log) : Result<ReadFile>(odd);
}

} // namespace ridge::app
