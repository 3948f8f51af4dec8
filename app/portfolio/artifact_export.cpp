// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/artifact_bundle.h"

#include "app/charts/sweep_chart.h"
#include "app/runs/run_data.h"
#include "base/hash.h"
#include "base/units.h"

#include <QBuffer>
#include <QImage>
#include <algorithm>

namespace ridge::app {
namespace {

/// A name that every file system takes.
std::string fileName(const std::string& title)
{
    std::string name;
    for (const char c : title) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (plain)
            name += c;
        else if (c >= 'A' && c <= 'Z')
            name += static_cast<char>(c - 'A' + 'a');
        else if (!name.empty() && name.back() != '-')
            name += '-';
        if (name.size() >= 48)
            break;
    }
    while (!name.empty() && name.back() == '-')
        name.pop_back();
    return name.empty() ? "artifact" : name;
}

class FolderWriter {
public:
    explicit FolderWriter(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    Result<void> create() const
    {
        std::error_code failed;
        std::filesystem::create_directories(m_folder, failed);
        if (failed)
            return Error{"cannot-write", "The export folder cannot be made: " + failed.message() + ".",
                         m_folder.string(), "Choose a folder you may write to."};
        return {};
    }

    Result<void> add(const std::string& name, std::string_view bytes)
    {
        const std::filesystem::path path = m_folder / name;
        std::error_code failed;
        std::filesystem::create_directories(path.parent_path(), failed);
        if (auto written = writeFile(path, bytes); !written)
            return written;
        m_files.push_back(name);
        m_sums += sha256Hex(bytes) + "  " + name + "\n";
        return {};
    }

    Result<ExportedArtifact> finish()
    {
        if (auto written = writeFile(m_folder / "SHA256SUMS", m_sums); !written)
            return written.error();
        m_files.emplace_back("SHA256SUMS");
        return ExportedArtifact{m_folder, m_files};
    }

private:
    std::filesystem::path m_folder;
    std::vector<std::string> m_files;
    std::string m_sums;
};

Json predictionToJson(const record::PredictionRow& row)
{
    return Json{
        {"id", row.id},         {"lesson", row.lesson}, {"block", row.block},           {"experiment", row.experiment},
        {"metric", row.metric}, {"unit", row.unit},     {"params", toJson(row.params)}, {"point", row.point},
        {"low", row.low},       {"high", row.high},     {"created_at", row.createdAt},  {"seq", row.seq}};
}

Json artifactToJson(const ArtifactBundle& bundle)
{
    const record::ArtifactRow& row = bundle.row;
    Json json{{"format", "ridgepoint-artifact"},
              {"format_version", 1},
              {"id", row.id},
              {"title", row.title},
              {"kind", row.kind},
              {"level", row.level},
              {"lesson", row.lesson},
              {"question", row.question},
              {"claim", row.claim},
              {"reflection", row.reflection},
              {"trust", row.trust},
              {"provenance", std::string(toText(row.provenance))},
              {"created_at", row.createdAt},
              {"charts", row.charts},
              {"fingerprint", row.fingerprint}};
    json["code"] = Json::array();
    for (const record::ArtifactCode& code : row.code)
        json["code"].push_back({{"name", code.name}, {"sha256", code.sha256}});
    json["predictions"] = Json::array();
    for (const record::PredictionRow& prediction : bundle.predictions)
        json["predictions"].push_back(predictionToJson(prediction));
    json["runs"] = runsToJson(bundle.runs)["runs"];
    return json;
}

std::string predictionLine(const record::PredictionRow& prediction, const ArtifactBundle& bundle)
{
    std::string at = parameterText(prediction.params, nullptr).toStdString();
    std::string line = "- " + prediction.metric + (at.empty() ? "" : " at " + at) + ": predicted " +
                       formatQuantity(prediction.point, prediction.unit) + " (80 % interval " +
                       formatNumber(prediction.low) + " to " + formatNumber(prediction.high) + "), ";
    if (const record::RunRow* run = answerTo(prediction, bundle.runs)) {
        const MetricValue& value = run->metrics.at(prediction.metric);
        line += "result " + formatQuantity(value.value, value.unit) + " [" + std::string(toText(value.provenance)) +
                "], run " + run->id;
    } else {
        line += "not run";
    }
    return line + ".\n";
}

std::string readme(const ArtifactBundle& bundle, const std::vector<std::string>& charts,
                   const std::vector<std::string>& notDrawn)
{
    const record::ArtifactRow& row = bundle.row;
    std::string text = "# " + row.title + "\n\n";
    text += "**Question.** " + row.question + "\n\n**Claim.** " + row.claim + "\n\n";
    if (!bundle.predictions.empty()) {
        text += "## Prediction and result\n\n";
        for (const record::PredictionRow& prediction : bundle.predictions)
            text += predictionLine(prediction, bundle);
        text += "\n";
    }
    for (const std::string& chart : charts)
        text += "![Chart of the stored runs](" + chart + ")\n\n";
    for (const std::string& missing : notDrawn)
        text += "The chart of " + missing + " is not drawn: this program does not know the experiment. Its runs are " +
                "in runs.csv.\n\n";
    text += "## Run it again\n\n```sh\n";
    for (const QString& command : rerunCommands(bundle.runs))
        text += command.toStdString() + "\n";
    text += "```\n\nEvery run is in `runs.csv`, with everything known about it in `artifact.json`. `sha256sum -c "
            "SHA256SUMS` checks that no file was changed.\n\n";
    text += "## Where the numbers come from\n\n" + std::string(toText(row.provenance)) + ". Trust " + row.trust + ": " +
            trustMeaning(row.trust) + "\n\n";
    const auto machine = readableJson(row.fingerprint);
    if (!machine.empty()) {
        text += "| Machine | |\n|---|---|\n";
        for (const auto& [name, value] : machine)
            text += "| " + name.toStdString() + " | " + value.toStdString() + " |\n";
        text += "\n";
    }
    if (!row.reflection.empty())
        text += "## Reflection\n\n" + row.reflection + "\n\n";
    text += "Shipped " + row.createdAt + (row.lesson.empty() ? "" : " in lesson " + row.lesson) +
            " with Ridgepoint. Artifact " + row.id + ".\n";
    return text;
}

Result<std::string> chartPng(const SweepChartData& data)
{
    Theme theme(nullptr, Theme::Scope::Detached);
    if (auto loaded = theme.load(QStringLiteral("light")); !loaded)
        return loaded.error();
    SweepChart chart(theme);
    chart.setData(data);
    const QImage image = chart.renderImage(QSize(960, 540), 2.0);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG"))
        return Error{"cannot-write", "The chart could not be drawn.", data.title.toStdString(), {}};
    return bytes.toStdString();
}

Result<void> addCharts(FolderWriter& writer, const ArtifactBundle& bundle, std::span<const ExperimentInfo> experiments,
                       std::vector<std::string>& drawn, std::vector<std::string>& notDrawn)
{
    if (!bundle.row.charts.is_array())
        return {};
    for (const Json& entry : bundle.row.charts) {
        if (!entry.is_object())
            continue;
        const std::string experiment = entry.value("experiment", std::string());
        const auto info = std::find_if(experiments.begin(), experiments.end(),
                                       [&](const ExperimentInfo& known) { return known.id == experiment; });
        if (info == experiments.end()) {
            notDrawn.push_back(experiment);
            continue;
        }
        std::vector<record::RunRow> runs;
        for (const record::RunRow& run : bundle.runs)
            if (run.experiment == experiment)
                runs.push_back(run);
        auto png = chartPng(chartOfRuns(runs, *info, chartSpec(*info, entry.value("chart", std::string()))));
        if (!png)
            return png.error();
        const std::string name = "chart-" + std::to_string(drawn.size() + 1) + ".png";
        if (auto written = writer.add(name, *png); !written)
            return written;
        drawn.push_back(name);
    }
    return {};
}

} // namespace

Result<ExportedArtifact> exportArtifact(const record::Store& store, const std::string& id,
                                        std::span<const ExperimentInfo> experiments,
                                        const std::filesystem::path& parent)
{
    auto bundle = loadArtifact(store, id);
    if (!bundle)
        return bundle.error();
    // The end of a UUIDv7 is its random part: two artifacts of one title never meet.
    const std::string tail = id.size() > 8 ? id.substr(id.size() - 8) : id;
    FolderWriter writer(parent / (fileName(bundle->row.title) + "-" + tail));
    if (auto made = writer.create(); !made)
        return made.error();
    std::vector<std::string> drawn;
    std::vector<std::string> notDrawn;
    if (auto added = writer.add("artifact.json", artifactToJson(*bundle).dump(2) + "\n"); !added)
        return added.error();
    if (auto added = writer.add("runs.csv", runsToCsv(bundle->runs).toStdString()); !added)
        return added.error();
    if (auto added = addCharts(writer, *bundle, experiments, drawn, notDrawn); !added)
        return added.error();
    for (const record::ArtifactCode& code : bundle->row.code) {
        auto bytes = store.file(code.sha256);
        if (!bytes)
            return bytes.error();
        const std::string name = std::filesystem::path(code.name).filename().string();
        if (auto added = writer.add("code/" + name, *bytes); !added)
            return added.error();
    }
    if (auto added = writer.add("README.md", readme(*bundle, drawn, notDrawn)); !added)
        return added.error();
    return writer.finish();
}

} // namespace ridge::app
