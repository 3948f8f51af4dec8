// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/graded_kernel.h"

#include "base/json.h"
#include "record/remote/shell_words.h"

#include <algorithm>
#include <string_view>

namespace ridge::record {

bool isGradedKernel(const ArtifactRow& artifact)
{
    const Json& figures = *artifact.figures;
    return artifact.kind == "kernel" && artifact.lesson.starts_with(kGradedKernelPrefix) && artifact.runIds.empty() &&
           artifact.code.size() == 1 && figures.is_array() && !figures.empty() &&
           std::all_of(figures.begin(), figures.end(), [](const Json& figure) {
               return figure.is_object() && figure.value("source", Json()) == kGradingSource;
           });
}

std::optional<std::string> gradeCommand(const ArtifactRow& artifact, std::string file)
{
    if (!isGradedKernel(artifact))
        return std::nullopt;
    const auto word = [](const std::string& text) { return shellQuoted(QString::fromStdString(text)).toStdString(); };
    const std::string task = artifact.lesson.substr(std::string_view(kGradedKernelPrefix).size());
    std::string line =
        "ridge kernel grade " + word(file.empty() ? artifact.code.front().name : file) + " --task " + word(task);
    const Json& machine = *artifact.fingerprint;
    if (machine.is_object() && machine.value(kGradedOn, Json()).is_string())
        line += " --target " + word(machine[kGradedOn].get<std::string>());
    return line;
}

} // namespace ridge::record
