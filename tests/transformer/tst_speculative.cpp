// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/plain_file.h"
#include "transformer/speculation.h"

#include <QtTest>

#include <cmath>
#include <cstring>
#include <map>

using namespace ridge;
using namespace ridge::transformer;

namespace {

std::string bytesOf(const char* name)
{
    const QString root = qEnvironmentVariable("RIDGE_SOURCE") + QStringLiteral("/assets/models-small/");
    const auto bytes = readFile((root + QLatin1String(name)).toStdString(), 16u << 20);
    return bytes ? *bytes : std::string();
}

const Model& modelOf(const char* name)
{
    static std::map<std::string, Model> models;
    auto found = models.find(name);
    if (found == models.end())
        found = models.emplace(name, *parseModel(bytesOf(name), name)).first;
    return found->second;
}

std::vector<Token> promptAt(std::size_t first, std::size_t count = 40)
{
    const auto all = tokensOf(modelOf("small.bin"), bytesOf("held-out.txt"));
    return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

/// Proposes what it likes, as a bad draft may.
class Fixed : public Draft {
public:
    explicit Fixed(std::vector<double> q) : m_q(std::move(q)) {}
    Result<std::vector<double>> next(std::span<const Token>, double) override { return m_q; }

private:
    std::vector<double> m_q;
};

} // namespace

class TestSpeculative : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void greedyOutputStays_data();
    void greedyOutputStays();
    void sampledDistributionStays_data();
    void sampledDistributionStays();
    void theTargetAsItsOwnDraft();
    void textDraftRepeats();
    void formulas();
    void chiSquares();
    void bounds();
};

void TestSpeculative::greedyOutputStays_data()
{
    QTest::addColumn<int>("first");
    QTest::addColumn<int>("length");
    for (const int first : {0, 1000, 7777})
        for (const int length : {1, 4, 9})
            QTest::addRow("%d %d", first, length) << first << length;
}

void TestSpeculative::greedyOutputStays()
{
    QFETCH(int, first);
    QFETCH(int, length);
    const Model& model = modelOf("small.bin");
    const auto prompt = promptAt(static_cast<std::size_t>(first));
    Decoder target(model);
    Rng rng(1);
    const auto plain = generate(target, prompt, 60, 0, rng);
    QVERIFY(plain);
    QCOMPARE(plain->targetRuns, std::uint64_t{59});
    std::vector<double> bad(model.shape.vocabulary, 0.0);
    bad[3] = 1;
    for (int which = 0; which < 3; ++which) {
        auto draft = which == 0   ? makeModelDraft(modelOf("draft.bin"))
                     : which == 1 ? makeTextDraft(model.shape.vocabulary, {}, 5)
                                  : std::unique_ptr<Draft>(std::make_unique<Fixed>(bad));
        const auto fast = generateSpeculatively(target, *draft, prompt, 60, {static_cast<std::size_t>(length), 0}, rng);
        QVERIFY(fast);
        QCOMPARE(fast->tokens, plain->tokens);
        // Each run of the target gives its own token and those that were accepted before it; the first came of the
        // prompt.
        QCOMPARE(fast->targetRuns + fast->accepted + 1, std::uint64_t{60});
        QVERIFY(fast->accepted <= fast->proposed && fast->proposed <= fast->draftRuns);
        if (which == 0)
            QVERIFY(fast->targetRuns < 45);
    }
}

void TestSpeculative::sampledDistributionStays_data()
{
    QTest::addColumn<QByteArray>("draft");
    QTest::newRow("model") << QByteArray("model");
    QTest::newRow("flat") << QByteArray("flat");
    QTest::newRow("skewed") << QByteArray("skewed");
}

void TestSpeculative::sampledDistributionStays()
{
    QFETCH(QByteArray, draft);
    const Model& model = modelOf("small.bin");
    const std::size_t vocabulary = model.shape.vocabulary;
    const auto prompt = promptAt(3000, 20);
    Decoder target(model);
    // The exact distribution of the second token, over all first ones.
    std::vector<double> wanted(vocabulary, 0.0);
    const auto logits = target.run(prompt);
    const auto first = probabilities(logits->last(vocabulary), 1);
    for (std::size_t token = 0; token < vocabulary; ++token) {
        target.rewind(prompt.size());
        const std::vector<Token> one{static_cast<Token>(token)};
        const auto second = probabilities(*target.run(one), 1);
        for (std::size_t i = 0; i < vocabulary; ++i)
            wanted[i] += first[token] * second[i];
    }
    std::vector<double> flat(vocabulary, 1.0 / static_cast<double>(vocabulary)), skewed(vocabulary, 0.0);
    skewed[static_cast<std::size_t>(std::max_element(first.begin(), first.end()) - first.begin())] = 0.9;
    skewed[7] += 0.1;
    auto from = draft == "model"  ? makeModelDraft(modelOf("draft.bin"))
                : draft == "flat" ? std::unique_ptr<Draft>(std::make_unique<Fixed>(flat))
                                  : std::unique_ptr<Draft>(std::make_unique<Fixed>(skewed));
    Rng rng(5);
    constexpr int rounds = 1000;
    std::vector<std::uint64_t> counts(vocabulary), firsts(vocabulary);
    for (int i = 0; i < rounds; ++i) {
        const auto out = generateSpeculatively(target, *from, prompt, 3, {2, 1}, rng);
        ++firsts[out->tokens[0]];
        ++counts[out->tokens[1]];
    }
    QVERIFY2(chiSquare(firsts, first).chance > 1e-3, QByteArray::number(chiSquare(firsts, first).chance));
    QVERIFY2(chiSquare(counts, wanted).chance > 1e-3, QByteArray::number(chiSquare(counts, wanted).chance));
    // The test would see it if drafts went through unjudged, or if a refused token were drawn from all of p.
    std::vector<std::uint64_t> other(vocabulary);
    for (int i = 0; i < rounds; ++i)
        ++other[sample(draft == "model" ? *from->next(prompt, 1) : draft == "flat" ? flat : skewed, rng)];
    QVERIFY(chiSquare(other, wanted).chance < 1e-6);
}

void TestSpeculative::theTargetAsItsOwnDraft()
{
    const Model& model = modelOf("draft.bin");
    Decoder target(model);
    const auto prompt = promptAt(100);
    Rng rng(2);
    for (const double temperature : {0.0, 0.8}) {
        auto draft = makeModelDraft(model);
        const auto out = generateSpeculatively(target, *draft, prompt, 81, {4, temperature}, rng);
        QVERIFY(out);
        QCOMPARE(out->accepted, out->proposed);       // p = q: nothing is refused
        QCOMPARE(out->targetRuns, std::uint64_t{16}); // 80 tokens, five a run
        QVERIFY(std::fabs(out->overlap - static_cast<double>(out->proposed)) < 1e-6);
    }
}

void TestSpeculative::textDraftRepeats()
{
    auto draft = makeTextDraft(10, {1, 2, 3, 4}, 3);
    const std::vector<Token> text{7, 2, 3};
    QCOMPARE((*draft->next(text, 0))[4], 1.0); // 2 3 was followed by 4
    const std::vector<Token> later{2, 3, 5, 9, 2, 3};
    QCOMPARE((*draft->next(later, 0))[5], 1.0); // the latest counts
    const std::vector<Token> never{8};
    QCOMPARE((*draft->next(never, 0))[0], 0.1);
}

void TestSpeculative::formulas()
{
    // curriculum 7.6: 2.40 at g = 4, best 2.47 at g = 6 for a = 0.8, c = 0.1; 1.08 for a = 0.5, c = 0.2, g = 4
    QVERIFY(std::fabs(expectedSpeedup(0.8, 4, 0.1) - 2.40) < 0.005);
    QVERIFY(std::fabs(expectedSpeedup(0.8, 6, 0.1) - 2.47) < 0.005);
    QVERIFY(std::fabs(expectedSpeedup(0.5, 4, 0.2) - 1.08) < 0.005);
    for (std::size_t g = 0; g < 12; ++g)
        QVERIFY(expectedSpeedup(0.8, g, 0.1) <= expectedSpeedup(0.8, 6, 0.1));
    QCOMPARE(expectedTokens(1, 5), 6.0);
    QCOMPARE(expectedTokens(0, 5), 1.0);
    QVERIFY(std::fabs(expectedTokens(0.7, 3) - (1 - std::pow(0.7, 4)) / 0.3) < 1e-12);
}

void TestSpeculative::chiSquares()
{
    // tables: 3.841 at 0.05 and one degree, 18.307 at 0.05 and ten, 23.209 at 0.01 and ten
    const std::vector<double> half{0.5, 0.5};
    // 980 of 500,000 too many and too few: 2 x 980^2 / 500,000 = 3.8416
    const auto one = chiSquare(std::vector<std::uint64_t>{500980, 499020}, half);
    QCOMPARE(one.freedom, std::size_t{1});
    QVERIFY2(std::fabs(one.chance - 0.05) < 0.0002, QByteArray::number(one.chance));
    std::vector<double> eleven(11, 1.0 / 11);
    const auto tail = [&](double wanted) {
        // one class above, one below by d: 2 d^2 / 1000
        const auto d = static_cast<std::uint64_t>(std::lround(std::sqrt(wanted * 100000 / 2)));
        std::vector<std::uint64_t> counts(11, 100000);
        counts[0] += d;
        counts[1] -= d;
        return chiSquare(counts, eleven).chance;
    };
    QVERIFY2(std::fabs(tail(18.307) - 0.05) < 0.001, QByteArray::number(tail(18.307)));
    QVERIFY2(std::fabs(tail(23.209) - 0.01) < 0.0005, QByteArray::number(tail(23.209)));
    QCOMPARE(chiSquare(std::vector<std::uint64_t>{50, 50}, half).chance, 1.0);
    QCOMPARE(chiSquare(std::vector<std::uint64_t>{50, 1}, std::vector<double>{1, 0}).chance, 0.0);
}

void TestSpeculative::bounds()
{
    Decoder target(modelOf("small.bin"));
    auto draft = makeModelDraft(modelOf("draft.bin"));
    Rng rng(1);
    const auto prompt = promptAt(0, 40);
    QVERIFY(generateSpeculatively(target, *draft, prompt, 88, {8, 0}, rng)); // 128 in all
    QVERIFY(generateSpeculatively(target, *draft, prompt, 0, {8, 0}, rng)->tokens.empty());
    const auto tooLong = generateSpeculatively(target, *draft, prompt, 100, {8, 0}, rng);
    QVERIFY(!tooLong && tooLong.error().code == "too-long");
    const auto plain = generate(target, prompt, 100, 0, rng);
    QVERIFY(!plain && plain.error().code == "too-long");
}

QTEST_APPLESS_MAIN(TestSpeculative)
#include "tst_speculative.moc"
