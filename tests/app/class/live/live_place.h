// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/live/live_panel.h"
#include "app/class/live/live_session.h"
#include "app/class/live/live_share.h"
#include "app/class/live/share_panel.h"
#include "base/paths.h"

#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

namespace ridge::app {

/// One computer that is a teacher's and a learner's: the small curriculum, a record, a class of two lessons.
class LivePlace {
public:
    LivePlace()
    {
        namespace fs = std::filesystem;
        const fs::path data = fs::path(m_folder.path().toStdString()) / "data";
        const fs::path source = qEnvironmentVariable("RIDGE_SOURCE").toStdString();
        fs::create_directories(data);
        fs::create_directory_symlink(source / "tests/support/small_curriculum", data / "curriculum");
        fs::create_directory_symlink(source / "assets", data / "assets");
        qputenv("RIDGE_HOME", (m_folder.path() + QStringLiteral("/home")).toLocal8Bit());
        if (!theme.load(QStringLiteral("light")))
            qFatal("the light theme cannot be loaded");
        auto store = record::Store::open(homeFolder());
        if (!store)
            qFatal("store: %s", toText(store.error()).c_str());
        context = std::make_unique<AppContext>(theme, actions, std::move(*store), data);
        live.title = "Spring 2027";
        live.keys = classroom::classKeysFromSeed(std::string(32, 'k')).value();
        classroom::Assignment wanted;
        wanted.title = "Week 1";
        wanted.teacher = "R. Hopper";
        wanted.lessons = classroom::assignedLessons(context->curriculum(), {"1.1", "1.2"}).value();
        live.assignment = classroom::createAssignment(wanted, live.keys)->assignment;
    }
    ~LivePlace() { context.reset(); }

    static classroom::Identity learner(int number)
    {
        return classroom::identityFromSeed(std::string(32, static_cast<char>('a' + number))).value();
    }
    template<class Row>
    void store(Row row)
    {
        auto done = context->store()->append(std::move(row));
        context->store()->flush();
        if (!done.result())
            qFatal("store: %s", toText(done.result().error()).c_str());
    }
    static record::PredictionRow prediction(const std::string& lesson, double point)
    {
        record::PredictionRow row;
        row.lesson = lesson;
        row.block = "guess";
        row.experiment = "coalescing";
        row.metric = "sectors_per_request";
        row.unit = "sectors/request";
        row.params = {{"stride", std::int64_t{2}}, {"element_bytes", std::int64_t{4}}};
        row.point = point;
        row.low = point / 2;
        row.high = point * 2;
        return row;
    }
    static record::RunRow run(const std::string& lesson)
    {
        record::RunRow row;
        row.lesson = lesson;
        row.block = "curve";
        row.sweepId = "s1";
        row.experiment = "coalescing";
        row.target = "sim:h100-sxm";
        row.params = {{"stride", std::int64_t{2}}, {"element_bytes", std::int64_t{4}}};
        row.metrics["sectors_per_request"] = {8, "sectors/request", Provenance::Simulated};
        row.validity = "valid";
        row.status = "finished";
        row.fingerprint = Json{{"chip", "h100-sxm"}};
        return row;
    }

    Theme theme;
    ActionRegistry actions;
    std::unique_ptr<AppContext> context;
    LiveClass live;

private:
    QTemporaryDir m_folder;
};

} // namespace ridge::app
