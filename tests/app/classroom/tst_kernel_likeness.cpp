// SPDX-License-Identifier: GPL-3.0-or-later
// What makes two kernels alike, and what does not.
#include "app/classroom/alike_kernels.h"
#include "base/json.h"
#include "base/kernel_task.h"
#include "base/paths.h"

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
        all.replace(QRegularExpression(QStringLiteral("\\b%1\\b").arg(from)), to);
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
        QCOMPARE(*counts.rbegin(), 216);
        QCOMPARE(kernelShapeFor("", "nothing").error().code, std::string("unknown-task"));
        QVERIFY(!kernelShapeFromJson(Json()) && !kernelShapeFromJson(Json{{"text", 1}}));
        QVERIFY(alikeKernels("kernel-dot", "Dot",
                             {{{"L-1", "A"}, shapeOf(starterOfTask("dot"), "dot")},
                              {{"L-2", "B"}, shapeOf(starterOfTask("dot"), "dot")}})
                    .empty());
    }

    void groupsSayHow()
    {
        const auto shape = [](const char* text, const char* words, bool solution = false) {
            return KernelShape{text, words, 120, solution};
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
