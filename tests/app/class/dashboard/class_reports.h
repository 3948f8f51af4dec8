// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "base/paths.h"
#include "classroom/class_report.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

namespace ridge::app {

/// The classes that the dashboard is tried with: written by hand, so that a lesson or a simulator changes no picture.
namespace classes {

/// The same numbers on every machine (minimal standard generator of Park and Miller 1988).
class Dice {
public:
    int below(int n) { return static_cast<int>((m_state = m_state * 48271 % 2147483647) % n); }

private:
    std::int64_t m_state = 20260302;
};

inline std::string nameOf(int i)
{
    static const char* const first[] = {"Ada",   "Barbara", "Chen", "Dana", "Edsger",
                                        "Farah", "Grace",   "Hedy", "Ines", "Jun"};
    static const char* const last[] = {"Lovelace", "Liskov", "Okafor", "Ritchie", "Yamamoto", "Hopper", "Kessler"};
    std::string name = std::string(first[i % 10]) + " " + last[(i / 10 + i) % 7];
    return i < 70 ? name : name + " " + std::to_string(i);
}

inline classroom::PredictionHistogram histogram(const std::string& lesson, const std::string& block,
                                                const std::string& question, std::vector<int> counts)
{
    classroom::PredictionHistogram one{lesson, block, question, "sectors_per_request", "sectors/request", true};
    const auto bins = static_cast<double>(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
        one.bins.push_back(
            {std::pow(64, static_cast<double>(i) / bins), std::pow(64, static_cast<double>(i + 1) / bins), counts[i]});
        one.learners += counts[i];
    }
    return one;
}

/// Learners, some of them late, on three machines, over `lessons` of the small curriculum and what follows them.
inline classroom::ClassReport report(int learners, int lessons = 3)
{
    using namespace classroom;
    static const char* const machines[] = {"NVIDIA GeForce RTX 4060 Laptop GPU", "l40s (simulated)", "t4 (simulated)"};
    ClassReport report;
    report.classTitle = "Spring 2027";
    report.assignment = "Week 1";
    report.assignmentId = "019cadca-0000-7000-8000-000000000001";
    report.deadline = "2026-03-08T18:00:00.000Z";
    static const char* const known[] = {"1.1", "1.2", "2.1"};
    for (int i = 0; i < lessons; ++i)
        report.lessons.push_back(i < 3 ? known[i] : "3." + std::to_string(i - 2));
    for (int i = 0; i < 10; ++i)
        report.grades.push_back({10.0 * i, 10.0 * (i + 1), 0});
    Dice dice;
    int on[3] = {};
    for (int i = 0; i < learners; ++i) {
        LearnerLine line;
        line.who = {"L-" + std::to_string(100000 + i), nameOf(i)};
        const int machine = dice.below(3);
        ++on[machine];
        line.hardware = {machines[machine]};
        line.submittedAt = "2026-03-0" + std::to_string(1 + i % 8) + "T12:00:00.000Z";
        line.late = i % 9 == 4;
        line.reexecuted = i % 2 == 0;
        const int stamina = 2 + dice.below(5);
        bool told = false;
        for (std::size_t k = 0; k < report.lessons.size(); ++k) {
            const int done = std::clamp(stamina + dice.below(3) - static_cast<int>(k % 3), 0, 5);
            if (k > 0 && done == 0)
                continue;
            const std::string& lesson = report.lessons[k];
            line.steps[lesson] = {done > 0, done > 1, done > 2, done > 3, done > 4};
            line.points[lesson] = std::min(100.0, 25.0 * done + dice.below(8));
            line.grade += line.points[lesson] / static_cast<double>(report.lessons.size());
            if (done < 4 && !told) {
                static const char* const steps[] = {"predicted", "ran", "passed", "shipped"};
                report.stuck.push_back({line.who, lesson, steps[done], done == 2 ? "Sectors follow the stride" : "",
                                        done == 2 ? "found 31 sectors where 32 follow from the formula" : ""});
                told = true;
            }
        }
        ++report.grades[static_cast<std::size_t>(std::min(9.0, line.grade / 10))].count;
        report.work.push_back({line.grade, 1 + dice.below(60) / 10.0, 1.5 + dice.below(80) / 10.0});
        report.learners.push_back(std::move(line));
    }
    if (learners == 0)
        return report;
    for (int i = 0; i < 3; ++i)
        if (on[i] > 0)
            report.hardware.push_back({machines[i], on[i]});
    report.missing = {{"", "Zora Neale"}, {"", "Mary Somerville"}};
    for (const std::string& lesson : report.lessons) {
        std::vector<int> counts(12, 0);
        for (int i = 0; i < learners; ++i)
            ++counts[static_cast<std::size_t>((dice.below(12) + dice.below(12) + dice.below(12)) / 3)];
        auto one = histogram(lesson, "predict-1",
                             "32 lanes load 4 bytes each, eight bytes apart. How many 32-byte `sectors` move?", counts);
        one.result = 8;
        one.resultLow = 8;
        one.resultHigh = 8;
        one.provenance = "SIMULATED";
        report.histograms.push_back(one);
        for (int i = 0; i < 3; ++i)
            if (on[i] > 0) {
                report.spread.push_back({lesson, "predict-1", "sectors_per_request", "sectors/request",
                                         i == 0 ? "gpu:0" : "sim", i == 0 ? "MEASURED" : "SIMULATED", on[i], 8, 8, 8,
                                         machines[i], 8});
                const double base = 4e-6 * (i == 0 ? 1.6 : i == 1 ? 0.7 : 2.9);
                report.spread.push_back({lesson, "predict-2", "kernel_time", "s", i == 0 ? "gpu:0" : "sim",
                                         i == 0 ? "MEASURED" : "SIMULATED", on[i], base * (i == 0 ? 0.8 : 1), base,
                                         base * (i == 0 ? 1.5 : 1), machines[i], 6.4e-6});
            }
    }
    report.misconceptions = {
        {"1.2", "predict-1", "lines", "A warp always fetches whole 128-byte lines, however few of their bytes it uses.",
         std::max(1, learners * 2 / 5),
         "32 lanes load 4 bytes each, eight bytes apart. How many 32-byte `sectors` move?"},
        {"1.1", "quiz-2", "choice-2", "A warp of 32 lanes runs on 32 cores that have nothing to do with each other.",
         std::max(1, learners / 4), "What is a warp?"},
        {"1.2", "predict-1", "bytes", "Traffic is what the program asks for: `32 × 4` bytes.",
         std::max(1, learners / 6)},
        {"2.1", "quiz-1", "choice-3", "The second run is faster because the compiler has learned.", 1}};
    if (learners >= 5)
        report.outliers.push_back({report.learners[3].who, "1.2", "predict-2", "kernel_time", "s", 51e-6, 6.4e-6, 7.97,
                                   "NVIDIA GeForce RTX 4060 Laptop GPU", "MEASURED"});
    std::sort(report.learners.begin(), report.learners.end(),
              [](const auto& a, const auto& b) { return a.who.name < b.who.name; });
    return report;
}

/// What a third of them wrote to one exit question, with ratings of every kind and none.
inline classroom::ExplanationList explanations(const classroom::ClassReport& report)
{
    classroom::ExplanationList own{
        "1.2",
        "explain-1",
        "Why does a stride of `2` double the traffic?",
        "Every sector that a lane touches is fetched **whole**, and half of each is not used.",
        {}};
    static const char* const texts[] = {"Because whole sectors of 32 bytes are fetched and only half of them is used.",
                                        "The lanes lie further apart, so the same warp touches twice as many sectors.",
                                        "I think that the cache cannot hold it and so it is read again."};
    static const char* const ratings[] = {"yes", "partly", "no", ""};
    for (std::size_t i = 0; i < report.learners.size(); i += 3)
        own.lines.push_back({report.learners[i].who, texts[(i / 3) % 3], ratings[(i / 3) % 4]});
    return own;
}

} // namespace classes

/// Theme, actions and a context over the small curriculum, without store and window.
class Classroom {
public:
    Classroom()
    {
        namespace fs = std::filesystem;
        const fs::path data = fs::path(m_folder.path().toStdString()) / "data";
        const fs::path source = qEnvironmentVariable("RIDGE_SOURCE").toStdString();
        fs::create_directories(data);
        fs::create_directory_symlink(source / "tests/support/small_curriculum", data / "curriculum");
        fs::create_directory_symlink(source / "assets", data / "assets");
        if (!theme.load(QStringLiteral("light")))
            qFatal("the light theme cannot be loaded");
        context = std::make_unique<AppContext>(theme, actions, nullptr, data);
    }

    Theme theme;
    ActionRegistry actions;
    std::unique_ptr<AppContext> context;

private:
    QTemporaryDir m_folder;
};

} // namespace ridge::app
