// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/manifest.h"

#include "base/hash.h"
#include "base/json.h"
#include "portfolio/html_markup.h"

#include <algorithm>

namespace ridge::folio {
namespace {

/// What escaped() would not let through on a page has no place in a document for programs either.
std::string clean(const std::string& text)
{
    try {
        return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
    } catch (const Json::exception&) {
        return {};
    }
}

Json predictionOf(const PredictionPart& part, const std::string& chart)
{
    Json json{{"metric", clean(part.metric)},
              {"at", clean(part.setting)},
              {"unit", clean(part.figure.unit)},
              {"point", part.figure.point},
              {"low", part.figure.low},
              {"high", part.figure.high},
              {"result", nullptr},
              {"factor", nullptr},
              {"provenance", toText(part.figure.provenance)},
              {"chart", chart}};
    if (part.figure.result)
        json["result"] = *part.figure.result;
    if (const auto factor = factorOf(part.figure))
        json["factor"] = *factor;
    return json;
}

Json filesOf(const std::vector<FilePart>& parts)
{
    Json list = Json::array();
    for (const FilePart& part : parts)
        list.push_back(Json{{"file", part.name}, {"title", clean(part.title)}, {"redacted", part.redacted}});
    return list;
}

} // namespace

Json artifactOf(const ArtifactPart& part)
{
    Json json{
        {"id", part.id},
        {"page", "artifacts/" + part.slug + "/index.html"},
        {"title", clean(part.title)},
        {"lesson", clean(part.lesson)},
        {"lesson_title", clean(part.lessonTitle)},
        {"kind", clean(part.kind)},
        {"level", part.level},
        {"made", part.time},
        {"question", clean(part.question)},
        {"claim", clean(part.claim)},
        {"provenance", toText(part.provenance)},
        {"machine", clean(part.machine)},
        {"trust", Json{{"level", part.trust.level}, {"meaning", part.trust.meaning}, {"why", clean(part.trust.why)}}},
        {"held", part.held},
        {"runs", part.runs.size()},
        {"predictions", Json::array()},
        {"notes", Json::array()},
        {"charts", Json::array()},
        {"commands", Json::array()},
        {"data", part.data.name.empty() ? Json() : Json(part.data.name)},
        {"code", filesOf(part.code)},
        {"files", filesOf(part.files)}};
    for (std::size_t i = 0; i < part.predictions.size(); ++i)
        json["predictions"].push_back(
            predictionOf(part.predictions[i], "charts/" + part.slug + "-prediction-" + std::to_string(i + 1) + ".svg"));
    for (const FigurePart& figure : part.figures)
        json["charts"].push_back(Json{{"file", "charts/" + part.slug + "-" + figure.name + ".svg"},
                                      {"title", clean(figure.figure.title)},
                                      {"summary", clean(sentenceOf(figure.figure))}});
    for (const NotePart& note : part.notes)
        json["notes"].push_back(Json{{"section", clean(note.section)},
                                     {"quote", clean(note.quote)},
                                     {"text", clean(note.text)},
                                     {"made", note.time}});
    for (const std::string& command : part.commands)
        json["commands"].push_back(clean(command));
    return json;
}

std::string makerOf(const std::string& catalogue, const Style& style)
{
    return sha256Hex(std::string(RIDGE_VERSION) + "\n" + catalogue + "\n" + style.page + "\n" + style.chart);
}

Json manifestOf(const PortfolioDocument& document, const Style& style, const std::vector<OutFile>& files)
{
    Json shown = Json::array(), hidden = Json::array();
    for (const DetailText& text : detailTexts())
        (document.shown.contains(text.detail) ? shown : hidden).push_back(text.key);
    Json columns = Json::array();
    for (const std::string& column : document.redactedColumns)
        columns.push_back(column);
    Json json{
        {"format", kManifestFormat},
        {"version", kManifestVersion},
        {"schema", kSchemaFile},
        {"generator", "Ridgepoint " RIDGE_VERSION},
        {"maker", makerOf(document.catalogue, style)},
        {"template", keyOf(document.style)},
        {"title", clean(document.title)},
        {"intro", clean(document.intro)},
        {"author", document.author.empty() ? Json() : Json(clean(document.author))},
        {"contact", document.contact.empty() ? Json() : Json(clean(document.contact))},
        {"course", clean(document.course)},
        {"made", document.made},
        {"privacy", Json{{"shown", shown}, {"left_out", hidden}}},
        {"rows", Json{{"file", "rows.jsonl"},
                      {"count", document.rowCount},
                      {"redacted", document.redactedRows},
                      {"columns", columns},
                      {"verification",
                       document.redactedRows > 0
                           ? "Details were taken out of these rows, so the digests of the record cannot hold. Each "
                             "line has a digest over itself and over the line before it, made on export: it shows "
                             "changes since then, not whether the record was changed before."
                           : "As the record wrote them: each digest is over the row, each row names the digest of "
                             "the one before it in its record."}}},
        {"artifacts", Json::array()},
        {"files", Json::array()}};
    for (const ArtifactPart& part : document.artifacts)
        json["artifacts"].push_back(artifactOf(part));
    std::vector<const OutFile*> sorted;
    for (const OutFile& file : files)
        sorted.push_back(&file);
    std::sort(sorted.begin(), sorted.end(), [](const OutFile* a, const OutFile* b) { return a->name < b->name; });
    for (const OutFile* file : sorted)
        json["files"].push_back(
            Json{{"name", file->name}, {"bytes", file->bytes.size()}, {"sha256", sha256Hex(file->bytes)}});
    return json;
}

} // namespace ridge::folio
