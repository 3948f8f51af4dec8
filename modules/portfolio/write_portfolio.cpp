// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/write_portfolio.h"

#include "base/hash.h"
#include "base/json.h"
#include "portfolio/manifest.h"
#include "portfolio/pdf.h"

#include <algorithm>
#include <fstream>

namespace ridge::folio {
namespace {

namespace fs = std::filesystem;

/// Shares of the time: half of it goes into laying out the PDF before there is a first page.
constexpr double kBeforePdf = 0.5, kBeforeFiles = 0.95;

Error cannotWrite(const fs::path& path, const std::string& why)
{
    return {"cannot-write", why, path.string(), "Name a new folder in a place where you may write."};
}

Result<void> writeNew(const fs::path& path, const std::string& bytes)
{
    std::error_code ec;
    fs::create_directories(path.parent_path(), ec);
    if (ec)
        return cannotWrite(path.parent_path(), "The folder cannot be made: " + ec.message() + ".");
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out)
        return cannotWrite(path, "The file cannot be written.");
    return {};
}

} // namespace

Result<WriteReport> writePortfolio(const PortfolioDocument& document, const fs::path& data, const fs::path& folder,
                                   const WriteOptions& options)
{
    const auto style = loadStyle(data);
    if (!style)
        return style.error();
    const auto schema = readFile(data / "assets/schemas" / kSchemaFile);
    if (!schema)
        return schema.error();
    const fs::path target = folder.filename().empty() ? folder.parent_path() : folder;
    std::error_code ec;
    if (fs::exists(target, ec) && (!fs::is_directory(target, ec) || !fs::is_empty(target, ec)))
        return cannotWrite(target, "It exists and is not an empty folder.");

    const auto tell = [&options](double share, const char* what) {
        if (options.progress)
            options.progress(share, what);
    };
    tell(0, "pages and charts");
    std::vector<OutFile> files = siteFiles(document, *style, options.pdf);
    files.push_back({kSchemaFile, *schema});
    files.push_back({"rows.jsonl", document.rows});
    for (const ArtifactPart& part : document.artifacts) {
        if (!part.data.name.empty())
            files.push_back({part.data.name, part.data.bytes});
        for (const FilePart& file : part.code)
            files.push_back({file.name, file.bytes});
        for (const FilePart& file : part.files)
            files.push_back({file.name, file.bytes});
    }
    const std::string manifest = manifestOf(document, *style, files).dump(2) + "\n";
    files.push_back({"manifest.json", manifest});
    if (options.pdf)
        files.push_back({"portfolio.pdf", portfolioPdf(document, *style, manifest, [&tell](int page, int all) {
                             tell(kBeforePdf + (kBeforeFiles - kBeforePdf) * page / std::max(1, all), "portfolio.pdf");
                         })});
    std::sort(files.begin(), files.end(), [](const OutFile& a, const OutFile& b) { return a.name < b.name; });
    std::string sums;
    for (const OutFile& file : files)
        sums += sha256Hex(file.bytes) + "  " + file.name + "\n";
    files.push_back({"SHA256SUMS", std::move(sums)});

    tell(kBeforeFiles, "files");
    // What an export left that was ended half-way is of no use to anybody.
    const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
    const fs::path partial = parent / ("." + target.filename().string() + ".ridge-partial");
    fs::remove_all(partial, ec);
    WriteReport report{target, files.size(), 0, document.artifacts.size(), document.rowCount, document.redactedRows};
    for (const OutFile& file : files) {
        if (auto written = writeNew(partial / file.name, file.bytes); !written) {
            fs::remove_all(partial, ec);
            return written.error();
        }
        report.bytes += file.bytes.size();
    }
    fs::rename(partial, target, ec);
    if (ec) {
        const Error error = cannotWrite(target, "The folder cannot be given its name: " + ec.message() + ".");
        fs::remove_all(partial, ec);
        return error;
    }
    return report;
}

} // namespace ridge::folio
