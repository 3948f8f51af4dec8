// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/window/main_window.h"
#include "app/window/settings.h"
#include "base/hash.h"
#include "base/paths.h"

#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>

namespace ridge::app {

/// A learner's folder of its own, the real curriculum or a small one that stays as it is, the real worker.
class Workplace {
public:
    enum class Lessons { Shipped, Small };

    explicit Workplace(bool withStore = true, Lessons lessons = Lessons::Shipped)
        : m_data(lessons == Lessons::Small ? smallData() : *dataFolder())
    {
        qputenv("RIDGE_HOME", m_home.path().toLocal8Bit());
        qputenv("RIDGE_CACHE", (m_home.path() + QStringLiteral("/cache")).toLocal8Bit());
        qputenv("RIDGE_WORKER", qgetenv("RIDGE_BIN") + "/ridge-worker");
        configureSettings();
        QSettings().clear();
        if (!theme.load(QStringLiteral("light")))
            qFatal("the light theme cannot be loaded");
        if (withStore)
            openStore();
        else
            makeContext(nullptr);
    }
    ~Workplace()
    {
        window.reset();
        context.reset();
    }

    void openStore()
    {
        auto opened = record::Store::open(homeFolder());
        if (!opened)
            qFatal("store: %s", toText(opened.error()).c_str());
        makeContext(std::move(opened.value()));
    }

    void makeContext(std::unique_ptr<record::Store> store)
    {
        actions = std::make_unique<ActionRegistry>();
        context = std::make_unique<AppContext>(theme, *actions, std::move(store), m_data);
    }

    MainWindow& makeWindow()
    {
        window = std::make_unique<MainWindow>(*context, MainWindow::Options{false, true, QStringLiteral("light")});
        window->resize(1280, 800);
        window->show();
        return *window;
    }

    bool loadCatalogue()
    {
        QSignalSpy ready(context.get(), &AppContext::catalogueReady);
        QSignalSpy failed(context.get(), &AppContext::catalogueFailed);
        context->loadCatalogue();
        return QTest::qWaitFor([&] { return ready.count() > 0 || failed.count() > 0; }, 20000) && ready.count() > 0;
    }

    /// Quit and start again on the same folder.
    void restart()
    {
        window->close();
        window.reset();
        context.reset();
        actions.reset();
        openStore();
    }

    QString home() const { return m_home.path(); }

    static record::RunRow run(int stride, const std::string& sweep = "s1", const std::string& lesson = {})
    {
        record::RunRow row;
        row.id = newUuid7();
        row.sweepId = sweep;
        row.lesson = lesson;
        row.experiment = "coalescing";
        row.target = "sim:h100-sxm";
        row.params = {{"stride", std::int64_t{stride}}};
        row.metrics["sectors_per_request"] = {std::min(4.0 * stride, 32.0), "sectors/request", Provenance::Simulated};
        row.validity = "valid";
        row.status = "finished";
        row.fingerprint = Json{{"chip", "h100-sxm"}};
        row.createdAt = "2026-01-02T03:04:05.000Z";
        return row;
    }

    template<class Row>
    std::string store(Row row)
    {
        auto future = context->store()->append(std::move(row));
        context->store()->flush();
        const auto id = future.result();
        if (!id)
            qFatal("store: %s", toText(id.error()).c_str());
        return *id;
    }

    /// A prediction, three runs and the artifact made of them.
    std::string storeArtifact()
    {
        record::PredictionRow prediction;
        prediction.lesson = "2.4";
        prediction.block = "predict-1";
        prediction.experiment = "coalescing";
        prediction.metric = "sectors_per_request";
        prediction.unit = "sectors/request";
        prediction.params = {{"stride", std::int64_t{2}}};
        prediction.point = 16;
        prediction.low = 8;
        prediction.high = 32;
        const std::string predictionId = store(prediction);
        record::ArtifactRow artifact;
        for (const int stride : {1, 2, 4}) {
            record::RunRow row = run(stride, "s1", "2.4");
            row.predictionId = stride == 2 ? predictionId : std::string();
            artifact.runIds.push_back(store(row));
        }
        artifact.lesson = "2.4";
        artifact.kind = "profile";
        artifact.title = "Sectors over stride";
        artifact.question = "How many sectors does a warp fetch?";
        artifact.claim = "Eight sectors at stride 2.";
        artifact.reflection = "I had counted lines.";
        artifact.level = 3;
        artifact.predictionIds = {predictionId};
        artifact.charts = Json::array({Json{{"experiment", "coalescing"}, {"chart", ""}, {"caption", "All runs."}}});
        artifact.fingerprint = Json{{"chip", "h100-sxm"}, {"build", "test"}};
        return store(artifact);
    }

    Theme theme;
    std::unique_ptr<ActionRegistry> actions;
    std::unique_ptr<AppContext> context;
    std::unique_ptr<MainWindow> window;

private:
    /// A data folder with tests/support/small_curriculum; all else in it is the real one's.
    std::filesystem::path smallData() const
    {
        namespace fs = std::filesystem;
        const fs::path source = qEnvironmentVariable("RIDGE_SOURCE").toStdString();
        const fs::path data = fs::path(m_home.path().toStdString()) / "data";
        fs::create_directories(data);
        fs::create_directory_symlink(source / "tests/support/small_curriculum", data / "curriculum");
        for (const char* part : {"assets", "kernels"})
            fs::create_directory_symlink(source / part, data / part);
        return data;
    }

    QTemporaryDir m_home;
    std::filesystem::path m_data;
};

} // namespace ridge::app
