// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge export portfolio` and `ridge verify`.
#include "cli/commands.h"

#include "base/json.h"
#include "base/paths.h"
#include "classroom/withholding_policy.h"
#include "lessons/curriculum.h"
#include "portfolio/verify.h"
#include "portfolio/write_portfolio.h"
#include "record/clock.h"

#include <QElapsedTimer>
#include <cstdio>

namespace ridge::cli {
namespace {

/// From when on a command says how far it is.
constexpr qint64 kPatienceMs = 1000;

Result<folio::Shown> shownDetails(const PortfolioOptions& options)
{
    folio::Shown shown;
    // Who gives a name wants it on the page.
    if (!options.author.empty() || !options.contact.empty())
        shown.insert(folio::Detail::Name);
    for (const std::string& key : options.show) {
        bool known = false;
        std::string keys;
        for (const folio::DetailText& text : folio::detailTexts()) {
            keys += (keys.empty() ? "" : ", ") + std::string(text.key);
            if (key == text.key) {
                shown.insert(text.detail);
                known = true;
            }
        }
        if (!known)
            return Error{"bad-argument", "There is no detail '" + key + "'", "--show", "Choose from " + keys};
    }
    return shown;
}

int tellPreview(const folio::PortfolioDocument& document, bool json)
{
    Json list = Json::array();
    for (const folio::PrivacyItem& item : document.preview)
        for (const folio::DetailText& text : folio::detailTexts())
            if (text.detail == item.detail)
                list.push_back(Json{{"detail", text.key},
                                    {"title", text.title},
                                    {"effect", text.effect},
                                    {"shown", item.shown},
                                    {"count", item.count},
                                    {"examples", item.examples}});
    if (json) {
        printJson(Json{{"privacy", list}});
        return Done;
    }
    std::vector<std::vector<std::string>> rows;
    for (const Json& item : list) {
        std::string examples;
        for (const Json& example : item["examples"])
            examples += (examples.empty() ? "" : ", ") + example.get<std::string>().substr(0, 40);
        rows.push_back({item["detail"].get<std::string>(), item["shown"].get<bool>() ? "shown" : "left out",
                        item["count"].dump(), examples});
    }
    std::printf("%s", table({"DETAIL", "NOW", "FOUND", "FOR EXAMPLE"}, rows).c_str());
    return Done;
}

} // namespace

int portfolioCommand(const PortfolioOptions& options)
{
    QElapsedTimer timer;
    timer.start();
    const auto shown = shownDetails(options);
    if (!shown)
        return report(shown.error());
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    const auto store = record::Store::openReadOnly(homeFolder());
    if (!store)
        return report(store.error());
    const auto catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    const auto loaded = lessons::loadCurriculum(*data / "curriculum");
    const auto lessonTitle = [&loaded](const std::string& id) {
        const std::string title = loaded.curriculum.titleOf(id);
        return title == id ? std::string() : title;
    };
    folio::PortfolioOptions wanted;
    wanted.style = folio::templateFromKey(options.style).value_or(folio::Template::Job);
    wanted.title = options.title;
    wanted.intro = options.intro;
    wanted.author = options.author;
    wanted.contact = options.contact;
    wanted.course = options.course;
    wanted.artifacts = options.artifacts;
    wanted.shown = *shown;
    wanted.held =
        classroom::withholdingOf(classroom::FeedbackPolicy::ofHome(homeFolder()), record::timeStamp().toStdString());
    const auto document = folio::makePortfolio(**store, *catalogue, lessonTitle, wanted, folio::personHere());
    if (!document)
        return report(document.error());
    if (options.preview)
        return tellPreview(*document, options.json);
    folio::WriteOptions how;
    how.pdf = !options.noPdf;
    ProgressBar bar(!options.json);
    how.progress = [&bar, &timer](double share, const char* what) {
        if (timer.elapsed() > kPatienceMs)
            bar.show(share, what);
    };
    const auto written = folio::writePortfolio(*document, *data, options.out, how);
    bar.clear();
    if (!written)
        return report(written.error());
    const double seconds = static_cast<double>(timer.elapsed()) / 1e3;
    if (options.json) {
        printJson(Json{{"folder", written->folder.string()},
                       {"template", options.style},
                       {"artifacts", written->artifacts},
                       {"files", written->files},
                       {"bytes", written->bytes},
                       {"rows", written->rows},
                       {"redacted_rows", written->redactedRows},
                       {"seconds", seconds}});
        return Done;
    }
    std::printf("%s: %zu %s, %zu files\nopen %s, check it with: ridge verify %s\n", written->folder.c_str(),
                written->artifacts, written->artifacts == 1 ? "artifact" : "artifacts", written->files,
                (written->folder / "index.html").c_str(), written->folder.c_str());
    return Done;
}

int verifyCommand(const std::string& folder, bool json)
{
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    // Without the worker there is no catalogue: the report says that pages were not made again.
    const auto catalogue = loadCatalogue();
    const auto checked = folio::verifyPortfolio(
        folder, *data, catalogue ? std::span<const ExperimentInfo>(*catalogue) : std::span<const ExperimentInfo>());
    if (!checked)
        return report(checked.error());
    if (json) {
        printJson(folio::toJson(*checked));
    } else {
        for (const Error& finding : checked->findings)
            std::printf("✗ %s: %s\n", plain(finding.place).c_str(), plain(finding.message).c_str());
        std::printf("%s %zu files, %zu artifacts, %zu rows%s\n", checked->ok() ? "✓" : "✗", checked->files,
                    checked->artifacts, checked->rows,
                    checked->redactedRows > 0 ? " without details: their digests were made on export" : "");
        if (!checked->ok())
            std::printf("%zu findings: this is not the portfolio that was exported\n", checked->findings.size());
        for (const std::string& proof : checked->proofs())
            std::printf("  proved: %s\n", proof.c_str());
        if (checked->ok())
            for (const std::string& limit : checked->limits())
                std::printf("  not proved: %s\n", limit.c_str());
    }
    return checked->ok() ? Done : Failed;
}

} // namespace ridge::cli
