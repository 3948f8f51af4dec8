// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"
#include "base/json.h"
#include "base/plain_file.h"
#include "transformer/decoder.h"
#include "transformer/quantized.h"

#include <QtTest>

#include <cmath>
#include <cstring>
#include <limits>

using namespace ridge;
using namespace ridge::transformer;

namespace {

std::string bytesOf(const QString& path)
{
    const QString root = qEnvironmentVariable("RIDGE_SOURCE");
    const auto bytes = readFile((root + QLatin1Char('/') + path).toStdString(), 16u << 20);
    return bytes ? *bytes : std::string();
}

Model modelOf(const char* name)
{
    return *parseModel(bytesOf(QStringLiteral("assets/models-small/%1.bin").arg(QLatin1String(name))), name);
}

nlohmann::json manifestOf(const char* name)
{
    return nlohmann::json::parse(bytesOf(QStringLiteral("assets/models-small/%1.json").arg(QLatin1String(name))));
}

const Model& small()
{
    static const Model model = modelOf("small");
    return model;
}

const std::vector<Token>& heldOut()
{
    static const std::vector<Token> tokens =
        tokensOf(small(), bytesOf(QStringLiteral("assets/models-small/held-out.txt")));
    return tokens;
}

const std::vector<Token>& calibration()
{
    static const std::vector<Token> tokens =
        tokensOf(small(), bytesOf(QStringLiteral("assets/models-small/calibration.txt")));
    return tokens;
}

memory::QuantScheme schemeOf(const char* format, memory::Granularity granularity = memory::Granularity::Channel,
                             memory::Method method = memory::Method::Rtn, std::uint32_t group = 32)
{
    return {memory::findQuantFormat(format), granularity, group, memory::Scaling::Absmax, method};
}

double lossWith(const Model& model, DecoderOptions options = {}, std::size_t windows = 12)
{
    Decoder decoder(model, std::move(options));
    return lossOf(decoder, heldOut(), windows)->nats;
}

} // namespace

class TestTransformer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void models_data();
    void filesAreWhatTheManifestSays_data() { models_data(); }
    void filesAreWhatTheManifestSays();
    void logitsAreThoseOfNumpy_data() { models_data(); }
    void logitsAreThoseOfNumpy();
    void perplexityIsThatOfTheTraining_data() { models_data(); }
    void perplexityIsThatOfTheTraining();
    void oneByOneGivesTheSameBits();
    void nothingLooksAhead();
    void outliersKeepTheFunction();
    void finerIsBetter();
    void methodsHelp();
    void smoothingHelpsRoundedInputs();
    void cacheFormats();
    void sizes();
    void samplesFollowTheDistribution();
    void badFiles();
    void badRuns();
};

void TestTransformer::models_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("small") << QByteArray("small");
    QTest::newRow("draft") << QByteArray("draft");
}

void TestTransformer::filesAreWhatTheManifestSays()
{
    QFETCH(QByteArray, name);
    const auto manifest = manifestOf(name);
    const std::string file =
        bytesOf(QStringLiteral("assets/models-small/%1").arg(QString::fromStdString(manifest["file"])));
    QCOMPARE(sha256Hex(file), manifest["sha256"].get<std::string>());
    QVERIFY(file.size() < 2000000);
    const Model model = modelOf(name);
    QCOMPARE(model.weights(), manifest["weights"].get<std::uint64_t>());
    QCOMPARE(model.shape.vocabulary, manifest["vocabulary"].get<std::uint32_t>());
    QCOMPARE(model.shape.context, manifest["context"].get<std::uint32_t>());
    QCOMPARE(sha256Hex(bytesOf(QStringLiteral("assets/models-small/held-out.txt"))),
             manifest["held_out_sha256"].get<std::string>());
    QCOMPARE(model.bytes, small().bytes); // a draft must have the same tokens
}

void TestTransformer::logitsAreThoseOfNumpy()
{
    QFETCH(QByteArray, name);
    const Model model = modelOf(name);
    const std::string bytes = bytesOf(QStringLiteral("tests/transformer/%1-logits.f32").arg(QLatin1String(name)));
    std::vector<float> wanted(bytes.size() / sizeof(float));
    std::memcpy(wanted.data(), bytes.data(), wanted.size() * sizeof(float));
    QCOMPARE(wanted.size(), std::size_t{24} * model.shape.vocabulary);
    Decoder decoder(model);
    const auto got = decoder.run(std::span(heldOut()).first(24));
    QVERIFY(got);
    float most = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        most = std::max(most, std::fabs((*got)[i] - wanted[i]));
    QVERIFY2(most < 1e-4f, QByteArray::number(double{most}));
}

void TestTransformer::perplexityIsThatOfTheTraining()
{
    QFETCH(QByteArray, name);
    const Model model = modelOf(name);
    const auto manifest = manifestOf(name);
    Decoder decoder(model);
    const auto loss = lossOf(decoder, heldOut(), 1000);
    QVERIFY(loss);
    const double wanted = manifest["held_out_loss"].get<double>();
    QVERIFY2(std::fabs(loss->nats - wanted) < 1e-5, QByteArray::number(loss->nats - wanted));
    QVERIFY(std::fabs(loss->perplexity() - manifest["held_out_perplexity"].get<double>()) < 1e-4);
    // It learned: bytes of the text on their own leave more to guess.
    std::vector<double> counts(model.shape.vocabulary, 0.0);
    for (const Token token : heldOut())
        ++counts[token];
    double entropy = 0;
    for (const double count : counts)
        if (count > 0)
            entropy -=
                count / static_cast<double>(heldOut().size()) * std::log(count / static_cast<double>(heldOut().size()));
    QVERIFY(loss->nats < 0.6 * entropy);
}

void TestTransformer::oneByOneGivesTheSameBits()
{
    const auto text = std::span(heldOut()).subspan(500, 60);
    Decoder together(small()), single(small()), parts(small());
    const auto all = together.run(text);
    const std::vector<float> wanted(all->begin(), all->end());
    const std::size_t vocabulary = small().shape.vocabulary;
    for (std::size_t t = 0; t < text.size(); ++t) {
        const auto one = single.run(text.subspan(t, 1));
        QCOMPARE(std::memcmp(one->data(), wanted.data() + t * vocabulary, vocabulary * sizeof(float)), 0);
    }
    // other tokens, taken back
    QVERIFY(parts.run(text.first(20)));
    QVERIFY(parts.run(std::span(heldOut()).first(15)));
    parts.rewind(20);
    const auto rest = parts.run(text.subspan(20));
    QCOMPARE(std::memcmp(rest->data(), wanted.data() + 20 * vocabulary, rest->size() * sizeof(float)), 0);
}

void TestTransformer::nothingLooksAhead()
{
    std::vector<Token> text(heldOut().begin(), heldOut().begin() + 40);
    Decoder one(small()), other(small());
    const auto first = one.run(text);
    const std::vector<float> before(first->begin(), first->end());
    text[30] = static_cast<Token>(text[30] == 5 ? 6 : 5);
    const auto second = other.run(text);
    const std::size_t vocabulary = small().shape.vocabulary;
    QCOMPARE(std::memcmp(before.data(), second->data(), 30 * vocabulary * sizeof(float)), 0);
    QVERIFY(std::memcmp(before.data() + 30 * vocabulary, second->data() + 30 * vocabulary, vocabulary) != 0);
}

void TestTransformer::outliersKeepTheFunction()
{
    Model model = small();
    const double before = lossWith(model);
    addOutliers(model, 128, 50);
    QVERIFY(std::fabs(lossWith(model) - before) < 1e-4);
    // and are there: one channel of 128 is the largest by far
    float most = 0, usual = 0;
    DecoderOptions options;
    options.seen = [&](std::size_t, Input input, std::span<const float> x) {
        for (std::size_t i = 0; input == Input::Attention && i < x.size(); ++i)
            (i % 128 == 0 ? most : usual) = std::max(i % 128 == 0 ? most : usual, std::fabs(x[i]));
    };
    Decoder decoder(model, options);
    QVERIFY(decoder.run(std::span(heldOut()).first(50)));
    QVERIFY(most > 2 * usual);
}

void TestTransformer::finerIsBetter()
{
    const double exact = lossWith(small());
    double before = std::numeric_limits<double>::infinity();
    for (const char* format : {"int2", "int3", "int4", "int8"}) {
        const auto quantized = quantizeModel(small(), {}, schemeOf(format));
        QVERIFY(quantized);
        const double loss = lossWith(quantized->model);
        QVERIFY2(loss < before, format);
        before = loss;
    }
    QVERIFY(std::fabs(before - exact) < 0.003); // int8 a channel
    const double fp16 = lossWith(quantizeModel(small(), {},
                                               [] {
                                                   auto scheme = schemeOf("fp16");
                                                   scheme.scaling = memory::Scaling::None;
                                                   return scheme;
                                               }())
                                     ->model);
    QCOMPARE(fp16, exact); // the file has FP16: nothing is lost
    const double tensor = lossWith(quantizeModel(small(), {}, schemeOf("int4", memory::Granularity::Tensor))->model);
    const double group = lossWith(quantizeModel(small(), {}, schemeOf("int4", memory::Granularity::Group))->model);
    const double channel = lossWith(quantizeModel(small(), {}, schemeOf("int4"))->model);
    QVERIFY(group < channel && channel < tensor);
}

void TestTransformer::methodsHelp()
{
    using memory::Method;
    const auto text = std::span(calibration()).first(2048);
    Model model = small();
    const auto divergence = [&](Method method) {
        const auto quantized = quantizeModel(model, text, schemeOf("int3", memory::Granularity::Group, method, 64));
        Decoder decoder(quantized->model), reference(small());
        return lossOf(decoder, heldOut(), 24, &reference)->divergence;
    };
    const double rtn = divergence(Method::Rtn);
    QVERIFY2(divergence(Method::Gptq) < 0.8 * rtn, QByteArray::number(divergence(Method::Gptq) / rtn));
    QVERIFY2(divergence(Method::GptqOrdered) < 0.8 * rtn, QByteArray::number(divergence(Method::GptqOrdered) / rtn));
    // Without outlier channels there is nothing for awq to protect; with them there is.
    addOutliers(model, 32, 20);
    const double worse = divergence(Method::Rtn);
    QVERIFY2(divergence(Method::Awq) < 0.9 * worse, QByteArray::number(divergence(Method::Awq) / worse));
}

void TestTransformer::smoothingHelpsRoundedInputs()
{
    Model model = small();
    addOutliers(model, 128, 100);
    const double exact = lossWith(model);
    const auto text = std::span(calibration()).first(1024);
    const auto loss = [&](memory::Method method) {
        const auto quantized = quantizeModel(model, text, schemeOf("int8", memory::Granularity::Channel, method));
        DecoderOptions options;
        options.inputs = schemeOf("int8", memory::Granularity::Tensor);
        return lossWith(quantized->model, options);
    };
    const double rtn = loss(memory::Method::Rtn) - exact, smooth = loss(memory::Method::SmoothQuant) - exact;
    QVERIFY2(rtn > 0.02 && smooth < rtn / 4, QByteArray::number(rtn) + ' ' + QByteArray::number(smooth));
}

void TestTransformer::cacheFormats()
{
    const double exact = lossWith(small());
    const auto loss = [&](const char* format) {
        DecoderOptions options;
        options.cache = schemeOf(format);
        return lossWith(small(), options);
    };
    QVERIFY(std::fabs(loss("fp16") - exact) < 1e-4);
    QVERIFY(std::fabs(loss("int8") - exact) < 2e-3);
    QVERIFY(loss("int4") > exact && loss("int2") > loss("int4") + 0.05);
    DecoderOptions options;
    options.cache = schemeOf("int4");
    Decoder decoder(small(), options);
    QCOMPARE(decoder.cacheBitsPerElement(), 32.0);
    QVERIFY(decoder.run(std::span(heldOut()).first(3)));
    QCOMPARE(decoder.cacheBitsPerElement(), 4.5); // 32 elements of a head share 16 bits
}

void TestTransformer::sizes()
{
    // 2 x (2 x 256^2 + 2 x 128 x 256 + 3 x 256^2) matrices, 94 x 256 embedding, 5 norms of 256
    QCOMPARE(small().linearWeights(), std::uint64_t{2 * (5 * 65536 + 2 * 32768)});
    QCOMPARE(small().weights(), std::uint64_t{786432 + 94 * 256 + 5 * 256});
    const auto int4 = quantizeModel(small(), {}, schemeOf("int4", memory::Granularity::Group));
    QCOMPARE(int4->bits, 786432 * 4.5 + 16.0 * (94 * 256 + 5 * 256));
    QCOMPARE(int4->matrixBits, 786432 * 4.5);
}

void TestTransformer::samplesFollowTheDistribution()
{
    const std::vector<float> logits{0, std::log(2.0f), std::log(5.0f), -200};
    const auto p = probabilities(logits, 1);
    QVERIFY(std::fabs(p[0] - 0.125) < 1e-6 && std::fabs(p[1] - 0.25) < 1e-6 && std::fabs(p[2] - 0.625) < 1e-6);
    QCOMPARE(likeliest(logits), Token{2});
    QVERIFY(probabilities(logits, 0.1)[2] > 0.999);
    Rng rng(7);
    std::array<int, 4> counts{};
    for (int i = 0; i < 80000; ++i)
        ++counts[sample(p, rng)];
    QCOMPARE(counts[3], 0);
    for (const auto& [token, share] : {std::pair{0, 10000}, {1, 20000}, {2, 50000}})
        QVERIFY(std::abs(counts[static_cast<std::size_t>(token)] - share) < 600); // four deviations
    QCOMPARE(sample(std::vector<double>{0, 0.5, 0}, rng), Token{1});
}

void TestTransformer::badFiles()
{
    const std::string good = bytesOf(QStringLiteral("assets/models-small/draft.bin"));
    const auto refused = [](const std::string& bytes) {
        const auto model = parseModel(bytes, "x.bin");
        return !model && model.error().code == "bad-model" && model.error().place == "x.bin";
    };
    QVERIFY(parseModel(good, "x.bin"));
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{7}, std::size_t{8}, std::size_t{47}, std::size_t{48}, good.size() - 1})
        QVERIFY(refused(good.substr(0, size)));
    QVERIFY(refused(good + '\0'));
    for (std::size_t field = 0; field < 8; ++field)
        for (const std::uint32_t value : {0u, 3u, 65536u, 65537u, 0xffffffffu}) {
            std::string bad = good;
            std::memcpy(bad.data() + 8 + 4 * field, &value, 4);
            if (field != 7 || value == 0 || value > 65536) // a longer context is fine
                QVERIFY2(refused(bad), QByteArray::number(static_cast<int>(field)));
        }
    for (const float value : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN()}) {
        std::string bad = good;
        std::memcpy(bad.data() + 44, &value, 4);
        QVERIFY(refused(bad));
    }
    std::string infinite = good;
    infinite[infinite.size() - 1] = '\x7c';
    infinite[infinite.size() - 2] = '\0';
    QVERIFY(refused(infinite));
}

void TestTransformer::badRuns()
{
    Decoder decoder(small());
    const auto tooLong = decoder.run(std::span(heldOut()).first(129));
    QVERIFY(!tooLong && tooLong.error().code == "too-long");
    QVERIFY(decoder.run(std::span(heldOut()).first(128)));
    QVERIFY(!decoder.run(std::span(heldOut()).first(1)));
    decoder.rewind(0);
    const std::vector<Token> none{94};
    const auto unknown = decoder.run(none);
    QVERIFY(!unknown && unknown.error().code == "bad-token");
    const auto tooShort = lossOf(decoder, std::span(heldOut()).first(128), 10);
    QVERIFY(!tooShort && tooShort.error().code == "too-short");
    const auto cancelled = lossOf(decoder, heldOut(), 10, nullptr, [] { return true; });
    QVERIFY(!cancelled && cancelled.error().code == "cancelled");
    const auto noText = quantizeModel(small(), {}, schemeOf("int4", memory::Granularity::Group, memory::Method::Gptq));
    QVERIFY(!noText && noText.error().code == "too-short");
    const auto blocks =
        quantizeModel(small(), calibration(), schemeOf("q4_0", memory::Granularity::Group, memory::Method::Gptq));
    QVERIFY(!blocks && blocks.error().code == "bad-scheme" && blocks.error().place == "layer 0, q");
    QCOMPARE(textOf(small(), tokensOf(small(), "A warp.\x01")), std::string("A warp.?"));
}

QTEST_APPLESS_MAIN(TestTransformer)
#include "tst_transformer.moc"
