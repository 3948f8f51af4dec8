// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge artifacts` and `ridge export`.
#include "cli/commands.h"

#include "base/paths.h"
#include "classroom/withholding_policy.h"
#include "record/artifact_export.h"
#include "record/clock.h"

#include <cstdio>

namespace ridge::cli {

int artifactsCommand(bool json)
{
    std::error_code ec;
    std::vector<record::ArtifactRow> artifacts;
    if (std::filesystem::exists(homeFolder(), ec)) {
        const auto store = record::Store::openReadOnly(homeFolder());
        if (!store)
            return report(store.error());
        auto rows = (*store)->artifacts();
        if (!rows)
            return report(rows.error());
        artifacts = std::move(*rows);
    }
    if (json) {
        // A claim is filled in from runs.
        const auto policy = classroom::FeedbackPolicy::ofHome(homeFolder());
        const auto kept = policy.lessons(classroom::Outcome::Result, record::timeStamp().toStdString());
        Json list = Json::array();
        for (const record::ArtifactRow& row : artifacts)
            list.push_back(Json{{"id", row.artifactId},
                                {"lesson", row.lesson},
                                {"title", row.title},
                                {"kind", row.kind},
                                {"level", row.level},
                                {"claim", kept.contains(row.lesson) ? Json() : Json(row.claim)},
                                {"provenance", toText(row.provenance)},
                                {"trust", row.trust},
                                {"runs", row.runIds},
                                {"predictions", row.predictionIds},
                                {"created_at", row.createdAt}});
        printJson(list);
        return Done;
    }
    if (artifacts.empty()) {
        std::printf("Nothing shipped yet in %s. Finish a lesson, or try: ridge lesson run 2.4\n", homeFolder().c_str());
        return Done;
    }
    std::vector<std::vector<std::string>> rows;
    for (const record::ArtifactRow& row : artifacts)
        rows.push_back({row.artifactId, row.lesson, std::string(toText(row.provenance)), row.createdAt, row.title});
    std::printf("%s", table({"ARTIFACT", "LESSON", "PROVENANCE", "SHIPPED", "TITLE"}, rows).c_str());
    return Done;
}

int exportCommand(const std::string& artifact, const std::string& out)
{
    const auto store = record::Store::openReadOnly(homeFolder());
    if (!store)
        return report(store.error());
    const auto artifacts = (*store)->artifacts();
    if (!artifacts)
        return report(artifacts.error());
    record::ExportExtras extras;
    extras.held =
        classroom::withholdingOf(classroom::FeedbackPolicy::ofHome(homeFolder()), record::timeStamp().toStdString());
    int written = 0;
    for (const record::ArtifactRow& row : *artifacts) {
        if (!artifact.empty() && row.id != artifact && row.artifactId != artifact)
            continue;
        const auto folder =
            record::exportArtifact(**store, row.id, std::filesystem::path(out) / record::exportFolderName(row), extras);
        if (!folder)
            return report(folder.error());
        std::printf("%s\n", folder->c_str());
        ++written;
    }
    if (written == 0)
        return report({"unknown-artifact",
                       artifact.empty() ? "nothing was shipped yet" : "there is no artifact " + artifact,
                       homeFolder().string(), "list them with ridge artifacts"});
    return Done;
}

} // namespace ridge::cli
