// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shell_fixture.h"

#include "app/window/command_line.h"
#include "base/json.h"
#include "classroom/assignment.h"
#include "classroom/class_folder.h"

#include <QMap>
#include <array>

namespace ridge::app {

/// A page that can be opened for every name that `--open` takes (pageNames()), with rows stored for those that show
/// some. A name that is new there has no page here, and the tests that go round all of them say so.
inline QMap<QString, QString> everyPage(Workplace& place)
{
    const auto text = [](const std::string& value) { return QString::fromStdString(value); };
    const std::string artifact = place.storeArtifact();
    const auto runs = place.context->store()->runs({});
    if (!runs || runs->size() < 2)
        qFatal("no runs");
    const QString first = text(runs->at(0).id), second = text(runs->at(1).id);
    const auto bundle = readFile(*dataFolder() / "assets/samples/class/assignment.ridgeclass");
    const auto accepted = classroom::acceptAssignment(homeFolder(), *bundle, "sample");
    classroom::NewAssignment wanted;
    wanted.name = "every";
    const auto adopted = classroom::adoptAssignment(homeFolder(), wanted, *bundle, "sample");
    if (!accepted || !adopted)
        qFatal("no class");
    place.context->feedback().reload();
    QMap<QString, QString> pages;
    for (const char* own : {"home",          "learn",   "catalogue",       "gallery", "explorer",  "stack",
                            "parity",        "lab",     "kernel",          "runs",    "compare",   "portfolio",
                            "portfolio/new", "journal", "assemble/sample", "review",  "insight",   "placement",
                            "paths",         "data",    "doctor",          "class",   "class/new", "class/sample"})
        pages[QLatin1String(own)] = QLatin1String(own);
    const std::array<std::pair<const char*, QString>, 17> parts = {
        {{"module/<number>", QStringLiteral("module/1")},
         {"lesson/<id>", QStringLiteral("lesson/2.4")},
         {"catalogue/<chip>,<chip>", QStringLiteral("catalogue/h100-sxm,h200-sxm")},
         {"explorer/<model>", QStringLiteral("explorer/llama-3-8b")},
         {"stack/<stop>", QStringLiteral("stack/kernel")},
         {"parity/<set>,<set>", QStringLiteral("parity/gemm-a100-bf16,gemm-h200-bf16")},
         {"lab/<experiment>", QStringLiteral("lab/coalescing")},
         {"kernel/<name>", QStringLiteral("kernel/new")},
         {"runs/<run>", QStringLiteral("runs/") + first},
         {"compare/<key>,<key>", QStringLiteral("compare/run:%1,run:%2").arg(first, second)},
         {"assemble/<template>", QStringLiteral("assemble/job")},
         {"artifact/<id>", QStringLiteral("artifact/") + text(artifact)},
         {"assignment/<id>", QStringLiteral("assignment/") + text(accepted->id)},
         {"review/<set>", QStringLiteral("review/bottleneck")},
         {"paths/<part>", QStringLiteral("paths/prerequisites")},
         {"class/<name>", QStringLiteral("class/every")},
         {"class/<name>#live", QStringLiteral("class/every#live")}}};
    for (const auto& [name, page] : parts)
        pages[QLatin1String(name)] = page;
    for (const QString& name : pageNames())
        if (!pages.contains(name))
            qFatal("no page for %s", qPrintable(name));
    return pages;
}

} // namespace ridge::app
