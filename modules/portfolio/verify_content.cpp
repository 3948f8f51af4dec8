// SPDX-License-Identifier: GPL-3.0-or-later
// A portfolio beside its own rows: everything that follows from them is made again and compared.
#include "base/hash.h"
#include "base/json.h"
#include "portfolio/html_markup.h"
#include "portfolio/json_schema.h"
#include "portfolio/manifest.h"
#include "portfolio/portfolio_source.h"
#include "portfolio/verify.h"
#include "record/graded_kernel.h"
#include "record/line_rows.h"
#include "record/trust.h"

#include <algorithm>

namespace ridge::folio {
namespace {

constexpr const char* kFix = "Ask the author for the portfolio as it was exported.";
constexpr std::size_t kLongestQuote = 90;

using Files = std::map<std::string, std::string>;

std::string quoted(std::string text)
{
    if (text.size() > kLongestQuote) {
        std::size_t end = kLongestQuote;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
            --end; // a letter of several bytes goes as a whole
        text = text.substr(0, end) + "…";
    }
    return "\"" + text + "\"";
}

std::string textOf(const Json& value)
{
    return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool isOwn(const std::string& name)
{
    return name.starts_with("code/") || name.starts_with("files/");
}

/// Nothing is taken out of rows that lost their details before.
Shown everything()
{
    Shown all;
    for (const DetailText& text : detailTexts())
        all.insert(text.detail);
    return all;
}

/// The level that rows give reason for; a record may have given less, where digests of its own did not hold.
record::TrustLevel mostTrust(const record::ArtifactRow& row, const std::vector<record::RunRow>& runs,
                             const std::vector<record::ReproductionRow>& repeated)
{
    using record::TrustLevel;
    const bool graded = record::isGradedKernel(row);
    std::set<std::string> own = {row.origin};
    bool finished = false;
    for (const record::RunRow& run : runs) {
        if (run.provenance == Provenance::Recorded)
            return TrustLevel::T0;
        finished = finished || run.status == "finished";
        if (run.status == "finished")
            own.insert(run.origin);
    }
    if (!finished && !graded)
        return TrustLevel::T0;
    TrustLevel most = TrustLevel::T1;
    for (const record::ReproductionRow& one : repeated)
        if (!own.contains(one.origin) && one.verdict != "not reproduced")
            most = std::max(most, one.verdict == "different hardware" ? TrustLevel::T3 : TrustLevel::T2);
    return most;
}

class ContentCheck {
public:
    ContentCheck(const Files& files, const Json& manifest, std::span<const ExperimentInfo> experiments,
                 VerifyReport& report)
        : m_files(files), m_manifest(manifest), m_experiments(experiments), m_report(report),
          m_text(files.at("manifest.json"))
    {
    }

    void run(const std::filesystem::path& data)
    {
        auto rows = record::rowsOfLines(m_files.at("rows.jsonl"));
        if (!rows)
            return find(rows.error().code.c_str(), rows.error().message + ".", rows.error().place);
        m_rows = std::move(*rows);
        const auto style = loadStyle(data);
        if (!style)
            return m_report.findings.push_back(style.error());
        const std::string catalogue =
            sha256Hex(catalogueToJson(m_experiments).dump(-1, ' ', false, Json::error_handler_t::replace));
        if (m_experiments.empty())
            m_report.pagesOpen = "the experiments are not known here (ridge doctor says why).";
        else if (m_manifest.value("maker", std::string()) != makerOf(catalogue, *style))
            m_report.pagesOpen = "they were made by another version of the program (" +
                                 m_manifest["generator"].get<std::string>() + ", or another build of it).";
        m_same = m_report.pagesOpen.empty();
        fillSource();
        const std::size_t before = m_report.findings.size();
        checkArtifacts();
        checkStrangers();
        m_report.compared = true;
        if (m_same && m_report.held > 0)
            m_report.pagesOpen = "a feedback policy held back a part of what the pages would say.";
        if (m_report.pagesOpen.empty() && m_report.findings.size() == before)
            checkPages(*style);
    }

private:
    void find(const char* code, const std::string& message, const std::string& place)
    {
        m_report.findings.push_back({code, message, place, kFix});
    }
    std::string inManifest(const std::string& pointer) const
    {
        return "manifest.json:" + std::to_string(lineOfPointer(m_text, pointer));
    }
    static std::string pointerOf(std::size_t artifact, const std::string& rest)
    {
        return "/artifacts/" + std::to_string(artifact) + rest;
    }

    void fillSource()
    {
        for (const record::PredictionRow& row : m_rows.predictions)
            m_source.predictions[row.id] = row;
        for (const record::JournalRow& row : m_rows.journal)
            m_source.journal[row.entryId.empty() ? row.id : row.entryId] = row;
        for (const record::ReproductionRow& row : m_rows.reproductions)
            m_source.reproductions[row.artifactId].push_back(row);
        for (const record::ReasonRow& row : m_rows.reasons)
            m_reasons.try_emplace(row.predictionId, row);
        for (const record::RunRow& row : m_rows.runs)
            m_runs[row.id] = &row;
        for (const auto& [name, bytes] : m_files)
            if (isOwn(name))
                m_bySum[sha256Hex(bytes)] = &bytes;
        m_source.runs = [this](const std::vector<std::string>& ids) -> Result<std::vector<record::RunRow>> {
            return runsOf(ids);
        };
        m_source.reason = [this](const std::string& id) -> Result<std::optional<record::ReasonRow>> {
            const auto found = m_reasons.find(id);
            return found == m_reasons.end() ? std::optional<record::ReasonRow>() : found->second;
        };
        m_source.notes = [](const std::string&) {
            return Result<std::vector<record::NoteRow>>(std::vector<record::NoteRow>());
        };
        m_source.file = [this](const std::string& sha256) -> Result<std::string> {
            const auto found = m_bySum.find(sha256);
            if (found != m_bySum.end())
                return *found->second;
            return Error{"rows-differ",
                         "The rows name a file with the SHA-256 " + sha256.substr(0, 12) +
                             "…, and none below code/ and files/ has it: one was changed or taken out.",
                         {},
                         kFix};
        };
        m_source.trust = [](const record::ArtifactRow&) -> Result<TrustPart> { return TrustPart{}; };
        m_source.place = [this](const std::string& id, const std::string&, std::int64_t) {
            const auto found = m_rows.lineOf.find(id);
            return PortfolioSource::Place{{},
                                          found == m_rows.lineOf.end() ? 0 : static_cast<std::int64_t>(found->second)};
        };
    }

    std::vector<record::RunRow> runsOf(const std::vector<std::string>& ids) const
    {
        std::vector<record::RunRow> runs;
        for (const std::string& id : ids)
            if (const auto found = m_runs.find(id); found != m_runs.end())
                runs.push_back(*found->second);
        return runs;
    }

    /// The newest version; lines of one record are in its order.
    const record::ArtifactRow* rowOf(const std::string& artifactId) const
    {
        const record::ArtifactRow* newest = nullptr;
        for (const record::ArtifactRow& row : m_rows.artifacts)
            if (row.artifactId == artifactId && (!newest || m_rows.lineOf.at(row.id) > m_rows.lineOf.at(newest->id)))
                newest = &row;
        return newest;
    }

    void checkArtifacts()
    {
        const Json& list = m_manifest["artifacts"];
        std::map<std::string, std::string> lessons;
        for (const Json& entry : list)
            lessons[entry["lesson"].get<std::string>()] = entry.value("lesson_title", std::string());
        Redactor redactor({}, everything());
        const record::Withholding nothing;
        PortfolioMaker maker{m_source, m_experiments, [&lessons](const std::string& lesson) { return lessons[lesson]; },
                             redactor, nothing};
        std::set<std::string> told;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string id = list[i]["id"].get<std::string>();
            const record::ArtifactRow* row = rowOf(id);
            if (!told.insert(id).second || !row) {
                find("rows-differ",
                     row ? "The artifact " + id + " is told of twice." : "No row is of the artifact " + id + ".",
                     inManifest(pointerOf(i, "")));
                continue;
            }
            auto part = artifactPartOf(maker, *row);
            if (!part) {
                find("rows-differ", part.error().message, inManifest(pointerOf(i, "/code")));
                continue;
            }
            fromManifest(list[i], *part);
            checkTrust(i, *row, *part);
            checkEntry(i, artifactOf(*part));
            checkTable(*part);
            if (!m_same)
                checkHead(*part);
            m_told.insert(row->journalIds.begin(), row->journalIds.end());
            m_parts.push_back(std::move(*part));
        }
        for (const record::ArtifactRow& row : m_rows.artifacts)
            if (!told.contains(row.artifactId))
                find("rows-differ",
                     "The rows have an artifact that the manifest does not tell of: " + quoted(row.title) + ".",
                     "rows.jsonl:" + std::to_string(m_rows.lineOf.at(row.id)));
    }

    /// What no row has.
    void fromManifest(const Json& entry, ArtifactPart& part)
    {
        part.held = entry.value("held", false);
        m_report.held += part.held ? 1 : 0;
        const Json& trust = entry["trust"];
        part.trust = {trust["level"].get<std::string>(), trust["meaning"].get<std::string>(),
                      trust["why"].get<std::string>()};
        m_report.reproduced += part.trust.level == "T2" || part.trust.level == "T3" ? 1 : 0;
        for (const Json& note : entry.value("notes", Json::array()))
            part.notes.push_back({note["section"].get<std::string>(), note["quote"].get<std::string>(),
                                  note["text"].get<std::string>(), note["made"].get<std::string>()});
        const auto redacted = [&entry](const char* key, std::vector<FilePart>& files) {
            for (const Json& file : entry[key])
                for (FilePart& one : files)
                    if (one.name == file["file"].get<std::string>())
                        one.redacted = file["redacted"].get<bool>();
        };
        redacted("code", part.code);
        redacted("files", part.files);
    }

    void checkTrust(std::size_t i, const record::ArtifactRow& row, const ArtifactPart& part)
    {
        if (part.trust.level.empty()) {
            if (!part.held)
                find("rows-differ", "The artifact has no trust level, and nothing says that one is held back.",
                     inManifest(pointerOf(i, "/trust")));
            return;
        }
        const auto runs = runsOf(row.runIds);
        const auto repeated = m_source.reproductions.find(row.artifactId);
        const auto most = mostTrust(row, runs,
                                    repeated == m_source.reproductions.end() ? std::vector<record::ReproductionRow>()
                                                                             : repeated->second);
        if (part.trust.level > record::toText(most))
            find("rows-differ",
                 "The manifest says trust " + part.trust.level + ", the rows give reason for " +
                     std::string(record::toText(most)) + " at most.",
                 inManifest(pointerOf(i, "/trust/level")));
        if (m_same && part.trust.meaning != trustMeaning(part.trust.level))
            find("rows-differ", "Trust " + part.trust.level + " does not mean " + quoted(part.trust.meaning) + ".",
                 inManifest(pointerOf(i, "/trust/meaning")));
        std::vector<record::RunRow> finished;
        for (const record::RunRow& run : runs)
            if (run.status == "finished")
                finished.push_back(run);
        if (m_same && part.trust.level == "T1" && !part.graded && !finished.empty())
            differ(pointerOf(i, "/trust/why"), part.trust.why, record::whyFirstHand(finished));
    }

    void differ(const std::string& pointer, const Json& given, const Json& wanted)
    {
        if (given != wanted)
            find("rows-differ",
                 pointer.substr(pointer.rfind('/') + 1) + " is " + quoted(textOf(given)) + ", the rows say " +
                     quoted(textOf(wanted)) + ".",
                 inManifest(pointer));
    }

    /// Words of experiments and of the program are those of its version; what rows have themselves never changes.
    void checkEntry(std::size_t i, const Json& wanted)
    {
        const Json& given = m_manifest["artifacts"][i];
        for (const auto& [key, value] : wanted.items()) {
            static const std::set<std::string> lists = {"predictions", "charts", "notes", "trust", "held"};
            static const std::set<std::string> words = {"machine", "commands", "lesson_title"};
            if (lists.contains(key) || (words.contains(key) && !m_same))
                continue;
            differ(pointerOf(i, "/" + key), given.value(key, Json()), value);
        }
        checkList(i, "predictions", given["predictions"], wanted["predictions"], {"metric", "at"});
        if (m_same)
            checkList(i, "charts", given["charts"], wanted["charts"], {});
    }
    void checkList(std::size_t i, const std::string& name, const Json& given, const Json& wanted,
                   const std::set<std::string>& words)
    {
        const bool held = m_manifest["artifacts"][i].value("held", false);
        if (held && name == "charts")
            return;
        if (given.size() != wanted.size())
            return find("rows-differ",
                        "The manifest has " + std::to_string(given.size()) + " " + name + ", the rows make " +
                            std::to_string(wanted.size()) + ".",
                        inManifest(pointerOf(i, "/" + name)));
        for (std::size_t n = 0; n < wanted.size(); ++n)
            for (const auto& [key, value] : wanted[n].items()) {
                const Json said = given[n].value(key, Json());
                const bool back = held && given[n].value("result", Json()).is_null() &&
                                  (key == "result" || key == "factor" || key == "provenance");
                if (!(words.contains(key) && !m_same) && !back)
                    differ(pointerOf(i, "/" + name + "/" + std::to_string(n) + "/" + key), said, value);
            }
    }

    /// Of a page that is not made again, what a reader sees first: claim, provenance, trust.
    void checkHead(const ArtifactPart& part)
    {
        const std::string name = "artifacts/" + part.slug + "/index.html";
        const auto page = m_files.find(name);
        if (page == m_files.end())
            return;
        if (page->second.find(escaped(plainText(part.claim))) == std::string::npos)
            find("page-differs", "The page lacks the claim of the rows: " + quoted(part.claim) + ".", name);
        if (page->second.find(html::badges(part)) == std::string::npos)
            find("page-differs", "The page gives another provenance, trust, kind or level than the rows.", name);
    }

    /// Names the line of the first cell that is another.
    void checkTable(const ArtifactPart& part)
    {
        if (part.data.name.empty())
            return;
        m_expected.insert(part.data.name);
        if (const auto file = m_files.find(part.data.name); file != m_files.end())
            compareText("rows-differ", part.data.name, file->second, part.data.bytes);
    }

    void compareText(const char* code, const std::string& name, std::string_view given, std::string_view wanted)
    {
        if (given == wanted)
            return;
        const auto cut = [](std::string_view& text) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const std::string_view line = text.substr(0, end);
            text.remove_prefix(std::min(end + 1, text.size()));
            return line;
        };
        int line = 0;
        std::string_view here, there;
        do {
            ++line;
            here = cut(given);
            there = cut(wanted);
        } while (here == there && !(given.empty() && wanted.empty()));
        // Some words around the place.
        const auto same = static_cast<std::size_t>(std::ranges::mismatch(here, there).in1 - here.begin());
        std::size_t from = same > 30 ? same - 30 : 0;
        while (from > 0 && from < here.size() && (static_cast<unsigned char>(here[from]) & 0xC0) == 0x80)
            --from;
        find(code,
             "It says " + quoted(std::string(here.substr(std::min(from, here.size())))) + " where the rows make " +
                 quoted(std::string(there.substr(std::min(from, there.size())))) + ".",
             name + ":" + std::to_string(line));
    }

    /// Files in the folders of data and code of which no row speaks.
    void checkStrangers()
    {
        for (const ArtifactPart& part : m_parts)
            for (const std::vector<FilePart>* files : {&part.code, &part.files})
                for (const FilePart& file : *files) {
                    m_expected.insert(file.name);
                    if (const auto here = m_files.find(file.name); here != m_files.end() && here->second != file.bytes)
                        find("rows-differ", "It is not the file that the rows name by its SHA-256.", file.name);
                }
        for (const auto& [name, bytes] : m_files)
            if ((isOwn(name) || name.starts_with("data/")) && !m_expected.contains(name))
                find("rows-differ", "No row speaks of this file.", name);
    }

    void checkPages(const Style& style)
    {
        PortfolioDocument document;
        const auto text = [this](const char* key) {
            const Json value = m_manifest.value(key, Json());
            return value.is_string() ? value.get<std::string>() : std::string();
        };
        document.style = templateFromKey(text("template")).value_or(Template::Job);
        document.title = text("title");
        document.intro = text("intro");
        document.author = text("author");
        document.contact = text("contact");
        document.course = text("course");
        document.made = text("made");
        for (const DetailText& detail : detailTexts())
            for (const Json& shown : m_manifest["privacy"]["shown"])
                if (shown == detail.key)
                    document.shown.insert(detail.detail);
        document.rowCount = m_report.rows;
        document.redactedRows = m_report.redactedRows;
        document.artifacts = std::move(m_parts);
        Redactor redactor({}, everything());
        if (document.style == Template::Notebook)
            for (const record::JournalRow* entry : journalBeside(m_source, m_told))
                document.journal.push_back(journalPartOf(redactor, *entry));
        std::set<std::string> made;
        for (const OutFile& page : siteFiles(document, style, m_files.contains("portfolio.pdf"))) {
            made.insert(page.name);
            if (const auto file = m_files.find(page.name); file == m_files.end())
                find("page-differs", "The rows make this file, and it is not there.", page.name);
            else
                compareText("page-differs", page.name, file->second, page.bytes);
        }
        for (const auto& [name, bytes] : m_files)
            if (!isOwn(name) && !made.contains(name) &&
                (name.ends_with(".html") || name.ends_with(".svg") || name.ends_with(".css")))
                find("page-differs", "The rows make no such page or chart.", name);
    }

    const Files& m_files;
    const Json& m_manifest;
    std::span<const ExperimentInfo> m_experiments;
    VerifyReport& m_report;
    const std::string& m_text;
    bool m_same = false;
    record::LineRows m_rows;
    PortfolioSource m_source;
    std::map<std::string, record::ReasonRow> m_reasons;
    std::map<std::string, const record::RunRow*> m_runs;
    std::map<std::string, const std::string*> m_bySum;
    std::vector<ArtifactPart> m_parts;
    std::set<std::string> m_told, m_expected;
};

} // namespace

void checkContent(const Files& files, const Json& manifest, std::span<const ExperimentInfo> experiments,
                  const std::filesystem::path& data, VerifyReport& report)
{
    ContentCheck(files, manifest, experiments, report).run(data);
}

} // namespace ridge::folio
