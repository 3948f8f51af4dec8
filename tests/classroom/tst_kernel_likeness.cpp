// SPDX-License-Identifier: GPL-3.0-or-later
// What makes two kernels alike, and what does not.
#include "base/json.h"
#include "base/kernel_task.h"
#include "base/paths.h"
#include "classroom/alike_kernels.h"

#include <QtTest>
#include <map>
#include <set>

using namespace ridge;
using namespace ridge::classroom;

namespace {

using How = AlikeKernels::How;

std::string solutionOf(const std::string& task)
{
    return *solutionText(*readFile(shippedTask(task)->folder / "solution.cu"));
}

std::string starterOfTask(const std::string& task)
{
    return *readFile(shippedTask(task)->folder / "starter.cu");
}

/// The names that somebody chose themselves, by others; whole words only.
std::string renamed(std::string text, const std::vector<std::pair<QString, QString>>& names)
{
    QString all = QString::fromStdString(text);
    for (const auto& [from, to] : names)
        all.replace(QRegularExpression(QStringLiteral("(?<!\\.)\\b%1\\b").arg(from)), to); // not of threadIdx.x
    return all.toStdString();
}

const std::vector<std::pair<QString, QString>> kMatmulNames{
    {QStringLiteral("fromA"), QStringLiteral("left")}, {QStringLiteral("fromB"), QStringLiteral("right")},
    {QStringLiteral("row"), QStringLiteral("r")},      {QStringLiteral("column"), QStringLiteral("c0")},
    {QStringLiteral("sum"), QStringLiteral("acc")},    {QStringLiteral("step"), QStringLiteral("t")},
    {QStringLiteral("along"), QStringLiteral("p")},    {QStringLiteral("down"), QStringLiteral("q")},
    {QStringLiteral("i"), QStringLiteral("kk")},       {QStringLiteral("m"), QStringLiteral("M")},
    {QStringLiteral("k"), QStringLiteral("K")},        {QStringLiteral("a"), QStringLiteral("inA")},
    {QStringLiteral("b"), QStringLiteral("inB")},      {QStringLiteral("c"), QStringLiteral("outC")}};

const std::vector<std::pair<QString, QString>> kOtherNames{
    {QStringLiteral("own"), QStringLiteral("mine")},   {QStringLiteral("part"), QStringLiteral("sums")},
    {QStringLiteral("i"), QStringLiteral("at")},       {QStringLiteral("threads"), QStringLiteral("stride")},
    {QStringLiteral("tile"), QStringLiteral("patch")}, {QStringLiteral("row"), QStringLiteral("r")},
    {QStringLiteral("lane"), QStringLiteral("l")},     {QStringLiteral("top"), QStringLiteral("y0")}};

KernelShape shapeOf(const std::string& text, const std::string& task = "matmul")
{
    return kernelShape(text, starterOfTask(task), solutionOf(task));
}

} // namespace

class TestKernelLikeness : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void disguisesAreSeenThrough_data()
    {
        QTest::addColumn<QString>("text");
        const std::string original = solutionOf("matmul");
        const QString q = QString::fromStdString(original);
        QTest::newRow("renamed") << QString::fromStdString(renamed(original, kMatmulNames));
        QTest::newRow("one line") << QString(q)
                                         .replace(QRegularExpression(QStringLiteral("//[^\\n]*\\n")), {})
                                         .replace(QRegularExpression(QStringLiteral("\\s+")), QStringLiteral(" "));
        QTest::newRow("wide") << QString(q)
                                     .replace(QRegularExpression(QStringLiteral("//[^\\n]*\\n")), {})
                                     .replace(QRegularExpression(QStringLiteral("([;,(){}\\[\\]])")),
                                              QStringLiteral(" \\1\n\t"));
        QTest::newRow("other comments") << QStringLiteral("/* mine */\n") +
                                               QString(q).replace(
                                                   QStringLiteral("float sum = 0;"),
                                                   QStringLiteral("/* a { b */ float /* ; */ sum = 0; // for (\n"));
        QTest::newRow("comments in another order")
            << QString(q).replace(QRegularExpression(QStringLiteral("//[^\\n]*\\n")), QStringLiteral("\n")) +
                   QStringLiteral("// Launch --grid ceil(n/16),ceil(m/16) --block 16,16\n");
        QTest::newRow("braces") << QString(q)
                                       .replace(QStringLiteral("        c[row * n + column] = sum;"),
                                                QStringLiteral("    {\n c[row * n + column] = sum;\n }"))
                                       .replace(
                                           QStringLiteral("sum += fromA[threadIdx.y][i] * fromB[i][threadIdx.x];"),
                                           QStringLiteral("{ sum += fromA[threadIdx.y][i] * fromB[i][threadIdx.x]; }"));
        QTest::newRow("line ends") << QString(q).replace(QLatin1Char('\n'), QStringLiteral("\r\n"));
        QTest::newRow("all of it") << QString::fromStdString(renamed(original, kMatmulNames))
                                          .replace(QRegularExpression(QStringLiteral("//[^\\n]*\\n")),
                                                   QStringLiteral("// x\n"))
                                          .replace(QStringLiteral("    "), QStringLiteral("\t"));
    }
    void disguisesAreSeenThrough()
    {
        QFETCH(QString, text);
        const std::string original = solutionOf("matmul"), copy = text.toStdString();
        QVERIFY(copy != original);
        QCOMPARE(normalisedCode(copy), normalisedCode(original));
        const KernelShape one = shapeOf(original), other = shapeOf(copy);
        QVERIFY(one.text != other.text);
        QCOMPARE(one.shape, other.shape);
        QVERIFY(other.solution && one.ownWords == other.ownWords);
    }

    /// Each loop and function has names of its own: giving every one of them another one is no other kernel.
    void namesAreOfTheirBlock()
    {
        const char* one = "__device__ float f(float v) { return v * v; }\n"
                          "__device__ float g(float v) { return f(v) + 1; }\n"
                          "__global__ void k(float* o, int n) { for (int i = 0; i < n; ++i) o[i] = f(o[i]);\n"
                          " for (int i = 0; i < n; ++i) { int j = i; o[j] += g(o[i]); } { int j = 2; o[j] = 0; } }";
        const char* other =
            "__device__ float sq(float x) { return x * x; }\n"
            "__device__ float up(float y) { return sq(y) + 1; }\n"
            "__global__ void run(float* out, int m) { for (int a = 0; a < m; ++a) { out[a] = sq(out[a]); }\n"
            " for (int b = 0; b < m; ++b) { int c = b; out[c] += up(out[b]); } { int d = 2; out[d] = 0; } }";
        QCOMPARE(normalisedCode(other), normalisedCode(one));
    }

    void otherCodeIsNotAlike_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::newRow("indices swapped") << QStringLiteral("c[row * n + column]")
                                         << QStringLiteral("c[column * n + row]");
        QTest::newRow("another operation") << QStringLiteral("sum +=") << QStringLiteral("sum -=");
        QTest::newRow("another number") << QStringLiteral("step += 16") << QStringLiteral("step += 32");
        QTest::newRow("another intrinsic") << QStringLiteral("__syncthreads();") << QStringLiteral("__syncwarp();");
        QTest::newRow("another member") << QStringLiteral("blockIdx.y") << QStringLiteral("blockIdx.x");
        QTest::newRow("another type") << QStringLiteral("float sum") << QStringLiteral("double sum");
        QTest::newRow("a line more") << QStringLiteral("float sum = 0;") << QStringLiteral("float sum = 0, more = 1;");
    }
    void otherCodeIsNotAlike()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        const std::string original = solutionOf("matmul");
        const std::string changed = QString::fromStdString(original).replace(from, to).toStdString();
        QVERIFY(changed != original);
        QVERIFY(shapeOf(changed).shape != shapeOf(original).shape);
        QVERIFY(!shapeOf(changed).solution);
        QVERIFY(normalisedCode("atomicAdd(p, 1);") != normalisedCode("atomicSub(p, 1);"));
    }

    /// The honest kernels of the corpus were written apart, and no attack is any of them.
    void whatWasWrittenApartIsNotAlike()
    {
        const std::filesystem::path corpus =
            std::filesystem::path(qEnvironmentVariable("RIDGE_SOURCE").toStdString()) / "tests" / "cheats";
        std::map<std::string, std::string> shapes;
        int files = 0;
        for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
            if (entry.path().extension() != ".cu")
                continue;
            const auto words = normalisedCode(*readFile(entry.path()));
            std::string all;
            for (const std::string& word : words)
                all += word + ' ';
            const auto [place, fresh] = shapes.emplace(all, entry.path().filename().string());
            QVERIFY2(fresh, (place->second + " and " + entry.path().filename().string()).c_str());
            ++files;
        }
        QVERIFY(files > 50);
        const auto tasks = shippedTasks();
        for (const KernelTask& task : *tasks)
            for (const auto& entry : std::filesystem::directory_iterator(corpus))
                if (entry.path().extension() == ".cu" && entry.path().stem().string().starts_with("honest_" + task.id))
                    QVERIFY2(!shapeOf(*readFile(entry.path()), task.id).solution, entry.path().c_str());
    }

    void whatTheTaskBeginsWithIsNotCounted()
    {
        std::set<int> counts;
        const auto tasks = shippedTasks();
        for (const KernelTask& task : *tasks) {
            const std::string starter = starterOfTask(task.id);
            QCOMPARE(shapeOf(starter, task.id).ownWords, 0);
            QCOMPARE(shapeOf("// mine\n" + renamed(starter, {{QStringLiteral("x"), QStringLiteral("first")},
                                                             {QStringLiteral("in"), QStringLiteral("from")}}),
                             task.id)
                         .ownWords,
                     0);
            const KernelShape solution = shapeOf(solutionOf(task.id), task.id);
            QVERIFY(solution.solution);
            counts.insert(solution.ownWords);
            const KernelShape read = *kernelShapeFor(solutionOf(task.id), task.id);
            QCOMPARE(read, solution);
            QCOMPARE(*kernelShapeFromJson(toJson(read)), read);
        }
        // What the header says of them.
        QCOMPARE(*counts.begin(), 39);
        QCOMPARE(*counts.rbegin(), 448);
        QCOMPARE(kernelShapeFor("", "nothing").error().code, std::string("unknown-task"));
        QVERIFY(!kernelShapeFromJson(Json()) && !kernelShapeFromJson(Json{{"text", 1}}));
        QVERIFY(alikeKernels("kernel-dot", "Dot",
                             {{{"L-1", "A"}, shapeOf(starterOfTask("dot"), "dot")},
                              {{"L-2", "B"}, shapeOf(starterOfTask("dot"), "dot")}})
                    .empty());
    }

    /// A copy whose statements stand in another order, or in two, is near; what was written apart is not.
    void movedAndSplitStatementsAreSeenThrough_data()
    {
        QTest::addColumn<QString>("task");
        QTest::addColumn<QStringList>("changes"); // from, to, from, to …
        QTest::addColumn<double>("least");
        const auto row = [](const char* name, const char* task, const QStringList& changes, double least = 0.92) {
            QTest::newRow(name) << QString::fromLatin1(task) << changes << least;
        };
        const auto q = [](const char* words) { return QString::fromLatin1(words); };
        const QString loadA =
            q("        fromA[threadIdx.y][threadIdx.x] = row < m && along < k ? a[row * k + along] : 0;\n");
        const QString loadB =
            q("        fromB[threadIdx.y][threadIdx.x] = down < k && column < n ? b[down * n + column] : 0;\n");
        const QStringList loads{loadA, {}, loadB, loadB + loadA};
        const QStringList declared{q("    float sum = 0;\n"),
                                   {},
                                   q("    __shared__ float fromA"),
                                   q("    float sum = 0;\n    __shared__ float fromA")};
        const QStringList splitSum{q("sum += fromA[threadIdx.y][i] * fromB[i][threadIdx.x];"),
                                   q("{ float p = fromA[threadIdx.y][i] * fromB[i][threadIdx.x]; sum += p; }")};
        const QStringList splitNames{q("fromA[16][16], fromB"),  q("fromA[16][16]; __shared__ float fromB"),
                                     q("threadIdx.y, column ="), q("threadIdx.y; unsigned int column ="),
                                     q("threadIdx.x, down ="),   q("threadIdx.x; unsigned int down =")};
        row("loads swapped", "matmul", loads);
        row("a declaration moved", "matmul", declared);
        row("a sum split", "matmul", splitSum);
        row("declarations split", "matmul", splitNames);
        row("matmul, all of it", "matmul", loads + declared + splitSum + splitNames, 0.83);
        const QStringList own{q("    float own = 0;\n"),
                              {},
                              q("    __shared__ float part[8];"),
                              q("    float own = 0;\n    __shared__ float part[8];")};
        const QStringList products{q("own += x[i] * y[i];"), q("{ float p = x[i] * y[i]; own += p; }")};
        row("its sum moved", "dot", own);
        row("products split", "dot", products);
        row("dot, all of it", "dot",
            own + products +
                QStringList{q("own += __shfl_down_sync(0xffffffffu, own, distance);"),
                            q("{ float o = __shfl_down_sync(0xffffffffu, own, distance); own += o; }"),
                            q("float all = 0;"), q("float all; all = 0;")},
            0.83);
        const QStringList places{q("unsigned int left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;"),
                                 q("unsigned int lane = threadIdx.x; unsigned int top = blockIdx.y * 32; unsigned int "
                                   "left = blockIdx.x * 32;")};
        row("declarations in another order", "transpose", places);
        row("transpose, all of it", "transpose",
            places + QStringList{q("tile[row][lane] = in[(top + row) * columns + left + lane];"),
                                 q("{ float v = in[(top + row) * columns + left + lane]; tile[row][lane] = v; }"),
                                 q("    __shared__ float tile[32][33];\n"),
                                 {},
                                 q("unsigned int lane = threadIdx.x;"),
                                 q("unsigned int lane = threadIdx.x; __shared__ float tile[32][33];")},
            0.83);
    }
    void movedAndSplitStatementsAreSeenThrough()
    {
        QFETCH(QString, task);
        QFETCH(QStringList, changes);
        QFETCH(double, least);
        const std::string id = task.toStdString();
        QString text = QString::fromStdString(solutionOf(id));
        for (qsizetype i = 0; i + 1 < changes.size(); i += 2) {
            QVERIFY2(text.contains(changes[i]), qPrintable(changes[i]));
            text.replace(changes[i], changes[i + 1]);
        }
        const std::string copy = renamed(text.toStdString(), id == "matmul" ? kMatmulNames : kOtherNames);
        const KernelShape original = shapeOf(solutionOf(id), id), moved = shapeOf(copy, id);
        QVERIFY(!moved.solution && moved.shape != original.shape);
        const double near = nearness(original, moved);
        qInfo("nearness %.3f", near);
        QVERIFY2(near >= least && least > kNear, qPrintable(QString::number(near)));
        QCOMPARE(moved.nearSolution, near);

        // Of a solution that does not ship it is a pair, of the one that does it is told as such.
        const KernelShape one = kernelShape(solutionOf(id), starterOfTask(id), "");
        const KernelShape other = kernelShape(copy, starterOfTask(id), "");
        const auto pair = alikeKernels("kernel-x", "X", {{{"L-1", "Ada"}, one}, {{"L-2", "Bob"}, other}});
        QCOMPARE(pair.size(), std::size_t{1});
        QVERIFY(pair.front().how == How::NearWords && pair.front().who.size() == 2);
        QCOMPARE(pair.front().nearness, near);
        const auto alone = alikeKernels("kernel-x", "X", {{{"L-1", "Ada"}, original}, {{"L-2", "Bob"}, moved}});
        QCOMPARE(alone.size(), std::size_t{2});
        QVERIFY(std::ranges::any_of(alone, [](const auto& each) {
            return each.how == How::NearSolution && each.who.size() == 1 && each.who.front().name == "Bob";
        }));
    }

    void whatWasWrittenApartIsNotNear()
    {
        const std::filesystem::path corpus =
            std::filesystem::path(qEnvironmentVariable("RIDGE_SOURCE").toStdString()) / "tests" / "cheats";
        const auto tasks = shippedTasks();
        double nearest = 0;
        std::string who;
        int pairs = 0;
        for (const KernelTask& task : *tasks) {
            std::vector<KernelShape> shapes{shapeOf(solutionOf(task.id), task.id)};
            std::vector<std::string> names{"the solution of " + task.id};
            for (const auto& entry : std::filesystem::directory_iterator(corpus))
                if (entry.path().extension() == ".cu" &&
                    entry.path().stem().string().starts_with("honest_" + task.id)) {
                    shapes.push_back(shapeOf(*readFile(entry.path()), task.id));
                    names.push_back(entry.path().filename().string());
                }
            std::vector<HandedInShape> all;
            for (std::size_t i = 0; i < shapes.size(); ++i) {
                all.push_back({{"L-" + std::to_string(i), std::to_string(i)}, shapes[i]});
                for (std::size_t j = 0; j < i && shapes[i].ownWords >= kFewWords; ++j)
                    if (shapes[j].ownWords >= kFewWords) {
                        ++pairs;
                        if (const double near = nearness(shapes[i], shapes[j]); near > nearest) {
                            nearest = near;
                            who = names[j] + " and " + names[i];
                        }
                    }
            }
            for (const AlikeKernels& alike : alikeKernels("kernel-" + task.id, task.title, all))
                QVERIFY2(alike.how == How::SameSolution, task.id.c_str()); // the solution itself
        }
        qInfo("%d pairs, the nearest %.3f", pairs, nearest);
        QVERIFY(pairs >= 10);
        QVERIFY2(nearest < 0.70, (std::to_string(nearest) + ": " + who).c_str());
    }

    /// A chain of copies is one group, what has nothing to do with it is not in it, and the published is not a pair.
    void nearOnesAreOneGroup()
    {
        const auto shape = [](const char* words, std::uint32_t first, std::uint32_t count, double published = 0) {
            KernelShape one{words, words, 120, false, {}, published};
            for (std::uint32_t i = 0; i < count; ++i)
                one.grams.push_back(first + i);
            return one;
        };
        const auto groups = alikeKernels("kernel-x", "X",
                                         {{{"L-1", "Ada"}, shape("a", 0, 100)},
                                          {{"L-2", "Bob"}, shape("b", 15, 100)},
                                          {{"L-3", "Cy"}, shape("c", 30, 100)},
                                          {{"L-4", "Dora"}, shape("d", 500, 100)},
                                          {{"L-5", "Eve"}, shape("e", 900, 100, 0.9)},
                                          {{"L-6", "Fay"}, shape("f", 901, 100, 0.8)}});
        QCOMPARE(groups.size(), std::size_t{2});
        QVERIFY(groups[0].how == How::NearWords && groups[0].who.size() == 3 && groups[0].who[2].name == "Cy");
        QCOMPARE(groups[0].nearness, 0.85);
        QVERIFY(groups[1].how == How::NearSolution && groups[1].who.size() == 2 && groups[1].nearness == 0.8);
        KernelShape few = shape("g", 0, 100);
        few.ownWords = kFewWords - 1;
        QVERIFY(alikeKernels("kernel-x", "X", {{{"L-1", "Ada"}, shape("a", 0, 100)}, {{"L-2", "Bob"}, few}}).empty());
        // A grade from before has none of it, and one that was changed by hand is read as nothing.
        Json json = toJson(shape("a", 0, 3));
        QCOMPARE(kernelShapeFromJson(json)->grams.size(), std::size_t{3});
        for (const char* wrong : {"0000000", "0000000g", "0000000200000001"}) {
            json["grams"] = wrong;
            QVERIFY(kernelShapeFromJson(json)->grams.empty());
        }
        json.erase("grams");
        QVERIFY(kernelShapeFromJson(json) && kernelShapeFromJson(json)->grams.empty());
    }

    void groupsSayHow()
    {
        const auto shape = [](const char* text, const char* words, bool solution = false) {
            return KernelShape{text, words, 120, solution, {}, 0};
        };
        const auto groups = alikeKernels("kernel-matmul", "Matrix product",
                                         {{{"L-4", "Dora"}, shape("t1", "w1")},
                                          {{"L-1", "Ada"}, shape("t1", "w1")},
                                          {{"L-2", "Bob"}, shape("t2", "w1")},
                                          {{"L-3", "Cy"}, shape("t3", "w3")},
                                          {{"L-5", "Eve"}, shape("t5", "w5", true)}});
        QCOMPARE(groups.size(), std::size_t{3});
        QVERIFY(groups[0].how == How::SameWords && groups[0].who.size() == 3 && groups[0].who[0].name == "Ada");
        QVERIFY(groups[1].how == How::SameText && groups[1].who.size() == 2 && groups[1].who[1].name == "Dora");
        QVERIFY(groups[2].how == How::SameSolution && groups[2].who.size() == 1 && groups[2].who[0].name == "Eve");
        const Json json = toJson(groups[1]);
        QCOMPARE(json["how"].get<std::string>(), std::string("same-text"));
        QCOMPARE(json["who"].size(), std::size_t{2});
        QCOMPARE(json["few_words"].get<bool>(), false);
    }

    /// It comes from strangers, and the instructor's machine reads it.
    void anythingIsReadInTimeThatGrowsWithIt()
    {
        for (const char* piece :
             {"a(", "{", "for(", "}", ")", "for(;a{", "\"", "'", "/*", "\\", "#define ", "0x1p-", "\xff", ";"}) {
            std::string text;
            while (text.size() < (std::size_t{1} << 20))
                text += piece;
            (void)normalisedCode(text);
        }
        QVERIFY(normalisedCode("").empty());
        QCOMPARE(normalisedCode("// no end \\"), std::vector<std::string>{});
        QCOMPARE(normalisedCode("\"no end"), std::vector<std::string>{"\"no end"});
    }
};

QTEST_GUILESS_MAIN(TestKernelLikeness)
#include "tst_kernel_likeness.moc"
