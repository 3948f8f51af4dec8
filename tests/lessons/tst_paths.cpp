// SPDX-License-Identifier: GPL-3.0-or-later
// Paths and what is around the lessons: every lesson after what it builds on, the stack, companions, mixed sets, and
// what the linter says of each that is wrong.
#include "desk.h"
#include "lessons/companions.h"
#include "lessons/mixed.h"
#include "lessons/stack.h"
#include "lessons/way.h"

#include <cmath>
#include <fstream>

using namespace ridge;
using namespace ridge::lessons;

namespace {

const Curriculum& shipped()
{
    static const LoadedCurriculum loaded = loadCurriculum(test::sourceRoot() / "curriculum");
    return loaded.curriculum;
}

Lesson head(const std::string& id, std::vector<std::string> prerequisites)
{
    Lesson lesson;
    lesson.id = id;
    lesson.module = id[0] - '0';
    lesson.prerequisites = std::move(prerequisites);
    return lesson;
}

/// 1.1 and 2.1 are foundations; 3.1 needs 2.2, which needs 2.1.
Curriculum small()
{
    Curriculum curriculum;
    curriculum.heads = {head("1.1", {}), head("2.1", {"1.1"}), head("2.2", {"2.1"}), head("3.1", {"2.2"})};
    curriculum.foundations = {"1.1", "2.1"};
    return curriculum;
}

using Ids = std::vector<std::string>;

} // namespace

class TestPaths : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatALessonBuildsOnComesBeforeIt()
    {
        const Curriculum curriculum = small();
        const LessonPath path{"p", "P", "About.", {"3.1"}};
        QCOMPARE(wayOf(curriculum, path, Foundations::AsNeeded), (Ids{"1.1", "2.1", "2.2", "3.1"}));
        QCOMPARE(wayOf(curriculum, path, Foundations::Last), (Ids{"2.2", "3.1"}));
        const LessonPath whole{"w", "W", "About.", {"3.1", "2.1", "1.1"}};
        QCOMPARE(wayOf(curriculum, whole, Foundations::Last), (Ids{"2.2", "3.1", "2.1", "1.1"}));
        QCOMPARE(wayOf(curriculum, LessonPath{"n", "N", "A.", {"2.2"}}, Foundations::First),
                 (Ids{"1.1", "2.1", "2.2"}));
        const auto unmet = unmetOn(curriculum, {"3.1", "2.2"}, false);
        QCOMPARE(unmet.size(), std::size_t(2));
        QCOMPARE(unmet.front().lesson, std::string("3.1"));
        QCOMPARE(unmet.front().needs, std::string("2.2"));
        QCOMPARE(unmetOn(curriculum, {"2.2", "3.1"}, true).size(), std::size_t(0));
        QCOMPARE(ancestorsOf(curriculum, "3.1"), (Ids{"1.1", "2.1", "2.2"}));
        QVERIFY(circleIn(curriculum).empty());
        Curriculum round = curriculum;
        round.heads[0].prerequisites = {"3.1"};
        QVERIFY(circleIn(round).find("1.1 needs 3.1") != std::string::npos);
        QVERIFY(!wayOf(round, path, Foundations::AsNeeded).empty()); // a circle ends
    }

    void everyShippedPathHoldsForEverybody()
    {
        QVERIFY(shipped().paths.size() >= 10);
        for (const LessonPath& path : shipped().paths)
            for (const Foundations where : {Foundations::First, Foundations::AsNeeded, Foundations::Last}) {
                const Ids way = wayOf(shipped(), path, where);
                QCOMPARE(std::set<std::string>(way.begin(), way.end()).size(), way.size());
                for (const std::string& id : path.lessons)
                    QVERIFY2(std::ranges::find(way, id) != way.end(), id.c_str());
                for (const UnmetPrerequisite& one : unmetOn(shipped(), way, where == Foundations::Last))
                    QFAIL((path.id + ": " + one.lesson + " before " + one.needs).c_str());
            }
    }

    void theStackHasAllLayersAndEveryPathAPlaceInIt()
    {
        const LoadedStack loaded = loadStack(shipped());
        QVERIFY2(loaded.problems.empty(), test::shown(loaded.problems).c_str());
        const Stack& stack = loaded.stack;
        QCOMPARE(stack.layers.size(), std::size_t(8));
        std::size_t parts = 0;
        for (const StackLayer& layer : stack.layers)
            parts += layer.parts.size();
        QCOMPARE(parts, std::size_t(23)); // curriculum section 2
        for (const LessonPath& path : shipped().paths)
            QVERIFY2(stack.fit(path.id), path.id.c_str());
        QCOMPARE(stack.roles.size(), std::size_t(9)); // curriculum section 3
        QCOMPARE(stack.partTitle("L2c"), std::string("Kernel engineering"));
        QCOMPARE(stack.layer("L2c")->id, std::string("L2"));
        QVERIFY(!stack.hasPart("L2"));
        // Lessons work on the layers that are said to be hosted, and on all of those.
        std::set<std::string> worked;
        for (const Lesson& lesson : shipped().heads)
            worked.insert(lesson.layers.begin(), lesson.layers.end());
        for (const StackLayer& layer : stack.layers)
            QCOMPARE(worked.contains(layer.id), layer.hosted);
    }

    void companionsBelongToLessons()
    {
        const LoadedCompanions loaded = loadCompanions(shipped());
        QVERIFY2(loaded.problems.empty(), test::shown(loaded.problems).c_str());
        const Companions& all = loaded.companions;
        for (const char* id :
             {"tinygrad", "llm-c", "vllm", "nccl", "cutlass", "openpilot", "jetson-llm-runtime", "jetson-esp-hosted"})
            QVERIFY2(std::ranges::find(all.projects, id, &ReferenceProject::id) != all.projects.end(), id);
        QCOMPARE(all.chapters.size(), std::size_t(19)); // all chapters behind the introduction and the preliminaries
        for (const OutsideLab& lab : all.labs) {
            QVERIFY2(!lab.steps.empty() && !lab.question.empty() && !lab.sections.empty(), lab.id.c_str());
            QCOMPARE(all.lab(lab.id), &lab);
        }
        QVERIFY(!all.lab("none"));
    }

    void productsAreCounted()
    {
        const MatrixWork work{"x", 256, 784, 256, 2};
        QCOMPARE(work.flop(), 2.0 * 2 * 256 * 784 * 256);
        QCOMPARE(work.bytes(4), 2.0 * 4 * (256.0 * 784 + 784 * 256 + 256 * 256));
        const LoadedCompanions loaded = loadCompanions(shipped());
        const auto chapter = std::ranges::find(loaded.companions.chapters, "multilayer-perceptrons", &BookChapter::id);
        QVERIFY(chapter != loaded.companions.chapters.end());
        const MatrixWork& hidden = chapter->work.front();
        QVERIFY(std::abs(hidden.intensity(4) - 2.0 * 256 * 784 * 256 / (4 * (2.0 * 256 * 784 + 256 * 256))) < 1e-9);
        // The same layer with one example waits for memory; with 256 it does not.
        QVERIFY((MatrixWork{"one", 1, 784, 256}.intensity(4)) < 1);
    }

    void aSetAsksWhatWasMetAndWhatWasMissedFirst()
    {
        MixedSet set{"s", "S", "About.", {}, {}};
        for (const char* id : {"1.1", "1.2", "2.1", "2.2", "3.1", "4.1"})
            set.questions.push_back({id, "q", id, {}});
        const std::set<std::string> met = {"1.1", "1.2", "2.1", "2.2", "3.1"};
        const auto ids = [](const std::vector<MixedQuestion>& questions) {
            Ids list;
            for (const MixedQuestion& one : questions)
                list.push_back(one.lesson);
            return list;
        };
        QVERIFY(drawMixed(set, {}, {}, 6, 1).empty());
        const Ids all = ids(drawMixed(set, met, {}, 6, 1));
        QCOMPARE(all.size(), std::size_t(5)); // 4.1 was not met
        for (std::size_t i = 0; i + 1 < 4; ++i)
            QVERIFY2(all[i][0] != all[i + 1][0], (all[i] + " beside " + all[i + 1]).c_str());
        QCOMPARE(ids(drawMixed(set, met, {}, 6, 1)), all); // the same seed, the same order
        // However few there are, they are of as many modules as there can be.
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            std::set<char> modules;
            for (const std::string& id : ids(drawMixed(set, met, {}, 3, seed)))
                modules.insert(id[0]);
            QCOMPARE(modules.size(), std::size_t(3));
        }
        // Never asked, then missed, then asked longest ago.
        const std::map<std::string, MixedHistory> history = {
            {"1.1#q", {10, false, 1}}, {"1.2#q", {20, false, 1}}, {"2.1#q", {30, true, 1}}, {"2.2#q", {5, false, 2}}};
        QCOMPARE(ids(drawMixed(set, met, history, 1, 7)), Ids{"3.1"});
        QCOMPARE(ids(drawMixed(set, met, history, 2, 7)), (Ids{"3.1", "2.1"}));
        QCOMPARE(ids(drawMixed(set, met, history, 3, 7)), (Ids{"3.1", "2.1", "2.2"}));
        const MixedOffer offer = offerOf(set, met);
        QCOMPARE(offer.questions, std::size_t(5));
        QCOMPARE(offer.modules, std::size_t(3));
        QCOMPARE(askedIn(mixedBlock("count-heads", 3)), std::string("count-heads"));
        QVERIFY(askedIn("count-heads").empty());
        QVERIFY(askedIn("mixed:").empty());
    }

    void shippedSetsMixModules()
    {
        const LoadedMixed loaded = loadMixed(shipped());
        QVERIFY2(loaded.problems.empty(), test::shown(loaded.problems).c_str());
        QVERIFY(loaded.sets.size() >= 5);
        std::set<std::string> everything;
        for (const PlannedLesson& planned : shipped().planned)
            everything.insert(planned.id);
        std::set<char> modules;
        for (const MixedSet& set : loaded.sets) {
            QVERIFY2(offerOf(set, everything).modules >= 3, set.id.c_str());
            for (const MixedQuestion& one : set.questions)
                modules.insert(one.asks[0]);
        }
        QCOMPARE(modules.size(), std::size_t(7));
    }

    void theLinterNamesWhatIsWrong_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* file, const char* from, const char* to, const char* says) {
            QTest::newRow(name) << QString::fromUtf8(file) << QString::fromUtf8(from) << QString::fromUtf8(to)
                                << QString::fromUtf8(says);
        };
        const char* const stack = "stack.yaml";
        row("sub-layer", stack, "primary: L2c", "primary: L2x", "'primary' 'L2x' is no sub-layer");
        row("the same twice", stack, "adjacent: L3a", "adjacent: L2c", "'primary' and 'adjacent' are the same");
        row("unknown path", stack, "- id: way", "- id: weg", "paths.yaml has no such path");
        row("path without a place", stack, "- id: way", "- id: weg", "path 'way' of paths.yaml is not among 'paths'");
        row("role without a path", stack, "path: way", "path: weg", "there is no path 'weg'");
        row("role without a layer", stack, "layers: [L2]", "layers: [L9]", "there is no layer 'L9'");
        row("role that is not taught", stack, "layers: [L2]", "layers: [L4]", "say in 'lacks' what it misses");
        row("part of another layer", stack, "parts: {L2c", "parts: {L3c", "'L3c' is no part of L2");
        row("layer of a lesson", "2-cuda-programming/01-small.md", "layers: [L2, L3]", "layers: [L2, L4]",
            "which no lesson here works on");
        row("audience", "2-cuda-programming/01-small.md", "layers: [L2, L3]", "layers: [L2, L3]\nroles: [Nobody]",
            "'Nobody' is not among 'audiences'");
        row("prerequisite", "2-cuda-programming/01-small.md", "prerequisites: []", "prerequisites: [\"9.9\"]",
            "it builds on '9.9', which is no lesson");
        row("circle", "2-cuda-programming/01-small.md", "prerequisites: []", "prerequisites: [\"2.1\"]",
            "prerequisites go in a circle: 2.1 needs 2.1");
        row("lesson of a project", "companions.yaml", "{id: \"2.1\", why: P}", "{id: \"2.7\", why: P}",
            "project 'p': '2.7' is no lesson that is written");
        row("lesson of a chapter", "companions.yaml", "{id: \"2.1\", why: C}", "{id: \"2.7\", why: C}",
            "chapter 'c': '2.7' is no lesson that is written");
        row("no lesson at all", "companions.yaml", "lessons: [{id: \"2.1\", why: L}]", "lessons: []",
            "lab 'l': it belongs to no lesson");
        row("layer of a lab", "companions.yaml", "layer: L2c", "layer: L9z", "'layer' 'L9z' is no sub-layer");
        row("bare number", "companions.yaml", "costs: Little.", "costs: It moves 5 GB/s.", "bare performance number");
        row("size", "companions.yaml", "m: 256", "m: 0", "is not between 1");
        row("work without words", "companions.yaml", "    workload: A batch\n", "", "'workload' does not say of what");
        row("twice", "companions.yaml", "  - id: q\n", "  - id: p\n", "project 'p' is given twice");
        row("no such quiz", "mixed.yaml", "block: count", "block: cuont", "the lesson has no such quiz");
        row("asks", "mixed.yaml", "block: count}", "block: count, asks: \"1.2\"}", "'asks' names '1.2'");
        row("few instances", "mixed.yaml", "block: count}", "block: count}", "fewer than three instances");
        row("few modules", "mixed.yaml", "block: count}", "block: count}", "is about 1 modules; mix three at least");
    }
    void theLinterNamesWhatIsWrong()
    {
        QFETCH(QString, file);
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, says);
        test::Desk desk;
        std::map<std::string, std::string> files = {
            {"paths.yaml",
             "paths:\n  - {id: way, title: Way, about: A., order: [\"2.1\"]}\nfoundations: [\"2.1\"]\nlessons:\n"
             "  - {id: \"2.1\", title: Small}\n"},
            {"stack.yaml",
             "layers:\n  - {id: L2, title: Kernels, about: A., hosted: true, parts: {L2c: Kernels}}\n"
             "  - {id: L3, title: Runtime, about: A., hosted: true, parts: {L3a: Runtime}}\n"
             "  - {id: L4, title: Firmware, about: A., hosted: false, parts: {L4a: Boot}}\n"
             "paths:\n  - id: way\n    primary: L2c\n    adjacent: L3a\n    hardware: None.\n"
             "roles:\n  - {title: R, layers: [L2], path: way}\naudiences: [Kernel author, Model optimiser]\n"},
            {"companions.yaml",
             "book: B\nbook_url: U\nprojects:\n"
             "  - id: p\n    title: P\n    url: U\n    question: Q\n    look: L\n    lessons: [{id: \"2.1\", why: P}]\n"
             "  - id: q\n    title: P\n    url: U\n    question: Q\n    look: L\n    lessons: [{id: \"2.1\", why: R}]\n"
             "chapters:\n  - id: c\n    title: C\n    url: U\n    workload: A batch\n"
             "    work: [{title: W, m: 256, k: 8, n: 8}]\n    costs: Little.\n    lessons: [{id: \"2.1\", why: C}]\n"
             "labs:\n  - id: l\n    title: L\n    tools: T\n    layer: L2c\n    why: W\n    steps: [S]\n    bring: B\n"
             "    artifact: [{kind: profile, title: A, question: Q}]\n    lessons: [{id: \"2.1\", why: L}]\n"},
            {"mixed.yaml", "sets:\n  - id: s\n    title: T\n    about: A\n    questions:\n"
                           "      - {lesson: \"2.1\", block: count}\n"}};
        files["2-cuda-programming/01-small.md"] = test::fullLesson();
        const std::string name = file.toStdString();
        const auto check = [&] {
            for (const auto& [path, text] : files)
                if (path != "mixed.yaml" || name == "mixed.yaml")
                    test::Desk::write(desk.root() / path, text);
            return desk.check();
        };
        if (name != "mixed.yaml") {
            const std::vector<Problem> before = check();
            QVERIFY2(before.empty(), test::shown(before).c_str());
        }
        files[name] = test::replaced(files[name], from.toStdString(), to.toStdString());
        const std::vector<Problem> problems = check();
        QVERIFY2(std::ranges::any_of(problems,
                                     [&](const Problem& problem) {
                                         return problem.message.find(says.toStdString()) != std::string::npos;
                                     }),
                 test::shown(problems).c_str());
    }
};

QTEST_GUILESS_MAIN(TestPaths)
#include "tst_paths.moc"
