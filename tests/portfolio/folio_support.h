// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "base/paths.h"
#include "portfolio/pdf.h"
#include "portfolio/verify.h"
#include "portfolio/write_portfolio.h"
#include "tests/record/record_support.h"

#include <QProcess>

namespace ridge::test {

// What must not be found: a made-up person at a made-up machine.
inline constexpr const char* kUser = "mvoronina";
inline constexpr const char* kHost = "pine-4711";
inline constexpr const char* kHome = "/home/mvoronina";
inline constexpr const char* kGpu = "GPU-8f1c2d3e-4a5b-6c7d-8e9f-0a1b2c3d4e5f";
inline constexpr const char* kSerial = "1322821044567";

inline folio::Person person()
{
    return {{kUser, "Mara Voronina"}, {kHost}, {kHome}};
}

inline ExperimentInfo coalescing()
{
    ExperimentInfo info;
    info.id = "coalescing";
    info.title = "Coalescing";
    ParamSpec stride;
    stride.name = "stride";
    stride.title = "Stride";
    stride.unit = "elements";
    stride.scale = ParamScale::Log2;
    info.parameters = {stride};
    info.metrics = {{"sectors_per_request", "Sectors per request", "sectors/request", "fewer is better"}};
    info.charts = {
        {"over_stride", "Sectors over stride", "stride", "sectors_per_request", ParamScale::Log2, ParamScale::Linear}};
    info.limits = {{"sectors_per_request", "32 lanes × 4 B ÷ 32 B", "lower", "", ""}};
    return info;
}

/// A record with artifacts whose every text tries something, and with a person in every corner.
class Shop {
public:
    Shop()
    {
        auto opened = record::Store::open(pathOf(m_home));
        if (!opened)
            qFatal("%s", toText(opened.error()).c_str());
        store = std::move(*opened);
    }

    template<class Row>
    std::string put(Row row)
    {
        const auto id = durable(store->append(std::move(row)));
        if (!id)
            qFatal("%s", toText(id.error()).c_str());
        return *id;
    }

    record::RunRow run(std::int64_t stride, const std::string& prediction) const
    {
        record::RunRow row = someRun(stride, prediction);
        row.params = {{"stride", stride}};
        row.metrics = {
            {"sectors_per_request", {std::min(4.0 * double(stride), 32.0), "sectors/request", Provenance::Simulated}}};
        row.fingerprint = Json{{"cpu", "AMD EPYC"},
                               {"app", "0.1.0"},
                               {"hostname", kHost},
                               {"note", std::string("run by ") + kUser + " in " + kHome + "/work on " + kHost},
                               {"target", Json{{"simulator", "simt"},
                                               {"version", "0.1.0"},
                                               {"chip", "h100-sxm"},
                                               {"uuid", kGpu},
                                               {"serial", kSerial}}},
                               {"other_processes", Json::array({"/usr/bin/secret-game"})}};
        return row;
    }

    /// A prediction, three runs, code with a path in it, and the artifact; gives its id.
    std::string artifact(const std::string& title, const std::string& nasty = {})
    {
        record::PredictionRow prediction = somePrediction();
        const std::string predicted = put(prediction);
        record::ArtifactRow row;
        row.lesson = "2.4";
        row.kind = "profile";
        row.level = 3;
        row.title = title;
        row.question = "What does a stride cost? " + nasty;
        row.claim = "At stride 8 a warp touches 32 sectors. " + nasty;
        row.reflection = "I worked in " + std::string(kHome) + "/lab and wrote to mara@example.org. " + nasty;
        row.sections = {{"method", "Counted on " + std::string(kHost) + ". " + nasty}};
        row.predictionIds = {predicted};
        for (std::int64_t stride : {1, 2, 8})
            row.runIds.push_back(put(run(stride, predicted)));
        row.charts = Json::array(
            {Json{{"experiment", "coalescing"}, {"chart", "over_stride"}, {"caption", "It doubles. " + nasty}}});
        const auto code =
            durable(store->putFile("// " + std::string(kHome) + "/k.cu by " + kUser + "\n__global__ void k() {}\n"));
        if (!code)
            qFatal("%s", toText(code.error()).c_str());
        row.code = {{"kernels/../" + title + nasty + ".cu", *code}};
        row.fingerprint = run(1, {}).fingerprint;
        record::JournalRow entry;
        entry.kind = "failure";
        entry.title = "Wrong at first " + nasty;
        entry.text = "I measured on " + std::string(kHost) + ".\n\n- one\n- two\n\n" + nasty;
        row.journalIds = {put(entry)};
        record::NoteRow note;
        note.lesson = "2.4";
        note.section = "Sectors " + nasty;
        note.quote = "the lanes of a warp " + nasty;
        note.text = "Remembered by " + std::string(kUser) + " in " + kHome + ". " + nasty;
        put(note);
        return put(std::move(row));
    }

    Result<folio::PortfolioDocument> document(folio::PortfolioOptions options = {}) const
    {
        const std::vector<ExperimentInfo> known = {coalescing()};
        return folio::makePortfolio(
            *store, known, [](const std::string&) { return std::string("Coalescing"); }, options, person());
    }

    /// A portfolio in a fresh folder.
    fs::path write(const folio::PortfolioOptions& options = {}, bool pdf = false)
    {
        const auto made = document(options);
        if (!made)
            qFatal("%s", toText(made.error()).c_str());
        const fs::path folder = pathOf(m_out) / ("p" + std::to_string(++m_written));
        folio::WriteOptions how;
        how.pdf = pdf;
        const auto written = folio::writePortfolio(*made, *dataFolder(), folder, how);
        if (!written)
            qFatal("%s", toText(written.error()).c_str());
        return written->folder;
    }

    fs::path folder(const char* name) const { return pathOf(m_out) / name; }
    std::unique_ptr<record::Store> store;

private:
    QTemporaryDir m_home, m_out;
    int m_written = 0;
};

/// Every text that ever went through a careless page.
inline const std::vector<std::string>& nastyTexts()
{
    static const std::vector<std::string> all = {
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\"><svg/onload=alert(1)>",
        "' onmouseover='alert(1)",
        "[click](javascript:alert(1))",
        "[click](data:text/html,<script>alert(1)</script>)",
        "[site](https://example.org/?a=1&b=\"2\")",
        "</title></style></textarea><iframe src=//evil.example>",
        "<!-- --><![CDATA[ ]]>&lt;b&gt;&#x3c;script&#x3e;",
        "'); DROP TABLE run; --",
        "```\n</code></pre><script>alert(1)</script>\n```",
        "\xE2\x80\xAE"
        "evil\xE2\x80\xAC \x01\x02",
        "=HYPERLINK(\"http://evil.example\")",
        "../../../etc/passwd",
        "# heading\n## another\n- item <b>bold</b>\n1. one",
    };
    return all;
}

struct Ran {
    bool there = false;
    int exitCode = -1;
    QByteArray out, err;
};

inline Ran runTool(const QString& program, const QStringList& arguments, const QString& folder = {}, int ms = 60000)
{
    QProcess process;
    if (!folder.isEmpty())
        process.setWorkingDirectory(folder);
    process.start(program, arguments);
    Ran ran;
    ran.there = process.waitForStarted();
    if (!ran.there)
        return ran;
    if (!process.waitForFinished(ms)) {
        process.kill();
        process.waitForFinished();
        return ran;
    }
    ran.exitCode = process.exitCode();
    ran.out = process.readAllStandardOutput();
    ran.err = process.readAllStandardError();
    return ran;
}

/// Debian's own, for which its packages of validators are; another one may stand before it in the path.
inline QString python()
{
    const QString own = QStringLiteral("/usr/bin/python3");
    return QFile::exists(own) ? own : QStringLiteral("python3");
}

inline QString q(const fs::path& path)
{
    return QString::fromStdString(path.string());
}

} // namespace ridge::test

/// A PDF needs fonts, so these tests run with an application object that has them.
#define FOLIO_TEST_MAIN(TestClass)                                                                                     \
    int main(int argc, char** argv)                                                                                    \
    {                                                                                                                  \
        const auto application = ridge::folio::headlessApplication(argc, argv);                                        \
        TestClass test;                                                                                                \
        return QTest::qExec(&test, argc, argv);                                                                        \
    }
