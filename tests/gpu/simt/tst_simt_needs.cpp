// SPDX-License-Identifier: GPL-3.0-or-later
// What a chip does not have is refused when a program is loaded: instruction by instruction as ptxas does it, which is
// asked too where it is installed.
#include "chip_needs.h"
#include "simt_lab.h"

#include "gpu/simt/lower/needs.h"

#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <sstream>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

constexpr std::array<int, 14> kChips{70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
constexpr int kOldestOfPtxas = 75; ///< that version 13 compiles for

constexpr std::string_view kHead =
    ".visible .entry k(.param .u64 pa) {\n.reg .pred p<20>; .reg .b16 h<20>; .reg .b32 r<40>; .reg .b64 d<40>;"
    " .reg .f32 f<20>; .reg .f64 g<20>; .reg .b128 q<4>;\n.shared .align 128 .b8 s[1024];"
    " ld.param.u64 d0, [pa]; mov.u32 r3, s;\n";

bool has(std::string_view chips, int chip)
{
    std::istringstream words{std::string(chips)};
    std::vector<int> named;
    for (int number = 0; words >> number;)
        named.push_back(number);
    const bool alone = chips.ends_with("alone");
    return alone ? std::find(named.begin(), named.end(), chip) != named.end() : chip >= named.front();
}

struct Line {
    std::string_view chips;
    std::string text;
};

/// {r4:7} as {r4,r5,r6,r7}.
std::string spelledOut(std::string line)
{
    for (std::size_t colon = line.find(':'); colon != line.npos; colon = line.find(':', colon + 1)) {
        const std::size_t open = line.rfind('{', colon);
        const std::size_t close = line.find('}', colon);
        if (line[colon - 1] == ':' || line[colon + 1] == ':' || open == line.npos || close == line.npos)
            continue;
        std::string all;
        const int last = std::stoi(line.substr(colon + 1));
        for (int number = std::stoi(line.substr(open + 2)); number <= last; ++number)
            all += (all.empty() ? "" : ",") + line.substr(open + 1, 1) + std::to_string(number);
        line.replace(open + 1, close - open - 1, all);
        colon = open;
    }
    return line;
}

std::vector<Line> allLines()
{
    std::vector<Line> lines;
    for (const ChipNeeds& group : kChipNeeds) {
        std::istringstream text{std::string(group.instructions)};
        for (std::string line; std::getline(text, line);) {
            if (!line.empty())
                lines.push_back({group.chips, spelledOut(line)});
        }
    }
    return lines;
}

std::string program(std::string_view target, std::string_view body)
{
    std::string text = ".version 9.0\n.target ";
    text.append(target).append("\n.address_size 64\n").append(kHead).append(body).append("ret;\n}\n");
    return text;
}

/// What the chip lacks of the one line between head and end.
std::optional<Need> unmet(const std::string& line, int chip)
{
    const std::string text = program("sm_70", line + "\n");
    const auto module = parsePtx(text);
    if (!module)
        return Need{"text that parses", 999, {}};
    const auto& body = module->functions.front().body;
    const auto* instruction = std::get_if<Instruction>(&body[body.size() - 2]);
    return instruction == nullptr ? Need{"an instruction", 999, {}} : unmetNeed(*instruction, chip);
}

QString compiler()
{
    const QString found = QStandardPaths::findExecutable(QStringLiteral("ptxas"));
    return found.isEmpty()
               ? QStandardPaths::findExecutable(QStringLiteral("ptxas"), {QStringLiteral("/usr/local/cuda/bin")})
               : found;
}

} // namespace

class TestSimtNeeds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyChipHasWhatItsGenerationHas()
    {
        const std::vector<Line> lines = allLines();
        QVERIFY(lines.size() > 250);
        for (const Line& line : lines) {
            for (const int chip : kChips) {
                const auto need = unmet(line.text, chip);
                const std::string said = need ? need->text(chip) : "nothing";
                QVERIFY2(need.has_value() != has(line.chips, chip),
                         (line.text + " on " + std::to_string(chip) + " lacks " + said).c_str());
            }
        }
    }

    void ptxasAgrees_data()
    {
        QTest::addColumn<int>("chip");
        for (const int chip : kChips) {
            if (chip >= kOldestOfPtxas)
                QTest::addRow("%d", chip) << chip;
        }
    }

    /// All instructions in one kernel: ptxas names the line of each that the target lacks.
    void ptxasAgrees()
    {
        QFETCH(int, chip);
        const QString ptxas = compiler();
        if (ptxas.isEmpty())
            QSKIP("no ptxas here");
        const std::vector<Line> lines = allLines();
        std::string body;
        for (const Line& line : lines)
            body += line.text + "\n";
        const QByteArray target = "sm_" + QByteArray::number(chip) + (chip >= 90 ? "a" : "");
        const std::string text = program(target.toStdString(), body);
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("needs.ptx")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(text));
        file.close();
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(ptxas, {QStringLiteral("-O0"), QStringLiteral("-arch=") + QLatin1String(target), file.fileName(),
                              QStringLiteral("-o"), folder.filePath(QStringLiteral("needs.cubin"))});
        QVERIFY(process.waitForFinished());
        const QString said = QString::fromUtf8(process.readAll());
        if (said.contains(QLatin1String("Unsupported .version")) || said.contains(QLatin1String("not defined for")) ||
            said.contains(QLatin1String("SM version specified")))
            QSKIP("this ptxas does not know the chip");
        std::set<std::size_t> refused;
        static const QRegularExpression place(QStringLiteral("line (\\d+); (?:error|fatal)"));
        for (auto match = place.globalMatch(said); match.hasNext();)
            refused.insert(match.next().captured(1).toUInt());
        const auto first =
            1 + static_cast<std::size_t>(std::count(
                    text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(lines[0].text)), '\n'));
        for (std::size_t at = 0; at < lines.size(); ++at)
            QVERIFY2((refused.count(first + at) == 0) == has(lines[at].chips, chip), lines[at].text.c_str());
    }

    void allThatIsMissingIsSaidTogether()
    {
        Lab lab({}, {}, 75);
        const std::string body = "cp.async.wait_all;\n.loc 1 77 3\nmax.NaN.f32 %f1, %f2, %f3;\n"
                                 "mov.u32 %r4, %cluster_ctarank;\nmax.f32 %f1, %f2, %f3;";
        QVERIFY(!lab.load(older(body)));
        QCOMPARE(lab.code(), std::string("unsupported-instruction"));
        for (const char* part :
             {"the chip does not have 3 instructions of kernel k",
              "cp.async.wait_all in kernel k, PTX line 10 (cp.async needs compute capability 8.0 or newer, this chip "
              "has 7.5)",
              "max.NaN.f32 in kernel k, PTX line 12, source line 77 (max.NaN needs compute capability 8.0",
              "(%cluster_ctarank needs compute capability 9.0", "Choose a target"})
            QVERIFY2(lab.why().contains(part), lab.why());
        Lab newer({}, {}, 90);
        QVERIFY2(newer.load(older(body)), newer.why());
        Lab unknown({}, {}, 0);
        QVERIFY2(unknown.load(older(body)), unknown.why());
    }

    void whatTheSimulatorLacksIsNotBlamedOnTheChip()
    {
        Lab lab({}, {}, 75);
        QVERIFY(!lab.load(older("redux.sync.add.u32 %r4, %r5, %r6; tcgen05.mma.sp.cta_group::1.kind::f16 "
                                "[%r4], %rd4, %rd5, [%r5], %r6, %p1;")));
        for (const char* part : {"the simulator does not support 2 instructions of kernel k",
                                 "(redux needs compute capability 8.0 or newer, this chip has 7.5)",
                                 "Run this program on a GPU that has all of them"})
            QVERIFY2(lab.why().contains(part), lab.why());
        QVERIFY2(!lab.why().contains("tcgen05 needs"), lab.why());
    }

    void oneGenerationAlone()
    {
        const std::string body = "wgmma.fence.sync.aligned;";
        for (const auto& [chip, good] : {std::pair(80, false), std::pair(90, true), std::pair(120, false)}) {
            Lab lab({}, {}, chip);
            QCOMPARE(lab.load(older(body)), good);
            QVERIFY2(good || lab.why().contains("(wgmma needs compute capability 9.0 and no other, this chip has"),
                     lab.why());
        }
    }

    /// Several rows of the table may fit: the one that says most is told.
    void whatIsMissingHasTheNameThatALearnerKnows()
    {
        using Pair = std::pair<const char*, const char*>;
        for (const auto& [line, name] :
             {Pair{"st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [r3],r4,[r9];", "st.async"},
              Pair{"fence.mbarrier_init.release.cluster;", "fence.mbarrier_init"},
              Pair{"cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [d0,{r4}],[r3];", "cp.async.bulk.tensor"},
              Pair{"cp.async.bulk.commit_group;", "cp.async.bulk"},
              Pair{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [d0],[r3],r4;", "cp.reduce.async.bulk"},
              Pair{"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {r4,r5},{r4,r5},{r6,r7},{r4,r5},r8,0;",
                   "mma.sp"},
              Pair{"max.f32 f4,f5,f6,f7;", "min or max of three values"}}) {
            const auto need = unmet(line, 75);
            QVERIFY2(need && need->what == name, (std::string(line) + (need ? ": " + need->what : "")).c_str());
        }
    }

    void onlyTheKernelThatNeedsItIsRefused()
    {
        Lab lab({}, {}, 75);
        QVERIFY2(lab.load(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry good() { ret; }\n"
                          ".func helper() { .reg .b64 %rd<2>; createpolicy.fractional.L2::evict_last.b64 %rd1; ret; }\n"
                          ".visible .entry bad() { call.uni helper, (); ret; }\n"),
                 lab.why());
        QVERIFY2(lab.run("good", {1}, {32}, {}), lab.why());
        QVERIFY(!lab.run("bad", {1}, {32}, {}));
        QVERIFY2(lab.why().contains("an instruction of kernel bad"), lab.why());
        QVERIFY2(lab.why().contains("createpolicy needs compute capability 8.0"), lab.why());
    }

private:
    /// A program for any chip from 7.0 on, as an assembler that does not look at its target would let it pass.
    static std::string older(const std::string& body)
    {
        std::string text = handWritten(body);
        text.replace(text.find("sm_80"), 5, "sm_70");
        return text;
    }
};

QTEST_GUILESS_MAIN(TestSimtNeeds)
#include "tst_simt_needs.moc"
