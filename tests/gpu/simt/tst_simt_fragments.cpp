// SPDX-License-Identifier: GPL-3.0-or-later
// wmma.load and wmma.store: every type, layout and space, what they move and by which accesses. How many there are of
// which kind was read off what ptxas 13.0 makes of the same instructions for 7.5 to 12.0.
#include "machine/machine_lab.h"
#include "simt_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u32 = std::uint32_t;

constexpr u32 kLeading = 32;        ///< elements from one row (column) to the next, more than there are
constexpr u32 kBytes = 32 * 32 * 8; ///< of the largest matrix with its gaps

struct Fragment {
    std::string role, type, shape;
    u32 rows = 16, columns = 16;
    u32 bytes = 2;       ///< an element
    u32 registers = 4;   ///< of 32 bits that PTX wants
    bool isWide = false; ///< registers of 64 bits, `registers` of them
};

std::string names(const Fragment& f)
{
    std::string text = "{";
    for (u32 at = 0; at < f.registers; ++at)
        text += (at == 0 ? "" : ",") + std::string(f.isWide ? "%x" : "%y") + std::to_string(at);
    return text + "}";
}

std::string registerType(const Fragment& f)
{
    return f.isWide ? "f64" : f.type == "f32" ? "f32" : "b32";
}

std::string copyIn(const char* to, const char* from)
{
    std::string text;
    for (u32 at = 0; at < kBytes; at += 128)
        text += std::string("ld.global.u32 %r4, [") + from + "+" + std::to_string(at) + "]; st.shared.u32 [" + to +
                "+" + std::to_string(at) + "], %r4;\n";
    return text;
}

/// Loads the fragment from a ("global", "shared" after a copy, or "" for a generic address) and writes its registers to
/// b, [lane][register]; with `stores` the other way round, and what is in shared memory is copied to a.
std::string kernelOf(const Fragment& f, const std::string& layout, const std::string& space, bool stores)
{
    const bool shared = space == "shared";
    const std::string type = registerType(f);
    const u32 size = f.isWide ? 8 : 4;
    std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 pa, .param .u64 pb)\n"
        "{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f64 %x<9>; .reg ." +
        (f.isWide ? "b32" : type) + " %y<17>; .shared .align 32 .b8 room[" + std::to_string(kBytes) +
        "];\nld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, [pb]; mov.u32 %r0, %tid.x; mov.u32 %r1, room;\n"
        "mul.wide.u32 %rd2, %r0, " +
        std::to_string(size * f.registers) +
        "; add.u64 %rd3, %rd1, %rd2; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd5, %rd0, %rd4;"
        " shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2;\n";
    if (shared)
        text += copyIn("%r3", "%rd5") + "bar.sync 0;\n";
    const std::string dot = space.empty() ? "" : "." + space;
    const std::string address = shared ? "[%r1]" : "[%rd0]";
    const auto registers = [&](const char* what) {
        std::string lines;
        for (u32 at = 0; at < f.registers; ++at) {
            const std::string name = (f.isWide ? "%x" : "%y") + std::to_string(at);
            const std::string place = "[%rd3+" + std::to_string(size * at) + "]";
            lines += std::string(what) + ".global." + type + " " +
                     (std::string(what) == "ld" ? name + ", " + place : place + ", " + name) + ";\n";
        }
        return lines;
    };
    const std::string tail = ".sync.aligned." + layout + "." + f.shape + dot + "." + f.type + " ";
    if (!stores)
        return text + "wmma.load." + f.role + tail + names(f) + ", " + address + ", " + std::to_string(kLeading) +
               ";\n" + registers("st") + "ret; }";
    text +=
        registers("ld") + "wmma.store.d" + tail + address + ", " + names(f) + ", " + std::to_string(kLeading) + ";\n";
    if (shared) {
        text += "bar.sync 0;\n";
        for (u32 at = 0; at < kBytes; at += 128)
            text += "ld.shared.u32 %r4, [%r3+" + std::to_string(at) + "]; st.global.u32 [%rd5+" + std::to_string(at) +
                    "], %r4;\n";
    }
    return text + "ret; }";
}

/// The matrix in memory: element (row, column) is its number.
std::vector<std::uint8_t> inMemory(const Fragment& f, const std::string& layout)
{
    std::vector<std::uint8_t> memory(kBytes, 0xee);
    for (u32 row = 0; row < f.rows; ++row) {
        for (u32 column = 0; column < f.columns; ++column) {
            const u32 at = layout == "row" ? row * kLeading + column : column * kLeading + row;
            const std::uint64_t number = row * f.columns + column;
            std::memcpy(memory.data() + at * f.bytes, &number, f.bytes);
        }
    }
    return memory;
}

std::vector<u32> loaded(const Fragment& f, const std::string& layout, const std::string& space, Lab& lab)
{
    const std::size_t words = std::size_t{32} * f.registers * (f.isWide ? 2 : 1);
    if (!lab.load(kernelOf(f, layout, space, false)))
        return {};
    const DevicePtr out = lab.put(std::vector<u32>(words));
    if (!lab.run("k", {1}, {32}, {lab.put(inMemory(f, layout)), out}))
        return {};
    return lab.get<u32>(out, words);
}

} // namespace

class TestSimtFragments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void moveByThoseAccesses_data()
    {
        QTest::addColumn<QByteArray>("role");
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<QByteArray>("along"); ///< mnemonics and their numbers where registers run along memory: global
        QTest::addColumn<QByteArray>("across");
        QTest::addColumn<QByteArray>("sharedAlong");
        QTest::addColumn<QByteArray>("sharedAcross");
        const auto row = [](const char* role, const char* type, const char* along, const char* across,
                            const char* sharedAlong, const char* sharedAcross) {
            QTest::addRow("%s %s", role, type)
                << QByteArray(role) << QByteArray(type) << QByteArray(along) << QByteArray(across)
                << QByteArray(sharedAlong) << QByteArray(sharedAcross);
        };
        for (const char* role : {"a", "b"}) {
            for (const char* type : {"f16", "bf16"})
                row(role, type, "4 LDG.E", "4 LDG.E 4 MOVM.16.MT88", "1 LDSM.16.M88.4", "1 LDSM.16.MT88.4");
            row(role, "s8", "2 LDG.E", "8 LDG.E.U8", "1 LDSM.16.M88.2", "8 LDS.U8");
            row(role, "tf32", "4 LDG.E", "4 LDG.E", "4 LDS", "4 LDS");
        }
        row("c", "f32", "4 LDG.E.64", "8 LDG.E", "4 LDS.64", "8 LDS");
        row("c", "s32", "4 LDG.E.64", "8 LDG.E", "4 LDS.64", "8 LDS");
        row("c", "f16", "4 LDG.E", "4 LDG.E 4 MOVM.16.MT88", "4 LDS", "4 LDS 4 MOVM.16.MT88");
        row("c", "f64", "1 LDG.E.128", "2 LDG.E.64", "1 LDS.128", "2 LDS.64");
        row("d", "f32", "4 STG.E.64", "8 STG.E", "4 STS.64", "8 STS");
        row("d", "f16", "4 STG.E", "4 STG.E 4 MOVM.16.MT88", "4 STS", "4 STS 4 MOVM.16.MT88");
    }
    void moveByThoseAccesses()
    {
        QFETCH(QByteArray, role);
        QFETCH(QByteArray, type);
        QFETCH(QByteArray, along);
        QFETCH(QByteArray, across);
        QFETCH(QByteArray, sharedAlong);
        QFETCH(QByteArray, sharedAcross);
        const Fragment f = fragmentOf(role.toStdString(), type.toStdString());
        const bool stores = role == "d";
        for (const char* layout : {"row", "col"}) {
            const bool runsAlong = (std::string(layout) == "row") != (role == "b");
            for (const char* space : {"global", "shared"}) {
                const bool shared = std::string(space) == "shared";
                const QByteArray want = shared ? (runsAlong ? sharedAlong : sharedAcross) : runsAlong ? along : across;
                const std::string ptx = kernelOf(f, layout, space, stores);
                const MachineKernel machine = machineOfPtx(ptx, 90);
                const QList<QByteArray> words = want.split(' ');
                int accesses = 0;
                for (int at = 0; at < words.size(); at += 2) {
                    const std::string mnemonic = words[at + 1].toStdString();
                    // The test's own accesses are of 32 and 64 bits through global memory.
                    const int own = ownAccesses(f, mnemonic, shared, stores);
                    QVERIFY2(count(machine, mnemonic) - own == words[at].toInt(),
                             qPrintable(QStringLiteral("%1 %2: %3 %4, not %5")
                                            .arg(QLatin1String(layout), QLatin1String(space))
                                            .arg(count(machine, mnemonic) - own)
                                            .arg(QString::fromStdString(mnemonic), QString::fromLatin1(words[at]))));
                    accesses += at == 0 ? words[at].toInt() : 0;
                }
                // The simulator counts as many requests.
                Lab lab;
                QVERIFY2(lab.load(ptx), lab.why());
                const DevicePtr out = lab.put(std::vector<u32>(std::size_t{32} * 16));
                QVERIFY2(lab.run("k", {1}, {32}, {lab.put(inMemory(f, layout)), out}), lab.why());
                const u32 copies = kBytes / 128;
                const Counters& c = lab.counters;
                const std::uint64_t seen = shared ? (stores ? c.sharedStoreRequests - copies : c.sharedLoadRequests)
                                                  : (stores ? c.globalStoreRequests : c.globalLoadRequests);
                QCOMPARE(int(seen), accesses);
            }
        }
    }

    void holdTheSameWhereverTheMatrixLies_data()
    {
        QTest::addColumn<QByteArray>("role");
        QTest::addColumn<QByteArray>("type");
        for (const char* role : {"a", "b"})
            for (const char* type : {"f16", "bf16", "s8", "u8", "tf32"})
                QTest::addRow("%s %s", role, type) << QByteArray(role) << QByteArray(type);
        for (const char* type : {"f16", "f32", "s32", "f64"})
            QTest::addRow("c %s", type) << QByteArray("c") << QByteArray(type);
    }
    void holdTheSameWhereverTheMatrixLies()
    {
        QFETCH(QByteArray, role);
        QFETCH(QByteArray, type);
        const Fragment f = fragmentOf(role.toStdString(), type.toStdString());
        Lab lab;
        const std::vector<u32> first = loaded(f, "row", "global", lab);
        QVERIFY2(!first.empty(), lab.why());
        // Every element is somewhere; those of f16 fragments that have more registers than elements twice.
        std::vector<int> seen(std::size_t{f.rows} * f.columns, 0);
        const auto* elements = reinterpret_cast<const std::uint8_t*>(first.data());
        for (std::size_t at = 0; at < first.size() * 4 / f.bytes; ++at) {
            std::uint64_t number = 0;
            std::memcpy(&number, elements + at * f.bytes, f.bytes);
            QVERIFY(number < seen.size());
            ++seen[number];
        }
        const int times = int(first.size() * 4 / f.bytes / seen.size());
        QVERIFY(std::ranges::all_of(seen, [&](int count) { return count == times; }));
        for (const char* layout : {"row", "col"}) {
            for (const char* space : {"global", "shared", ""})
                QVERIFY2(loaded(f, layout, space, lab) == first, layout);
        }
    }

    void storesPutBackWhatLoadsTook_data()
    {
        QTest::addColumn<QByteArray>("type");
        for (const char* type : {"f16", "f32", "s32", "f64"})
            QTest::addRow("%s", type) << QByteArray(type);
    }
    void storesPutBackWhatLoadsTook()
    {
        QFETCH(QByteArray, type);
        const Fragment f = fragmentOf("c", type.toStdString());
        Lab lab;
        const std::vector<u32> fragment = loaded(f, "row", "global", lab);
        for (const char* layout : {"row", "col"}) {
            for (const char* space : {"global", "shared", ""}) {
                QVERIFY2(lab.load(kernelOf(f, layout, space, true)), lab.why());
                const DevicePtr memory = lab.put(std::vector<std::uint8_t>(kBytes, 0xee));
                QVERIFY2(lab.run("k", {1}, {32}, {memory, lab.put(fragment)}), lab.why());
                QVERIFY2(lab.get<std::uint8_t>(memory, kBytes) == inMemory(f, layout), layout);
            }
        }
    }

    /// What a fragment of f16 holds twice is neither loaded twice nor multiplied.
    void repeatsAreNotMultiplied()
    {
        const std::string ptx =
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 pa, .param .u64 pb)\n"
            "{ .reg .b32 %r<20>; .reg .b64 %rd<3>; .reg .f32 %f<20>; ld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, "
            "[pb];\n"
            "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd0], 32;\n"
            "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15}, [%rd0], 32;\n"
            "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%rd1], 32;\n"
            "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f8,%f9,%f10,%f11,%f12,%f13,%f14,%f15},"
            " {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, {%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15},"
            " {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};\n"
            "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f8,%f9,%f10,%f11,%f12,%f13,%f14,%f15}, 32;\n"
            "ret; }";
        const MachineKernel machine = machineOfPtx(ptx, 90);
        QCOMPARE(count(machine, "LDG.E"), 8);
        QCOMPARE(count(machine, "HMMA.16816.F32"), 2);
        for (const MachineOp& op : machine.ops) {
            if (machine.mnemonics[op.mnemonic] != "HMMA.16816.F32")
                continue;
            int read = 0;
            for (const RegisterRange& range : op.sources)
                read += range.count;
            QVERIFY2(read <= 16, qPrintable(QString::number(read))); // 4 of A, 4 of B, 8 sums
        }
    }

    /// 16 bytes a row where LDSM fetches them: a leading dimension of nine halves is no row of shared memory.
    void rowsOfSharedMemoryAreAligned()
    {
        Fragment f = fragmentOf("a", "f16");
        std::string ptx = kernelOf(f, "row", "shared", false);
        const std::string leading = "], " + std::to_string(kLeading) + ";";
        ptx.replace(ptx.find(leading), leading.size(), "], 9;");
        Lab lab;
        QVERIFY2(lab.load(ptx), lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(std::size_t{32} * 16));
        QVERIFY(!lab.run("k", {1}, {32}, {lab.put(inMemory(f, "row")), out}));
        QCOMPARE(QString::fromStdString(lab.code()), QStringLiteral("misaligned"));
    }

private:
    static Fragment fragmentOf(const std::string& role, const std::string& type)
    {
        Fragment f{role, type, "m16n16k16"};
        if (type == "f16")
            f.registers = role == "a" || role == "b" ? 8 : 4;
        if (type == "s8" || type == "u8")
            f = {role, type, f.shape, 16, 16, 1, 2};
        if (type == "tf32")
            f = {role, type, "m16n16k8", role == "a" ? 16u : 8u, role == "a" ? 8u : 16u, 4, 4};
        if (type == "f32" || type == "s32")
            f = {role, type, f.shape, 16, 16, 4, 8};
        if (type == "f64")
            f = {role, type, "m8n8k4", 8, 8, 8, 2, true};
        return f;
    }

    /// Accesses with this mnemonic that the kernel makes besides those of the fragment.
    static int ownAccesses(const Fragment& f, const std::string& mnemonic, bool shared, bool stores)
    {
        const int copies = int(kBytes / 128);
        if (mnemonic == "LDG.E" && shared)
            return copies;
        if (mnemonic == "STS" && shared)
            return copies;
        if (stores && !shared && mnemonic == "LDG.E")
            return int(f.registers);
        return 0;
    }
};

QTEST_APPLESS_MAIN(TestSimtFragments)
#include "tst_simt_fragments.moc"
