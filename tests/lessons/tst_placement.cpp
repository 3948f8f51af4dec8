// SPDX-License-Identifier: GPL-3.0-or-later
// The placement questions: their answers worked out again from what they give, who is asked what, what follows.
#include "gpu/access.h"
#include "lessons/placement.h"
#include "silicon/chip_catalogue.h"
#include "silicon/occupancy.h"
#include "tests/lessons/lesson_support.h"

#include <QtTest>
#include <cmath>
#include <fstream>

using namespace ridge;
using namespace ridge::lessons;

namespace {

Placement shipped()
{
    static const LoadedCurriculum loaded = loadCurriculum(test::sourceRoot() / "curriculum");
    LoadedPlacement placement = loadPlacement(loaded.curriculum);
    if (!placement.placement)
        qFatal("%s", placement.problems.front().message.c_str());
    return *placement.placement;
}

MemoryRequest lanesApart(std::uint64_t bytes)
{
    MemoryRequest request;
    request.accessBytes = 4;
    request.activeMask = 0xffffffff;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
        request.addresses[lane] = lane * bytes;
    return request;
}

/// A curriculum on disk: two modules, of which the first has a capstone, and three areas.
struct SmallPlace {
    QTemporaryDir folder;
    std::filesystem::path root() const { return folder.path().toStdString(); }
    void write(const std::string& name, const std::string& text) const
    {
        std::filesystem::create_directories((root() / name).parent_path());
        std::ofstream(root() / name) << text;
    }
};

std::string question(const std::string& id, const std::string& more = "")
{
    return "      - {id: " + id +
           ", question: How many, number: 8, tolerance: 1, unit: things, explains: \"Eight.\", " + "source: counted" +
           more + "}\n";
}

std::string area(const std::string& id, int module)
{
    return "  - id: " + id + "\n    title: " + id + "\n    modules: [" + std::to_string(module) +
           "]\n    questions:\n" + question(id + "-1") + question(id + "-2");
}

} // namespace

class TestPlacement : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theAnswersAreTrue_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<double>("worked");
        const auto catalogue = silicon::loadCatalogue(test::sourceRoot() / "assets" / "chips" / "gpus.json");
        QVERIFY(catalogue.ok());
        const auto limits = catalogue->limits(9, 0);
        QVERIFY(limits.ok());
        const auto onSm = silicon::occupancy(*limits, 256, 65, 0);
        QVERIFY(onSm.ok());
        const std::map<std::string, double> worked = {
            {"ridge", 989e12 / 3.35e12},
            {"registers", onSm->warpsPerSm * 32.0},
            {"sectors", double(gpu::touchedGranules(lanesApart(20), 32).size())},
            {"banks", double(gpu::serveBanks(lanesApart(36 * 4)).wavefronts)},
            {"on-die", std::ceil(70e9 * 2 / 230e6)},
            {"array-share", 100.0 * 64 / (64 + 128 + 128 - 2)},
            {"fusion", (3.0 + 3.0) / (1.0 + 1.0)},
            {"tile", 8.0 * 8 / (8 + 8)},
            {"kv-cache", 2.0 * 32 * 8 * 128 * 2 * 32768},
            {"training", 70e9 * (2 + 2 + 4 + 4 + 4)},
            {"ring", 1e9 * 2 * (8 - 1) / 8},
            {"bubble", 100.0 * (4 - 1) / (12 + 4 - 1)},
            {"decode", 3.35e12 / (8e9 * 2)},
            {"speculation", (1 - std::pow(0.8, 5)) / (1 - 0.8)}};
        for (const PlacementArea& one : shipped().areas)
            for (const PlacementQuestion& asked : one.questions)
                QTest::newRow(asked.block.id.c_str())
                    << QString::fromStdString(asked.block.id)
                    << (worked.contains(asked.block.id) ? worked.at(asked.block.id) : NAN);
    }
    void theAnswersAreTrue()
    {
        QFETCH(QString, id);
        QFETCH(double, worked);
        QVERIFY2(!std::isnan(worked), "nobody works this answer out");
        const Placement placement = shipped();
        const QuizBlock& quiz = placement.question(id.toStdString())->quiz();
        QVERIFY2(std::abs(*quiz.number - worked) <= 0.005 * worked, qPrintable(QString::number(worked, 'g', 12)));
        // Whoever rounds on the way is right; who makes a mistake that has a name hears about it.
        for (const Misconception& wrong : quiz.misconceptions) {
            QVERIFY(std::abs(wrong.value - *quiz.number) > quiz.tolerance);
            QCOMPARE(likelyMisconception(quiz, wrong.value), &wrong);
        }
        QVERIFY(!likelyMisconception(quiz, *quiz.number * 1000 + 7));
    }

    void twoOfEachOfSevenAreas()
    {
        const Placement placement = shipped();
        QCOMPARE(placement.areas.size(), std::size_t(7));
        QCOMPARE(placement.questions(), std::size_t(14));
        QCOMPARE(placement.areaOf("banks")->id, std::string("cuda"));
        QCOMPARE(placement.areaOf(7)->id, std::string("inference"));
        // Every module has its area.
        for (int module = 1; module <= 7; ++module)
            QVERIFY2(placement.areaOf(module), qPrintable(QString::number(module)));
        QCOMPARE(placementLesson(placement).blocks().size(), std::size_t(14));
    }

    void theSecondComesOnlyAfterTheFirstWasRight()
    {
        const Placement placement = shipped();
        // All right: fourteen questions in order. All wrong: seven.
        for (const bool right : {true, false}) {
            std::vector<PlacementAnswer> answers;
            std::size_t left = mostLeft(placement, answers);
            QCOMPARE(left, std::size_t(14));
            while (const PlacementQuestion* next = nextQuestion(placement, answers)) {
                answers.push_back({next->block.id, right});
                QVERIFY(mostLeft(placement, answers) < left);
                left = mostLeft(placement, answers);
            }
            QCOMPARE(left, std::size_t(0));
            QCOMPARE(answers.size(), std::size_t(right ? 14 : 7));
            for (const PlacementArea& one : placement.areas)
                QCOMPARE(standingOf(one, answers), right ? Standing::Known : Standing::FromTheStart);
        }
        const PlacementArea& first = placement.areas.front();
        QCOMPARE(standingOf(first, {}), Standing::NotAsked);
        const std::vector<PlacementAnswer> half = {{"ridge", true}, {"registers", false}};
        QCOMPARE(standingOf(first, half), Standing::Partly);
        QCOMPARE(standingOf(first, std::span(half).first(1)), Standing::Partly);
        QCOMPARE(nextQuestion(placement, half)->block.id, std::string("sectors"));
    }

    void nothingIsAdvisedThatIsNotWritten()
    {
        const LoadedCurriculum loaded = loadCurriculum(test::sourceRoot() / "curriculum");
        const Curriculum& curriculum = loaded.curriculum;
        const Placement placement = shipped();
        const std::vector<std::string> order = {"4.1", "2.4", "1.1", "1.2"};
        const PlacementAdvice nobody = advise(curriculum, placement, {}, order);
        QCOMPARE(nobody.begin, std::string(curriculum.head("4.1") ? "4.1" : "2.4"));
        QVERIFY(nobody.fastTrack.empty());
        const std::vector<PlacementAnswer> cuda = {{"sectors", true}, {"banks", true}, {"ridge", false}};
        QCOMPARE(advise(curriculum, placement, cuda, std::span(order).subspan(1)).begin, std::string("1.1"));
        std::vector<PlacementAnswer> all;
        while (const PlacementQuestion* next = nextQuestion(placement, all))
            all.push_back({next->block.id, true});
        const PlacementAdvice expert = advise(curriculum, placement, all, order);
        for (const std::string& id : expert.fastTrack) {
            QVERIFY(curriculum.head(id));
            QVERIFY(id.ends_with(".capstone"));
        }
        QVERIFY(std::ranges::find(expert.fastTrack, "1.capstone") != expert.fastTrack.end());
        QVERIFY(expert.begin.empty()); // every module has its area, and all answers were right
        const Curriculum empty;
        QVERIFY(advise(empty, placement, all, order).begin.empty());
    }

    void mistakesOfTheFileAreTold()
    {
        SmallPlace place;
        place.write("curriculum.yaml", "modules:\n  - {number: 1, title: One, folder: 1-one, promise: P}\n");
        place.write("1-one/.keep", "");
        place.write("claims.yaml", "");
        place.write("glossary.yaml", "[]");
        const Curriculum none = loadCurriculum(place.root()).curriculum;
        QVERIFY(!hasPlacement(none));
        QVERIFY(!loadPlacement(none).placement);
        QVERIFY(loadPlacement(none).problems.empty());
        const auto told = [&](const std::string& text) {
            place.write("placement.yaml", text);
            std::string all;
            const LoadedPlacement loaded = loadPlacement(none);
            for (const Problem& problem : loaded.problems)
                all += problem.message + "\n";
            return loaded.placement ? std::string("fine") : all;
        };
        QCOMPARE(told("areas:\n" + area("one", 1)), std::string("fine"));
        // What stands in it is text of the curriculum: no number without a source, no claim that there is not.
        place.write("placement.yaml", "areas:\n" + test::replaced(area("one", 1), "Eight.", "It reads 5 GB/s."));
        QCOMPARE(test::count(lint(none, {}, test::sourceRoot()), "placement.yaml", 6, "bare performance number"), 1);
        const auto says = [&](const std::string& text, const char* word) {
            const std::string all = told(text);
            return all.find(word) != std::string::npos ? QString() : QString::fromStdString(text + " -> " + all);
        };
        const std::string head = "areas:\n  - id: one\n    title: One\n    modules: [1]\n    questions:\n";
        const std::pair<std::string, const char*> wrong[] = {
            {"areas:\n" + area("one", 5), "there is no module 5"},
            {"areas:\n" + area("one", 1) + area("two", 1), "belongs to two areas"},
            {head + question("a") + question("a"), "two questions are called 'a'"},
            {head + question("a"), "this has 1"},
            {head + question("A b") + question("b"), "not usable"},
            {head + question("a", ", colour: red") + question("b"), "unknown key 'colour'"},
            {head + "      - {id: a, question: Q, number: 1, explains: E}\n" + question("b"), "missing key 'source'"},
            {head + "      - {id: a, question: Q, explains: E, source: S}\n" + question("b"), "missing key 'number'"},
            {"areas: 7\n", "areas"},
            {"", "empty"}};
        for (const auto& [text, word] : wrong)
            QVERIFY2(says(text, word).isEmpty(), qPrintable(says(text, word)));
    }
};

QTEST_GUILESS_MAIN(TestPlacement)
#include "tst_placement.moc"
