// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks that ship: starters made of the solutions, solutions and decoys as they must come out, tolerances.
#include "base/json.h"
#include "base/task_course.h"
#include "grading.h"
#include "labs/grade/clock_reads.h"
#include "labs/grade/self_contained.h"
#include "labs/grade/task_reference.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

using namespace ridge;

namespace {

constexpr const char* kTarget = "sim:h100-sxm";

KernelText textOf(const std::filesystem::path& path)
{
    auto text = readFile(path);
    if (!text)
        throw std::runtime_error(toText(text.error()));
    return {path.string(), std::move(*text), false};
}

void eachTask()
{
    QTest::addColumn<QString>("id");
    const auto tasks = shippedTasks();
    QVERIFY2(tasks.ok(), tasks ? "" : toText(tasks.error()).c_str());
    QVERIFY(tasks->size() >= 3);
    for (const KernelTask& task : *tasks)
        QTest::newRow(task.id.c_str()) << QString::fromStdString(task.id);
}

KernelTask thisTask()
{
    return *shippedTask(QTest::currentDataTag());
}

std::vector<float> floats(const std::vector<std::byte>& bytes)
{
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

std::vector<std::byte> bytesOf(const std::vector<float>& values)
{
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

} // namespace

class TestKernelTasks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void startersAreMadeOfSolutions_data() { eachTask(); }
    void startersAreMadeOfSolutions()
    {
        const KernelTask task = thisTask();
        const auto starter = starterOf(textOf(task.folder / "solution.cu").text);
        QVERIFY2(starter.ok(), starter ? "" : toText(starter.error()).c_str());
        if (qEnvironmentVariableIsSet("RIDGE_UPDATE_GOLDENS"))
            QVERIFY(writeFile(task.folder / "starter.cu", *starter).ok());
        QCOMPARE(QString::fromStdString(textOf(task.folder / "starter.cu").text), QString::fromStdString(*starter));
        QVERIFY(starter->find("@") == std::string::npos);
    }

    /// One numbering from easy to hard, and all that a learner is shown.
    void theyAreACourse()
    {
        const auto tasks = tasksInOrder();
        QVERIFY(tasks->size() >= 30);
        int number = 0, level = 1;
        for (const auto& [task, course] : *tasks) {
            QCOMPARE(course.number, ++number);
            QVERIFY2(course.level == level || course.level == level + 1, task.id.c_str());
            level = course.level;
            QVERIFY2(course.hints.size() >= 3 && course.hints.size() <= 9, task.id.c_str());
            QVERIFY2(course.explanation.size() > 200 && !task.lesson.empty(), task.id.c_str());
            QVERIFY2(course.picture.find('\n') != std::string::npos, task.id.c_str());
            for (const QString& line : QString::fromStdString(course.picture).split(QLatin1Char('\n')))
                QVERIFY2(line.size() <= 80, task.id.c_str());
            // The other way is another way, and says how.
            const auto second = secondSolution(task);
            QVERIFY2(second.ok(), task.id.c_str());
            QVERIFY2(*second != textOf(task.folder / "solution.cu").text, task.id.c_str());
            QVERIFY2(launchFormulas(*second, task).ok(), task.id.c_str());
            QVERIFY2(second->find("// Launch") != std::string::npos, task.id.c_str());
        }
        QCOMPARE(level, kTaskLevels);
    }

    void boundedNumbersStayBelow()
    {
        const auto task = shippedTask("gather");
        const ParamSet sizes{
            {"tokens", std::int64_t{700}}, {"width", std::int64_t{3}}, {"vocabulary", std::int64_t{11}}};
        const auto idsOf = [](const labs::TaskData& data) {
            std::vector<std::uint32_t> ids(data.values[3].size() / 4);
            std::memcpy(ids.data(), data.values[3].data(), data.values[3].size());
            return ids;
        };
        for (const auto kind : {labs::DataKind::Plain, labs::DataKind::Wide, labs::DataKind::FewBits}) {
            const auto data = labs::drawData(*task, sizes, kind, 9);
            QVERIFY(data.ok());
            std::set<std::uint32_t> seen;
            for (const std::uint32_t id : idsOf(*data))
                seen.insert(id);
            QCOMPARE(seen.size(), std::size_t{11});
            QCOMPARE(*seen.rbegin(), 10u);
            bool changed = false;
            for (std::uint64_t seed = 0; seed < 8; ++seed) {
                const auto other = idsOf(labs::altered(*task, *data, seed));
                changed = changed || other != idsOf(*data);
                for (const std::uint32_t id : other)
                    QVERIFY(id < 11);
            }
            QVERIFY(changed);
        }
        const auto arguments = publicArguments(*task, sizes);
        QVERIFY(arguments.ok());
        QCOMPARE((*arguments)[3], std::string("in:u32:700:zeros")); // a place in any table
    }

    /// A file is read once, and again where it was written since.
    void aTaskThatIsWrittenAnewIsReadAnew()
    {
        namespace fs = std::filesystem;
        QTemporaryDir place;
        KernelTask task = *shippedTask("gather");
        const std::string before = textOf(task.folder / "task.json").text;
        task.folder = place.path().toStdString();
        const fs::path file = task.folder / "task.json";
        QCOMPARE(taskBounds(task).error().code, taskCourse(task).error().code); // there is none yet
        QVERIFY(writeFile(file, before).ok());
        QCOMPARE(taskBounds(task)->at("ids").below, std::string("vocabulary"));
        std::string after = before;
        after.replace(after.find("\"below\": \"vocabulary\""), 21, "\"below\": \"tokens\"");
        QVERIFY(writeFile(file, after).ok());
        fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(2));
        QCOMPARE(taskBounds(task)->at("ids").below, std::string("tokens"));
        // What is wrong is told, and told again.
        QVERIFY(writeFile(file, "{").ok());
        fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(4));
        for (int times = 0; times < 2; ++times)
            QCOMPARE(taskBounds(task).error().code, std::string("bad-json"));
    }

    void narrowNumbersStayWithin()
    {
        const auto task = shippedTask("attention");
        const auto data = labs::drawData(*task, {{"n", std::int64_t{64}}}, labs::DataKind::Wide, 3);
        QVERIFY(data.ok());
        float most = 0, mostOfValues = 0;
        for (const float x : floats(data->values[1]))
            most = std::max(most, std::abs(x));
        for (const float x : floats(data->values[3]))
            mostOfValues = std::max(mostOfValues, std::abs(x));
        QVERIFY(most > 16 && most < 32);
        QVERIFY(mostOfValues > 1000);
    }

    /// What random numbers next to never are: zeros, 32 of them in a row, halves, rows of negative numbers far from 0.
    void wideDataHaveEdges()
    {
        const auto task = shippedTask("reverse");
        constexpr std::int64_t n = 65536;
        const auto data = labs::drawData(*task, {{"n", n}}, labs::DataKind::Wide, 11);
        QVERIFY(data.ok());
        const auto x = floats(data->values[1]);
        int zeros = 0, groupsOfZeros = 0, shortOnes = 0, edges = 0, negativeRows = 0, positiveRows = 0;
        for (std::size_t begin = 0; begin < x.size(); begin += 32)
            groupsOfZeros += std::all_of(&x[begin], &x[begin] + 32, [](float v) { return v == 0; }) ? 1 : 0;
        for (std::size_t begin = 0; begin < x.size(); begin += 512) {
            negativeRows += std::all_of(&x[begin], &x[begin] + 512, [](float v) { return v <= -0x1p19F; }) ? 1 : 0;
            positiveRows += std::all_of(&x[begin], &x[begin] + 512, [](float v) { return v > 0; }) ? 1 : 0;
        }
        for (const float value : x) {
            int exponent = 0;
            const float fraction = std::frexp(std::abs(value), &exponent);
            zeros += value == 0 ? 1 : 0;
            shortOnes += value != 0 && std::fmod(fraction * 512, 1.0F) == 0 ? 1 : 0;
            edges += fraction == 127.0F / 128 ? 1 : 0; // the most that a group of 8-bit numbers has room for
        }
        QVERIFY(zeros > 1000 && zeros < n / 8);
        QVERIFY(groupsOfZeros > 10);
        QVERIFY(shortOnes > 4000);
        QVERIFY(edges > 100);
        QVERIFY(negativeRows > 10 && positiveRows > 10);
    }

    /// Most values of a histogram are the same one, and a score may be larger than all that are usual.
    void wideWholeNumbersAreUneven()
    {
        const auto counted =
            labs::drawData(*shippedTask("histogram"), {{"n", std::int64_t{4096}}, {"bins", std::int64_t{64}}},
                           labs::DataKind::Wide, 3);
        QVERIFY(counted.ok());
        std::vector<std::uint32_t> values(4096);
        std::memcpy(values.data(), counted->values[2].data(), counted->values[2].size());
        std::map<std::uint32_t, int> counts;
        for (const std::uint32_t value : values)
            ++counts[value];
        QCOMPARE(counts.size(), std::size_t{64});
        QVERIFY(counts.rbegin()->first == 63);
        QVERIFY(std::any_of(counts.begin(), counts.end(), [](const auto& each) { return each.second > 3000; }));

        const auto scored =
            labs::drawData(*shippedTask("argmax"), {{"rows", std::int64_t{64}}, {"columns", std::int64_t{1024}}},
                           labs::DataKind::Wide, 3);
        QVERIFY(scored.ok());
        std::vector<std::int32_t> scores(65536);
        std::memcpy(scores.data(), scored->values[2].data(), scored->values[2].size());
        std::sort(scores.begin(), scores.end());
        const auto beyond = std::count_if(scores.begin(), scores.end(), [&](int s) { return s >= scores[0] + 100; });
        QVERIFY(beyond > 20 && beyond < 200);
    }

    /// Files of tasks that are not as they must be say so by name.
    void badTasksAreRefused_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        QTest::newRow("level") << "/level"
                               << "9"
                               << "level";
        QTest::newRow("number") << "/number"
                                << "0"
                                << "number";
        QTest::newRow("below a float") << "/parameters/1/below"
                                       << "\"n\""
                                       << "below";
        QTest::newRow("exponent") << "/parameters/1/exponent"
                                  << "40"
                                  << "exponent";
        QTest::newRow("no hints") << "/hints"
                                  << "3"
                                  << "hints";
    }
    void badTasksAreRefused()
    {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(QString, says);
        Json json = *parseJson(textOf(shippedTask("map")->folder / "task.json").text, "task.json");
        QVERIFY(taskCourseFromJson(json).ok() && taskBoundsFromJson(json).ok());
        json[Json::json_pointer(key.toStdString())] = *parseJson(value.toStdString(), "value");
        const auto course = taskCourseFromJson(json);
        const auto bounds = taskBoundsFromJson(json);
        QVERIFY(!course.ok() || !bounds.ok());
        const Error error = course ? bounds.error() : course.error();
        QCOMPARE(error.code, std::string("bad-task"));
        QVERIFY2(toText(error).find(says.toStdString()) != std::string::npos, toText(error).c_str());
    }

    void sameSecretSameGrade()
    {
        const KernelText text = textOf(shippedTask("dot")->folder / "solution.cu");
        const auto a = test::graded("dot", text, kTarget, "s"), b = test::graded("dot", text, kTarget, "s");
        QCOMPARE(toJson(a.facts).dump(), toJson(b.facts).dump());
        const auto other = test::graded("dot", text, kTarget, "t");
        QVERIFY(a.facts.cases != other.facts.cases);
    }

    void hiddenCasesAreDrawnFromTheSecret()
    {
        const auto task = shippedTask("saxpy");
        std::set<std::int64_t> seen;
        int small = 0, twoOfFour = 0;
        for (int i = 0; i < 40; ++i) {
            const auto cases = gradeCases(*task, "sim", std::to_string(i));
            QCOMPARE(cases, gradeCases(*task, "sim", std::to_string(i)));
            for (const GradeCase& c : cases) {
                if (!c.hidden)
                    continue;
                const std::int64_t n = std::get<std::int64_t>(c.sizes.at("n"));
                QVERIFY((n >= 1501 && n <= 12288) || (n >= 2 && n <= 31));
                seen.insert(n);
                small += n <= 31 ? 1 : 0;
                twoOfFour += n > 31 && n % 4 == 2 ? 1 : 0;
            }
            QVERIFY(cases.back().timed);
        }
        QVERIFY(seen.size() > 30);
        QCOMPARE(small, 40);
        QCOMPARE(twoOfFour, 40);
    }

    void tolerancesFollowTheirRule()
    {
        // gamma(n) for few roundings, 8 sqrt(n) u for many; never more than the first.
        const double u = 0x1p-24;
        QCOMPARE(labs::allowedError(DataType::F32, 2), 2 * u / (1 - 2 * u));
        QCOMPARE(labs::allowedError(DataType::F32, 65536), 8 * 256 * u);
        QCOMPARE(labs::allowedError(DataType::F32, 0), 0.0);
        QCOMPARE(labs::allowedError(DataType::I32, 5), 0.0);
        QVERIFY(labs::allowedError(DataType::F16, 16) > 1000 * labs::allowedError(DataType::F32, 16));
        for (std::uint64_t n = 1; n < 5000; n *= 3)
            QVERIFY(labs::allowedError(DataType::F32, n) <= static_cast<double>(n) * u * 1.001);
    }

    void comparisonTakesNothingForANumber()
    {
        TaskParameter out;
        out.name = "z";
        out.role = TaskParameter::Role::Out;
        out.type = DataType::F32;
        const labs::Expected expected{{1, 1, 1, 0}, {1, 1, 1, 0}};
        const auto before = bytesOf({9, 9, 9, 9});
        const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
        const auto compared = labs::compare(out, 2, expected, before, bytesOf({1, nan, -inf, 0}));
        QCOMPARE(compared.wrong, std::uint64_t{2});
        QCOMPARE(compared.unwritten, std::uint64_t{0});
        QVERIFY(std::isinf(compared.worstRelative));
        QCOMPARE(labs::compare(out, 2, expected, before, before).unwritten, std::uint64_t{4});
        // Where all terms are 0 the result is, too.
        QCOMPARE(labs::compare(out, 2, expected, before, bytesOf({1, 1, 1, 1e-30f})).wrong, std::uint64_t{1});
    }

    /// Of bytes one in 256 is by chance what lay there before.
    void wrongBytesByChanceWereWritten()
    {
        TaskParameter out;
        out.name = "q";
        out.role = TaskParameter::Role::Out;
        out.type = DataType::I8;
        const labs::Expected expected{std::vector<double>(256, 1), std::vector<double>(256, 1)};
        const std::vector<std::byte> before(256, std::byte{9});
        std::vector<std::byte> found(256);
        for (std::size_t i = 0; i < found.size(); ++i)
            found[i] = static_cast<std::byte>(i);
        auto compared = labs::compare(out, 0, expected, before, found);
        QCOMPARE(compared.wrong, std::uint64_t{255});
        QCOMPARE(compared.unwritten, std::uint64_t{0});
        QVERIFY(compared.example.find("q[0] is 0, not 1") == 0);
        // A row that was left out is no chance, nor is a last element where all others are right.
        std::fill(found.begin() + 100, found.begin() + 164, std::byte{9});
        compared = labs::compare(out, 0, expected, before, found);
        QVERIFY(compared.unwritten >= 64);
        found.assign(256, std::byte{1});
        found.back() = std::byte{9};
        compared = labs::compare(out, 0, expected, before, found);
        QCOMPARE(compared.unwritten, std::uint64_t{1});
        QCOMPARE(compared.example, std::string("q[255] was never written"));
    }

    void clocksThatAKernelCanReach()
    {
        const auto reads = [](const std::string& body, const std::string& outside = {}) {
            return labs::readsClock(".version 8.0\n.target sm_80\n.address_size 64\n" + outside +
                                        "\n.visible .entry k(.param .u64 pa)\n{ .reg .u32 %r<9>; .reg .u64 %rd<9>;\n" +
                                        body + "\nret; }\n",
                                    "k");
        };
        const std::string other = "{ .reg .u32 %r<9>; mov.u32 %r1, %clock; ret; }\n";
        QVERIFY(!reads("mov.u32 %r1, %tid.x; // %clock"));
        QVERIFY(reads("mov.u32 %r1, %clock;"));
        QVERIFY(reads("mov.u64 %rd1, %clock64;"));
        QVERIFY(reads("mov.u32 %r1, %globaltimer_lo;"));
        QVERIFY(reads("mov.u32 %r1, %pm3;"));
        QVERIFY(!reads("", ".visible .entry measure() " + other));
        QVERIFY(!reads("", ".func late() " + other));
        QVERIFY(reads("call late, ();", ".func late() " + other));
        QVERIFY(reads("call then, ();", ".func late() " + other + ".func then() { call late, (); ret; }\n"));
        QVERIFY(reads("mov.u64 %rd1, late;", ".func late() " + other));
        QVERIFY(reads("", ".func late() " + other + ".global .u64 table[1] = {late};\n"));
    }

    void waitsOfTheToolkitAreNoClocks()
    {
        const auto only = [](const std::string& text) {
            return labs::onlyToolkitWaits({"x.cu", "#include <cuda/barrier>\n" + text, false});
        };
        QVERIFY(only("// no clock, no asm\nbarrier.arrive_and_wait(); const char* t = \"time\"; int n = 1'000;\n"));
        QVERIFY(!labs::onlyToolkitWaits({"x.cu", "clock64();", false}));
        QVERIFY(!labs::onlyToolkitWaits({"x.ptx", "// #include <cuda/barrier>\n", true}));
        for (const char* bad :
             {"clock64();", "cuda::std::chrono::now();", "barrier.try_wait_for(token, t);", "__asm__ volatile(\"\");",
              "cl\\\nock64();", "cl?\?/\nock64();", "#define J(a, b) a##b\n", "#define J(a, b) a%:%:b\n",
              "__nvvm_read_ptx_sreg_pm0();", "__builtin_readcyclecounter();", "/* */ clock(); /* */"})
            QVERIFY2(!only(bad), bad);
    }

    /// Scores that repeat, of which nobody knows the largest.
    void scoresHaveNoKnownLargest()
    {
        const auto task = shippedTask("argmax");
        const ParamSet sizes{{"rows", std::int64_t{4}}, {"columns", std::int64_t{250}}};
        const auto rangeOf = [](const labs::TaskData& data) {
            std::vector<std::int32_t> scores(data.values[2].size() / 4);
            std::memcpy(scores.data(), data.values[2].data(), data.values[2].size());
            const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
            return std::pair(*least, *most);
        };
        std::set<std::int32_t> largest;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const auto data = labs::drawData(*task, sizes, labs::DataKind::Plain, seed);
            QVERIFY(data.ok());
            const auto [least, most] = rangeOf(*data);
            QVERIFY(least >= 0 && most - least < 100 && most > least);
            largest.insert(most);
        }
        QVERIFY(largest.size() > 15);
        const auto known = labs::publicData(*task, sizes);
        QVERIFY(known.ok());
        QCOMPARE(rangeOf(*known), std::pair(0, 99));
        // Where a bound is part of the task, numbers start at 0.
        const auto counted = labs::drawData(
            *shippedTask("histogram"), {{"n", std::int64_t{500}}, {"bins", std::int64_t{7}}}, labs::DataKind::Plain, 3);
        QVERIFY(counted.ok());
        std::vector<std::uint32_t> values(500);
        std::memcpy(values.data(), counted->values[2].data(), counted->values[2].size());
        QCOMPARE(std::set<std::uint32_t>(values.begin(), values.end()), (std::set<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}));
    }

    void biasedDataRoundDown()
    {
        const auto task = shippedTask("saxpy");
        const auto data = labs::drawData(*task, {{"n", std::int64_t{1000}}}, labs::DataKind::Biased, 7);
        QVERIFY(data.ok());
        for (const float x : floats(data->values[2])) {
            QVERIFY(x >= 1 && x < 2);
            for (const int bits : {7, 10}) {
                const double unit = std::ldexp(1.0, -bits), rest = std::fmod(static_cast<double>(x), unit) / unit;
                QVERIFY(rest >= 0.25 && rest < 0.5);
            }
        }
    }

    /// One buffer of the inputs differs, in a thirty-second part of it, and nothing else; one element at the least.
    void alteredDataDifferInAPart()
    {
        const auto task = shippedTask("dot");
        std::set<std::size_t> buffers;
        for (const std::int64_t n : {1, 40, 4096}) {
            const auto data = labs::drawData(*task, {{"n", n}}, labs::DataKind::Biased, 5);
            QVERIFY(data.ok());
            for (std::uint64_t seed = 0; seed < 16; ++seed) {
                const auto other = labs::altered(*task, *data, seed);
                std::size_t changed = 0;
                for (std::size_t i = 0; i < data->values.size(); ++i) {
                    if (data->values[i] == other.values[i])
                        continue;
                    ++changed;
                    buffers.insert(i);
                    const auto before = floats(data->values[i]), after = floats(other.values[i]);
                    std::int64_t places = 0, large = 0;
                    for (std::size_t at = 0; at < before.size(); ++at) {
                        const bool isLarge = after[at] >= 0x1p19F;
                        QVERIFY(isLarge || after[at] == before[at] || after[at] == -before[at]);
                        places += after[at] != before[at] ? 1 : 0;
                        large += isLarge ? 1 : 0;
                    }
                    QCOMPARE(places, std::max<std::int64_t>(1, n / 32));
                    QCOMPARE(large, std::max<std::int64_t>(1, n / 32 / 64)); // whoever looks at the first few sees none
                }
                QCOMPARE(changed, std::size_t{1});
            }
        }
        QCOMPARE(buffers, (std::set<std::size_t>{1, 2}));
    }

    void fewBitsLoseNone()
    {
        const auto task = shippedTask("dot");
        const auto data = labs::drawData(*task, {{"n", std::int64_t{500}}}, labs::DataKind::FewBits, 3);
        QVERIFY(data.ok());
        std::set<float> seen;
        for (const float x : floats(data->values[1]))
            seen.insert(x);
        QCOMPARE(seen, (std::set<float>{-1, 1}));
    }

    void outputsBeginAsNoNumber()
    {
        const auto task = shippedTask("saxpy");
        const ParamSet sizes{{"n", std::int64_t{100}}};
        const auto one = labs::drawData(*task, sizes, labs::DataKind::Plain, 1);
        const auto two = labs::drawData(*task, sizes, labs::DataKind::Plain, 2);
        QVERIFY(one.ok() && two.ok());
        for (const float z : floats(one->values[4]))
            QVERIFY(std::isnan(z));
        QVERIFY(one->values[4] != two->values[4]); // nor does anybody know which
        QVERIFY(one->values[2] != two->values[2]);
        QCOMPARE(one->values, labs::drawData(*task, sizes, labs::DataKind::Plain, 1)->values);
    }

    void launchLinesAreRead()
    {
        const auto task = shippedTask("matmul");
        const ParamSet sizes{{"m", std::int64_t{33}}, {"n", std::int64_t{65}}, {"k", std::int64_t{7}}};
        const auto formulas = launchFormulas(
            "// head\n//\n// Launch  --grid max(ceil(n/32), 2),ceil(m/16) --block 32,8 --smem 4*k\n", *task);
        QVERIFY(formulas.ok());
        const auto launch = launchAt(*formulas, sizes);
        QVERIFY(launch.ok());
        QCOMPARE(launch->grid, (std::array<std::uint64_t, 3>{3, 3, 1}));
        QCOMPARE(launch->block, (std::array<std::uint64_t, 3>{32, 8, 1}));
        QCOMPARE(launch->sharedBytes, std::uint64_t{28});
        // Many write #include first. A word that only begins so is no such line.
        QCOMPARE(launchAt(*launchFormulas("// Launches soon\n#include <mma.h>\n\nint x;\n// Launch --grid 9\n"
                                          "// Launch --grid 8\n",
                                          *task),
                          sizes)
                     ->grid[0],
                 std::uint64_t{9});
        for (const char* line : {"/// Launch: --grid 7", "/* Launch --grid 7 */", "//launch --grid 7"})
            QCOMPARE(launchAt(*launchFormulas(line, *task), sizes)->grid[0], std::uint64_t{7});
        QCOMPARE(launchAt(*launchFormulas("// launched -- soon\n//\n", *task), sizes)->grid[0], std::uint64_t{5});
        QCOMPARE(launchAt(*launchFormulas("int x; // Launch --grid 9\n", *task), sizes)->grid[0], std::uint64_t{5});
        QCOMPARE(launchFormulas("// Launch --arg 3\n", *task).error().code, std::string("bad-launch-line"));
        QCOMPARE(launchAt(*launchFormulas("// Launch --grid m-33\n", *task), sizes).error().code,
                 std::string("bad-launch-line"));
        QCOMPARE(launchAt(*launchFormulas("// Launch --grid n/2\n", *task), sizes).error().code,
                 std::string("bad-formula"));
    }

    void markersAreHeldToTheirForm()
    {
        QCOMPARE(*starterOf("a\n  // @solution\n  // @hint look\n  b\n  // @end\nc\n"),
                 std::string("a\n  // look\nc\n"));
        QCOMPARE(*solutionText("a\n// @solution\n// @hint look\nb\n// @end\n"), std::string("a\nb\n"));
        for (const char* wrong : {"// @solution\n", "// @end\n", "// @hint x\n", "// @solution\n// @solution\n"})
            QCOMPARE(starterOf(wrong).error().code, std::string("bad-markers"));
    }

    void aStoppedGradingIsNone()
    {
        const auto task = shippedTask("dot");
        KernelGradeRequest request;
        request.source = textOf(task->folder / "solution.cu");
        request.task = "dot";
        request.target = kTarget;
        request.secret = "s";
        request.cases = gradeCases(*task, "sim", "s");
        // Stopped when the results are being checked: between two launches, where no launch notices.
        bool checking = false, told = false;
        std::string failed;
        labs::executeKernel(
            request,
            [&](const Event& event) {
                if (const auto* progress = std::get_if<ProgressEvent>(&event))
                    checking = checking || progress->fraction > 0.5;
                told = told || std::holds_alternative<KernelEvent>(event);
                if (const auto* failure = std::get_if<FailedEvent>(&event))
                    failed = failure->error.code;
            },
            [&] { return checking; },
            [] {
                return Error{"time-limit", "", "", ""};
            });
        QVERIFY(!told);
        QCOMPARE(failed, std::string("time-limit"));
    }

    void filesOfOthersAreNotRead()
    {
        const auto code = [](const char* text) {
            const auto alone = labs::requireSelfContained({"x.cu", text, false});
            return alone ? std::string("alone") : alone.error().code;
        };
        for (const char* good :
             {"#include <cuda_fp16.h>\n", "  #  include <cooperative_groups/reduce.h>\n",
              "// what it includes\nint included;\n", "#\\\ninclude <mma.h>\n",
              "// to include the halo, #include \"halo.h\"\n", "/*\n#include \"x\"\n*/\nfloat import = embed[0];\n",
              "const char* t = \"#include\"; int n = 1'000;\n",
              "#if defined(__has_include) && __has_include(<cuda_fp16.h>)\n#endif\n"})
            QVERIFY2(code(good) == "alone", good);
        for (const char* bad : {"#include \"/etc/passwd\"\n",
                                "#include </etc/passwd>\n",
                                "#include <../x.h>\n",
                                "#include NAME\n",
                                "/**/#include \"x\"\n",
                                "#/**/include \"x\"\n",
                                "#inc\\\nlude \"x\"\n",
                                "#inc\\ \nlude \"x\"\n",
                                "#inc?\?/\nlude \"x\"\n",
                                "%:include \"x\"\n",
                                "#include_next <x>\n",
                                "#import <x>\n",
                                "#embed \"x\"\n",
                                "#include <x\n>\n",
                                "#if __has_include(\"/home/me/x\")\n#endif\n",
                                "#if __has_include(</etc/passwd>)\n#endif\n",
                                "int day = __DATE__[4];\n",
                                "const char* t = \"/*\";\n#include \"x\"\n",
                                "int c = L'/*';\n#include \"x\"\n//*/\n",
                                "int n = 1'0;\n#include \"x\"\nint c = 'a';\n",
                                "const char* t = R\"/(\"/*)/\";\n#include \"x\"\n",
                                "FOR\"(\"\n#include \"x\"\n\")\"\n",
                                "?\?=include \"x\"\n"})
            QVERIFY2(code(bad) == "not-self-contained", bad);
        QVERIFY(toText(labs::requireSelfContained({"x.cu", "\n\\\n#include \"x\"", false}).error()).find("x.cu:3") !=
                std::string::npos);
    }

    void wrongFilesAreRefused()
    {
        const auto codeOf = [](const char* text) -> std::string {
            try {
                test::graded("saxpy", {"x.cu", text, false}, kTarget, "s");
            } catch (const std::runtime_error& error) {
                return std::string(error.what()).substr(0, std::string(error.what()).find(':'));
            }
            return "graded";
        };
        QCOMPARE(codeOf("__global__ void other(int* a) { a[0] = 1; }"), std::string("kernel-not-found"));
        QCOMPARE(codeOf("__global__ void saxpy(int* a) { a[0] = 1; }"), std::string("wrong-signature"));
        QCOMPARE(codeOf("__global__ void saxpy("), std::string("compile-failed"));
    }
};

QTEST_GUILESS_MAIN(TestKernelTasks)
#include "tst_kernel_tasks.moc"
