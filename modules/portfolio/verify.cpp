// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/verify.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/json_guard.h"
#include "portfolio/json_schema.h"
#include "portfolio/manifest.h"
#include "portfolio/safe_markup.h"

#include <algorithm>
#include <map>
#include <set>

namespace ridge::folio {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 256u << 20;
constexpr std::size_t kMostFindings = 200;
constexpr const char* kFix = "Ask the author for the portfolio as it was exported.";

/// A path of the portfolio: relative, '/' between names, none of them ".." or hidden.
bool plainName(const std::string& name)
{
    if (name.empty() || name.front() == '/' || name.find('\\') != std::string::npos || name.size() > 512)
        return false;
    for (const fs::path& part : fs::path(name))
        if (part.empty() || part.string().front() == '.')
            return false;
    return std::none_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

class Verifier {
public:
    Verifier(const fs::path& folder, const fs::path& data, std::span<const ExperimentInfo> experiments)
        : m_data(data), m_experiments(experiments)
    {
        m_report.folder = folder;
    }

    VerifyReport run()
    {
        readFolder();
        checkSums();
        checkManifest();
        for (const auto& [name, bytes] : m_files)
            checkPage(name, bytes);
        for (const auto& [name, links] : m_links)
            for (const MarkupReport::Link& link : links)
                checkLink(name, link);
        m_report.files = m_files.size();
        m_report.pdf = m_files.contains("portfolio.pdf");
        if (m_report.findings.size() > kMostFindings)
            m_report.findings.resize(kMostFindings);
        return std::move(m_report);
    }

private:
    void find(const char* code, const std::string& message, const std::string& place, const char* fix = kFix)
    {
        if (m_report.findings.size() < kMostFindings)
            m_report.findings.push_back({code, message, place, fix});
    }
    static std::string at(const std::string& file, int line) { return file + ":" + std::to_string(line); }

    void readFolder()
    {
        std::error_code ec;
        for (fs::recursive_directory_iterator it(m_report.folder, ec), end; !ec && it != end; it.increment(ec)) {
            const std::string name = it->path().lexically_relative(m_report.folder).generic_string();
            const auto status = it->symlink_status(ec);
            if (fs::is_directory(status))
                continue;
            if (!fs::is_regular_file(status)) {
                find("link", "It is a link or no file, and may lead anywhere.", name);
                continue;
            }
            if (it->file_size(ec) > kLargestFile) {
                find("file-large", "The file is larger than 256 MiB.", name);
                continue;
            }
            auto bytes = readFile(it->path());
            if (bytes)
                m_files[name] = std::move(*bytes);
            else
                m_report.findings.push_back(bytes.error());
        }
        if (ec)
            find("link", "The folder cannot be read: " + ec.message() + ".", m_report.folder.string());
    }

    void checkSums()
    {
        const auto sums = m_files.find("SHA256SUMS");
        if (sums == m_files.end())
            return find("sums-missing", "There is no SHA256SUMS, so nothing says what the files must be.",
                        "SHA256SUMS");
        std::set<std::string> listed;
        std::string_view rest = sums->second;
        for (int line = 1; !rest.empty(); ++line) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            const std::string text(rest.substr(0, end));
            rest = rest.substr(std::min(end + 1, rest.size()));
            const std::string hash = text.substr(0, 64);
            const bool form = text.size() > 66 && text.compare(64, 2, "  ") == 0 &&
                              hash.find_first_not_of("0123456789abcdef") == std::string::npos;
            const std::string name = form ? text.substr(66) : std::string();
            if (!form || !plainName(name)) {
                find("sums-format", "The line is not a SHA-256, two blanks and a file of this folder.",
                     at("SHA256SUMS", line));
                continue;
            }
            if (!listed.insert(name).second)
                find("sums-format", name + " stands twice.", at("SHA256SUMS", line));
            const auto file = m_files.find(name);
            if (file == m_files.end())
                find("sums-missing", name + " is listed and not there.", at("SHA256SUMS", line));
            else if (sha256Hex(file->second) != hash)
                find("sums-wrong", name + " is not the file that was exported.", at("SHA256SUMS", line));
            m_sums[name] = hash;
        }
        for (const auto& [name, bytes] : m_files)
            if (name != "SHA256SUMS" && !listed.contains(name))
                find("unlisted-file", "The file is in the folder and not in SHA256SUMS.", name);
    }

    void checkManifest()
    {
        const auto file = m_files.find("manifest.json");
        if (file == m_files.end())
            return find("manifest-format", "There is no manifest.json.", "manifest.json");
        const std::string& text = file->second;
        const auto manifest = parseUntrustedJson(text, 32, "manifest.json");
        if (!manifest) {
            m_report.findings.push_back(manifest.error());
            return;
        }
        const auto schemaText = readFile(m_data / "assets/schemas" / kSchemaFile);
        const auto schema = schemaText ? parseJson(*schemaText, kSchemaFile) : Result<Json>(schemaText.error());
        if (!schema) {
            m_report.findings.push_back(schema.error());
            return;
        }
        // Its own copy of the schema is for other tools; what counts is the one that came with this program.
        const auto faults = checkSchema(*manifest, *schema);
        for (const SchemaFault& fault : faults)
            find("manifest-schema",
                 (fault.pointer.empty() ? "The manifest" : fault.pointer) + ": " + fault.message + ".",
                 at("manifest.json", lineOfPointer(text, fault.pointer)));
        if (!faults.empty())
            return;
        m_report.artifacts = (*manifest)["artifacts"].size();
        const Json& rows = (*manifest)["rows"];
        m_report.redactedRows = rows["redacted"].get<std::size_t>();
        if (const auto lines = m_files.find("rows.jsonl"); lines != m_files.end()) {
            const std::size_t before = m_report.findings.size();
            m_report.rows = verifyRows(lines->second, m_report.redactedRows > 0, m_report.findings);
            // What the rows say counts only where they hang together.
            if (m_report.findings.size() == before)
                checkContent(m_files, *manifest, m_experiments, m_data, m_report);
            if (m_report.rows != rows["count"].get<std::size_t>())
                find("rows-redacted",
                     "The manifest tells of " + rows["count"].dump() + " rows, rows.jsonl has " +
                         std::to_string(m_report.rows) + ".",
                     at("manifest.json", lineOfPointer(text, "/rows/count")));
        } else {
            find("manifest-file", "There is no rows.jsonl.", at("manifest.json", lineOfPointer(text, "/rows/file")));
        }
        checkManifestFiles(*manifest, text);
    }

    void checkManifestFiles(const Json& manifest, const std::string& text)
    {
        std::set<std::string> named = {"manifest.json", "SHA256SUMS", "portfolio.pdf"};
        for (std::size_t i = 0; i < manifest["files"].size(); ++i) {
            const Json& entry = manifest["files"][i];
            const std::string name = entry["name"].get<std::string>();
            const std::string place = at("manifest.json", lineOfPointer(text, "/files/" + std::to_string(i)));
            named.insert(name);
            const auto file = m_files.find(name);
            if (!plainName(name) || file == m_files.end())
                find("manifest-file", name + " is not there.", place);
            else if (file->second.size() != entry["bytes"].get<std::size_t>() ||
                     sha256Hex(file->second) != entry["sha256"].get<std::string>())
                find("manifest-file", name + " is not the file that the manifest describes.", place);
        }
        for (const auto& [name, bytes] : m_files)
            if (!named.contains(name))
                find("manifest-file", name + " is in the folder and not in the manifest.", "manifest.json");
        for (std::size_t i = 0; i < manifest["artifacts"].size(); ++i) {
            const Json& artifact = manifest["artifacts"][i];
            std::vector<std::string> wanted = {artifact["page"].get<std::string>()};
            if (artifact["data"].is_string())
                wanted.push_back(artifact["data"].get<std::string>());
            for (const char* list : {"charts", "code", "files"})
                for (const Json& item : artifact[list])
                    wanted.push_back(item["file"].get<std::string>());
            for (const Json& item : artifact["predictions"])
                wanted.push_back(item["chart"].get<std::string>());
            for (const std::string& name : wanted)
                if (!m_files.contains(name))
                    find("manifest-file", "The artifact's " + name + " is not there.",
                         at("manifest.json", lineOfPointer(text, "/artifacts/" + std::to_string(i))));
        }
    }

    void checkPage(const std::string& name, const std::string& bytes)
    {
        // Files of the learner are given away as they are; a browser must not take one for a page.
        const bool own = name.starts_with("code/") || name.starts_with("files/");
        if (name.ends_with(".css") && !own) {
            for (const MarkupFault& fault : checkStylesheet(bytes))
                find("unsafe-markup", "Not allowed: " + fault.message + ".", at(name, fault.line));
            return;
        }
        const bool svg = name.ends_with(".svg");
        const bool page = name.ends_with(".html") || name.ends_with(".htm") || name.ends_with(".xhtml");
        if (!svg && !page)
            return;
        if (own)
            return find("unsafe-markup", "A file beside an artifact that a browser would run as a page.", name,
                        "Give it another ending, .txt for example, and export again.");
        MarkupReport report = checkMarkup(bytes, svg);
        for (const MarkupFault& fault : report.faults)
            if (fault.drawing)
                find("chart-torn", "A chart that cannot be drawn: " + fault.message + ".", at(name, fault.line));
            else
                find("unsafe-markup", "Not allowed: " + fault.message + ".", at(name, fault.line));
        m_ids[name] = std::move(report.ids);
        m_links[name] = std::move(report.links);
    }

    void checkLink(const std::string& page, const MarkupReport::Link& link)
    {
        const std::size_t hash = link.target.find('#');
        const std::string path = link.target.substr(0, hash);
        std::string target = page;
        if (!path.empty())
            target = (fs::path(page).parent_path() / path).lexically_normal().generic_string();
        if (!m_files.contains(target))
            return find("broken-link", "The link to " + link.target + " leads nowhere.", at(page, link.line));
        if (hash == std::string::npos)
            return;
        const auto ids = m_ids.find(target);
        if (ids == m_ids.end() || !ids->second.contains(link.target.substr(hash + 1)))
            find("broken-link", "There is no place " + link.target.substr(hash) + ".", at(page, link.line));
    }

    fs::path m_data;
    std::span<const ExperimentInfo> m_experiments;
    VerifyReport m_report;
    std::map<std::string, std::string> m_files, m_sums;
    std::map<std::string, std::set<std::string>> m_ids;
    std::map<std::string, std::vector<MarkupReport::Link>> m_links;
};

} // namespace

Result<VerifyReport> verifyPortfolio(const fs::path& folder, const fs::path& data,
                                     std::span<const ExperimentInfo> experiments)
{
    std::error_code ec;
    if (!fs::is_directory(folder, ec) ||
        (!fs::exists(folder / "SHA256SUMS", ec) && !fs::exists(folder / "manifest.json", ec)))
        return Error{"not-a-portfolio", "There is no portfolio here: neither SHA256SUMS nor manifest.json.",
                     folder.string(), "Name the folder that holds index.html and manifest.json."};
    return Verifier(folder, data, experiments).run();
}

} // namespace ridge::folio
