// SPDX-License-Identifier: GPL-3.0-or-later
// Products of the tensor unit at full rate: every shape against the catalogue's peak of its precision.
#include "silicon/chip_catalogue.h"
#include "timing_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// `count` of %r or %f from `first` on, in braces.
std::string group(const char* kind, int first, int count)
{
    std::string text;
    for (int at = 0; at < count; ++at)
        text += (at != 0 ? ", " : "{") + std::string(kind) + std::to_string(first + at);
    return text + "}";
}

/// One product whose sums depend on nothing before it but its own: `sums` registers from `at` on.
struct Form {
    std::string name; ///< "m16n8k16.row.col.f32.f16.f16.f32", or wmma's
    int a, b, sums;
    bool floats; ///< sums in %f
    double multiplyAdds;

    std::string text(int at) const
    {
        const std::string d = group(floats ? "%f" : "%r", at, sums);
        const bool isWmma = name.starts_with("wmma");
        return (isWmma ? name : "mma.sync.aligned." + name) + " " + d + ", " + group("%r", 4, a) + ", " +
               group("%r", 4 + a, b) + ", " + d + ";\n";
    }
};

/// Cycles of an SM that two chains of every warp take for one product, 32 warps.
double cyclesOf(const ChipTiming& timing, int major, int minor, const Form& form)
{
    ChipTiming chip = timing;
    chip.l1MissCycles = 0;
    constexpr int kChains = 2, kFew = 16, kMany = 80;
    std::array<double, 2> cycles{};
    for (std::size_t at = 0; at < 2; ++at) {
        TimedLab lab(chip, {}, major, minor);
        std::string body = "mov.u32 %r30, 0;";
        for (int r = 4; r < 30; ++r)
            body += "add.u32 %r" + std::to_string(r) + ", %r0, " + std::to_string(r) + ";";
        for (int f = 1; f <= 16; ++f)
            body += "cvt.rn.f32.u32 %f" + std::to_string(f) + ", %r0;";
        const int first = form.floats ? 1 : 20 - (form.sums > 4 ? 4 : 0);
        for (int turn = 0; turn < (at == 0 ? kFew : kMany); ++turn)
            for (int chain = 0; chain < kChains; ++chain)
                body += form.text(first + chain * form.sums);
        for (int f = 2; f <= 16; ++f)
            body += "add.f32 %f1, %f1, %f" + std::to_string(f) + ";";
        for (int r = 4; r < 30; ++r)
            body += "xor.b32 %r30, %r30, %r" + std::to_string(r) + ";";
        body += "st.global.f32 [%rd0], %f1; st.global.u32 [%rd0+4], %r30;";
        std::string text = handWritten(body);
        text.replace(text.find("sm_80"), 5, "sm_" + std::to_string(10 * major + minor));
        if (!lab.load(text)) {
            qWarning("%s", lab.why().constData());
            return -1;
        }
        const DevicePtr data = lab.put(std::vector<std::uint32_t>(64));
        if (!lab.time("k", {1}, {1024}, {data, data, data})) {
            qWarning("%s", lab.why().constData());
            return -1;
        }
        cycles[at] = static_cast<double>(lab.timing.cycles);
    }
    return (cycles[1] - cycles[0]) / (kMany - kFew) / kChains / 32;
}

} // namespace

class TestTimingTensor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void productsReachThePeakOfTheirPrecision_data()
    {
        QTest::addColumn<QString>("chip");
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("form");
        using silicon::Precision;
        const auto row = [](const char* chip, Precision precision, int form) {
            QTest::addRow("%s, form %d", chip, form)
                << QString::fromLatin1(chip) << static_cast<int>(precision) << form;
        };
        row("t4", Precision::Fp16, 1);
        row("t4", Precision::Int8, 4);
        row("v100-sxm2-32", Precision::Fp16, 6);
        for (const char* chip : {"a100-sxm-80", "l40s", "rtx3060-laptop", "rtx4060-laptop", "rtx4090", "rtx5090"}) {
            row(chip, Precision::Fp16, 0);
            row(chip, Precision::Fp16, 1);
            row(chip, Precision::Tf32, 2);
            row(chip, Precision::Int8, 3);
        }
        for (const char* chip : {"rtx3060-laptop", "rtx4060-laptop", "rtx4090", "rtx5090"})
            row(chip, Precision::Fp16Fp16Acc, 7);
        for (const char* chip : {"l40s", "rtx4060-laptop", "rtx4090", "rtx5090"})
            row(chip, Precision::Fp8, 5);
    }
    void productsReachThePeakOfTheirPrecision()
    {
        QFETCH(QString, chip);
        QFETCH(int, precision);
        QFETCH(int, form);
        const std::array<Form, 8> forms{{
            {"m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, true, 2048},
            {"m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, true, 1024},
            {"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, true, 1024},
            {"m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, false, 4096},
            {"m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, false, 1024},
            {"m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, true, 4096},
            {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 8, 8, 8, true, 4096},
            {"m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, false, 2048},
        }};
        const std::filesystem::path chips = RIDGE_SIMT_CHIPS;
        const auto catalogue = silicon::loadCatalogue(chips.parent_path() / "gpus.json");
        QVERIFY(catalogue.ok());
        const auto entry = catalogue->find(chip.toStdString());
        QVERIFY(entry.ok());
        const auto& published = entry->peakFlopsPerSecond.at(static_cast<silicon::Precision>(precision));
        QVERIFY(published.value.has_value());
        const ChipTiming timing = shippedChip(chip.toStdString());
        const Form& one = forms[static_cast<std::size_t>(form)];
        const double cycles = cyclesOf(timing, entry->computeMajor, entry->computeMinor, one);
        const double rate = 2 * one.multiplyAdds / cycles * timing.sms * *entry->tensorClockHz.value;
        QVERIFY2(std::abs(rate / *published.value - 1) < 0.03,
                 qPrintable(QStringLiteral("%1 against %2").arg(rate).arg(*published.value)));
    }
};

QTEST_APPLESS_MAIN(TestTimingTensor)
#include "tst_timing_tensor.moc"
