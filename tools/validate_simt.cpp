// SPDX-License-Identifier: GPL-3.0-or-later
// Microbenchmarks of the timing model beside what was published about the real chips, as Markdown.
//   build/release/bin/validate_simt [chip …]      (from the root; no chip: all of them)
// tools/validate-simt builds it and writes docs/validation-timing.md.
#include "base/json.h"
#include "gpu/simt/simt_device.h"
#include "gpu/simt/timing/chip_file.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace ridge;
using namespace ridge::gpu;

namespace {

struct Published {
    double value = 0;
    const char* source = "";
};

/// What the reference pages of this project print (keys as in the chip files). Cycles, bytes per cycle, GB/s.
const std::map<std::string, std::map<std::string, Published>>& published()
{
    static const std::map<std::string, std::map<std::string, Published>> table{
        {"v100-sxm2-32",
         {{"L1 latency", {28, "RRZE"}},
          {"L2 latency", {212, "RRZE"}},
          {"DRAM latency", {430, "RRZE, plateau 425 to 434"}},
          {"shared latency", {33, "PPT; Accel-Sim 20"}},
          {"L1 bandwidth", {126, "RRZE"}},
          {"L2 bandwidth", {1594, "RRZE, 2.2 TB/s"}},
          {"DRAM read", {867, "RRZE"}},
          {"FFMA latency", {4, "HUE25"}},
          {"DADD latency", {8, "PPT"}},
          {"atomic latency", {245, "PPT"}}}},
        {"a100-sxm-80",
         {{"L1 latency", {33, "RRZE"}},
          {"L2 latency", {206, "RRZE"}},
          {"L2 latency, past one partition", {384.5, "RRZE, 357 to 412"}},
          {"DRAM latency", {532, "RRZE, plateau 512 to 552"}},
          {"shared latency", {29, "HPMLL"}},
          {"L1 bandwidth", {126, "RRZE"}},
          {"L2 bandwidth", {3830, "RRZE, 5.4 TB/s"}},
          {"DRAM read", {1776, "RRZE"}},
          {"FFMA latency", {4, "ABD22"}},
          {"MUFU latency", {18, "ABD22"}},
          {"mma m16n8k16 latency", {24.6, "LUO24"}},
          {"mma m16n8k16 interval", {8, "LUO24"}}}},
        {"h100-sxm",
         {{"L1 latency", {32, "RRZE"}},
          {"L2 latency", {280, "RRZE, GH200"}},
          {"L2 latency, past one partition", {515, "RRZE, GH200, 45 MB"}},
          {"DRAM latency", {650, "RRZE, plateau 611 to 688"}},
          {"shared latency", {29, "HPMLL"}},
          {"L1 bandwidth", {126, "RRZE"}},
          {"L2 bandwidth", {3942, "LUO24, H800"}},
          {"DRAM read", {3180, "BabelStream dot"}},
          {"FFMA latency", {4, "HUE25"}},
          {"mma m16n8k16 latency", {24.1, "LUO24, H800"}},
          {"mma m16n8k16 interval", {6.36, "LUO24, 62.9 % of peak"}}}},
        {"h200-sxm", {{"L1 latency", {32, "RRZE"}},        {"L1 bandwidth", {126, "RRZE"}},
                      {"L2 bandwidth", {5000, "RRZE"}},    {"DRAM read", {4480, "BabelStream dot"}},
                      {"load, stride 0", {1.01, "RRZE"}},  {"load, stride 1", {1.01, "RRZE"}},
                      {"load, stride 2", {2.01, "RRZE"}},  {"load, stride 3", {1.63, "RRZE"}},
                      {"load, stride 4", {4.01, "RRZE"}},  {"load, stride 5", {2.0, "RRZE"}},
                      {"load, stride 6", {2.32, "RRZE"}},  {"load, stride 7", {2.41, "RRZE"}},
                      {"load, stride 8", {8.0, "RRZE"}},   {"load, stride 9", {3.0, "RRZE"}},
                      {"load, stride 10", {3.16, "RRZE"}}, {"load, stride 11", {3.41, "RRZE"}},
                      {"load, stride 12", {4.01, "RRZE"}}, {"load, stride 13", {4.1, "RRZE"}},
                      {"load, stride 14", {4.25, "RRZE"}}, {"load, stride 15", {4.6, "RRZE"}}}},
        {"a40",
         {{"L1 latency", {33, "RRZE"}},
          {"L2 latency", {250, "RRZE"}},
          {"DRAM latency", {551, "RRZE, plateau 547 to 556"}},
          {"L1 bandwidth, 4-byte loads", {64, "RRZE"}},
          {"DRAM read", {680, "RRZE"}},
          {"FFMA latency", {4, "HUE25"}},
          {"SHFL latency", {26, "HUE25"}}}},
        {"rtx3060-laptop", {{"FFMA interval, one warp, 4 chains", {1, "YKTian-x2b, RTX 3060, straight code"}}}},
        {"rtx4090",
         {{"L1 latency", {36, "HPMLL"}},
          {"L2 latency", {285, "HPMLL"}},
          {"DRAM latency", {566, "HPMLL, plateau 561 to 571"}},
          {"shared latency", {30.1, "HPMLL"}},
          {"mma m16n8k16 latency, f16 sum", {24.6, "LUO24, whose 357.6 TFLOP/s need f16 sums"}},
          {"L1 bandwidth", {121.2, "LUO24, 16-byte loads"}},
          {"L1 bandwidth, 4-byte loads", {64, "RRZE, L40"}},
          {"L2 bandwidth", {1708, "LUO24"}}}},
        {"l40s",
         {{"L1 latency", {34.1, "RRZE, L40"}},
          {"L2 latency", {273.6, "RRZE, L40"}},
          {"DRAM latency", {625, "RRZE, L40"}},
          {"L1 bandwidth, 4-byte loads", {64, "RRZE, L40"}},
          {"L2 bandwidth", {2088, "RRZE, L40, 5.2 TB/s"}},
          {"DRAM read", {845, "RRZE, L40"}}}},
        {"rtx5090", {{"L2 latency", {313, "CC-GB202, 130 ns"}}, {"L1 bandwidth", {128, "CC-GB202"}}}},
    };
    return table;
}

std::string repeat(const std::string& text, int times)
{
    std::string all;
    for (int at = 0; at < times; ++at)
        all += text;
    return all;
}

/// %rd0 a, %rd1 b, %r9 n; %r0 thread in the block, %r1 block, %r2 threads in the block, %r3 blocks.
std::string kernel(const std::string& body, const std::string& target)
{
    return ".version 7.0\n.target " + target +
           "\n.address_size 64\n.extern .shared .align 16 .b8 pool[];\n"
           ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u32 pn)\n{\n"
           ".reg .pred %p<8>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<80>; .reg .f64 %fd<16>;\n"
           "ld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, [pb]; ld.param.u32 %r9, [pn];\n"
           "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %nctaid.x;\n" +
           body + "\nret;\n}\n";
}

class Chip {
public:
    explicit Chip(const simt::ChipTiming& chip) : m_chip(chip)
    {
        DeviceInfo info;
        info.computeMajor = chip.id.rfind("v100", 0) == 0 || chip.id == "t4" ? 7 : chip.maxWarps < 64 ? 8 : 9;
        info.computeMinor = chip.id == "t4" ? 5 : chip.maxWarps < 64 ? 9 : 0;
        info.smCount = static_cast<std::uint32_t>(chip.sms);
        DeviceOptions patient; // a row must not vanish because the machine is busy
        patient.launchSeconds = 3600;
        m_device = std::move(*simt::openSimtDevice(info, {}, patient, chip));
    }

    const simt::ChipTiming& timing() const { return m_chip; }

    DevicePtr allocate(std::uint64_t bytes) { return *m_device->allocate(bytes, "data"); }
    void fill(DevicePtr at, const std::vector<std::uint64_t>& words)
    {
        static_cast<void>(m_device->copyToDevice(at, std::as_bytes(std::span(words))));
    }
    DevicePtr put(const std::vector<std::uint64_t>& words)
    {
        const DevicePtr at = allocate(words.size() * 8);
        fill(at, words);
        return at;
    }
    std::uint64_t word(DevicePtr at)
    {
        std::uint64_t value = 0;
        static_cast<void>(m_device->copyToHost(std::as_writable_bytes(std::span(&value, 1)), at));
        return value;
    }
    void drop(DevicePtr at) { static_cast<void>(m_device->free(at)); }

    /// No value where the kernel is refused or fails; the reason goes to standard error.
    std::optional<TimingReport> run(const std::string& body, Dim3 grid, Dim3 block, DevicePtr a, DevicePtr b,
                                    std::uint32_t n, std::uint32_t shared = 0)
    {
        Program program;
        program.ptx = kernel(body, body.find("mma.sync") != body.npos ? "sm_80" : "sm_70");
        auto loaded = m_device->load(program);
        if (!loaded) {
            std::fprintf(stderr, "%s\n", toText(loaded.error()).c_str());
            return std::nullopt;
        }
        LaunchOptions options;
        options.timing = true;
        options.timingOptions.budget = 0;
        auto report = m_device->launch(**loaded, {"k", grid, block, shared, {a, b, n}}, options);
        if (!report) {
            std::fprintf(stderr, "%s\n", toText(report.error()).c_str());
            return std::nullopt;
        }
        if (std::getenv("RIDGE_VALIDATE_STALLS") != nullptr) {
            const auto cycles = static_cast<double>(report->timing->counters.warpCycles);
            for (std::size_t at = 0; at < kStalls; ++at)
                std::fprintf(stderr, " %s %.1f%%", std::string(toText(static_cast<Stall>(at))).c_str(),
                             static_cast<double>(report->timing->stalls[at]) / cycles * 100);
            std::fprintf(stderr, " req %llu data %llu cycles %llu\n",
                         static_cast<unsigned long long>(report->timing->counters.l1Requests),
                         static_cast<unsigned long long>(report->timing->counters.l1DataWavefronts),
                         static_cast<unsigned long long>(report->timing->cycles));
        }
        return report->timing;
    }

private:
    simt::ChipTiming m_chip;
    std::unique_ptr<Device> m_device;
};

/// The difference of two clocks around a loop, divided by the repetitions of `body` in it. One block.
std::string timedLoop(const std::string& before, const std::string& body, int unroll, const std::string& after = {})
{
    return before + "mov.u32 %r8, 0; bar.sync 0; mov.u64 %rd60, %clock64;\nLOOP: " + repeat(body, unroll) +
           "add.u32 %r8, %r8, 1; setp.lt.u32 %p7, %r8, %r9; @%p7 bra LOOP;\nbar.sync 0; mov.u64 %rd61, %clock64;"
           "sub.u64 %rd61, %rd61, %rd60; st.global.u64 [%rd1], %rd61;" +
           after;
}

struct Row {
    std::string what;
    std::string unit;
    std::optional<double> ours;
};

class Bench {
public:
    explicit Bench(const simt::ChipTiming& chip) : m_chip(chip), m_out(m_chip.put({0, 0, 0, 0})) {}

    std::vector<Row> all()
    {
        latencies();
        throughputs();
        bandwidths();
        return std::move(m_rows);
    }

private:
    void add(std::string what, std::string unit, std::optional<double> ours)
    {
        m_rows.push_back({std::move(what), std::move(unit), ours});
    }

    /// Cycles of one step of a chain of loads through `bytes`, after one walk through all of it if `warm`.
    std::optional<double> chase(std::uint64_t bytes, std::uint64_t step, bool warm, std::uint32_t steps)
    {
        constexpr std::uint32_t unroll = 16;
        const std::uint64_t count = bytes / step / unroll * unroll;
        const DevicePtr chain = m_chip.allocate(bytes);
        std::vector<std::uint64_t> words(bytes / 8);
        for (std::uint64_t at = 0; at < count; ++at)
            words[at * step / 8] = chain.address + (at + 1) % count * step;
        m_chip.fill(chain, words);
        std::string before = "mov.u64 %rd5, %rd0;";
        if (warm)
            before += "mov.u32 %r7, 0; WARM: " + repeat("ld.global.u64 %rd5, [%rd5];", unroll) +
                      "add.u32 %r7, %r7, 1; setp.lt.u32 %p6, %r7, " + std::to_string(count / unroll) +
                      "; @%p6 bra WARM;";
        const auto report =
            m_chip.run(timedLoop(before, "ld.global.u64 %rd5, [%rd5];", unroll, "st.global.u64 [%rd1+8], %rd5;"), {1},
                       {1}, chain, m_out, steps / unroll);
        m_chip.drop(chain);
        return report ? std::optional<double>(static_cast<double>(m_chip.word(m_out)) / steps) : std::nullopt;
    }

    /// Cycles of one repetition of `body` in a block of `threads`: for one warp what twice as many in the loop add, for
    /// many warps, which hide the end of the loop, what twice as many rounds add.
    std::optional<double> loop(const std::string& before, const std::string& body, int unroll, std::uint32_t loops,
                               std::uint32_t threads, const std::string& after)
    {
        std::array<double, 2> cycles{};
        for (int times = 1; times <= 2; ++times) {
            const bool oneWarp = threads <= 32;
            const DevicePtr data = m_chip.put(std::vector<std::uint64_t>(8192));
            const auto report =
                m_chip.run(timedLoop(before, body, oneWarp ? unroll * times : unroll, after), {1}, {threads}, data,
                           m_out, oneWarp ? loops : loops * static_cast<std::uint32_t>(times), 16384);
            m_chip.drop(data);
            if (!report)
                return std::nullopt;
            // Warps that the scheduler prefers see only their own time; many warps are timed from outside.
            cycles[static_cast<std::size_t>(times) - 1] =
                static_cast<double>(threads <= 32 ? m_chip.word(m_out) : report->cycles);
        }
        return (cycles[1] - cycles[0]) / (unroll * static_cast<double>(loops));
    }

    void latencies()
    {
        add("L1 latency", "cycles", chase(16 << 10, 128, true, 4096));
        add("L2 latency", "cycles", chase(512 << 10, 128, true, 2048));
        // As much as those took who measured it. A ring leaves nothing in a set that overflows: half comes from memory.
        const std::uint64_t past = m_chip.timing().l2Kb > 45 << 10 ? 45u << 20 : 30u << 20;
        if (m_chip.timing().l2Partitions > 1)
            add("L2 latency, past one partition", "cycles", chase(past, 128, true, 4096));
        add("DRAM latency", "cycles", chase(32 << 20, 16384 + 128, false, 1024));
        add("shared latency", "cycles",
            loop("mov.u32 %r5, 0;", "ld.shared.u32 %r5, [%r5];", 16, 32, 1, "st.global.u32 [%rd1+8], %r5;"));
        add("atomic latency", "cycles",
            loop("mov.u32 %r5, 0;", "atom.global.exch.b32 %r5, [%rd0], %r5;", 16, 32, 1,
                 "st.global.u32 [%rd1+8], %r5;"));
        const std::string floats = "ld.global.f32 %f1, [%rd0]; ld.global.f32 %f2, [%rd0+4];";
        const std::string keep = "st.global.f32 [%rd1+8], %f1;";
        add("FFMA latency", "cycles", loop(floats, "fma.rn.f32 %f1, %f1, %f2, %f2;", 32, 32, 1, keep));
        add("MUFU latency", "cycles", loop(floats, "ex2.approx.ftz.f32 %f1, %f1;", 32, 32, 1, keep));
        add("DADD latency", "cycles",
            loop("ld.global.f64 %fd1, [%rd0];", "add.rn.f64 %fd1, %fd1, %fd1;", 32, 32, 1,
                 "st.global.f64 [%rd1+8], %fd1;"));
        add("SHFL latency", "cycles",
            loop("mov.u32 %r5, %r0;", "shfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;", 32, 32, 32,
                 "st.global.u32 [%rd1+8], %r5;"));
    }

    void throughputs()
    {
        std::string before;
        std::string body;
        std::string after = "st.global.f32 [%rd1+8], %f1;";
        for (int at = 1; at <= 8; ++at)
            before += "cvt.rn.f32.u32 %f" + std::to_string(at) + ", %r0;";
        for (int at = 1; at <= 8; ++at)
            body += "fma.rn.f32 %f" + std::to_string(at) + ", %f" + std::to_string(at) + ", %f20, %f21;";
        before += "ld.global.f32 %f20, [%rd0]; ld.global.f32 %f21, [%rd0+4];";
        for (int at = 2; at <= 8; ++at)
            after = "add.f32 %f1, %f1, %f" + std::to_string(at) + ";" + after;
        const auto perClk = [&](std::optional<double> cycles, double results) {
            return cycles ? std::optional<double>(results / *cycles) : std::nullopt;
        };
        add("FFMA results", "per clk and SM", perClk(loop(before, body, 8, 16, 1024, after), 8 * 1024));
        std::string four;
        for (int at = 1; at <= 4; ++at)
            four += "fma.rn.f32 %f" + std::to_string(at) + ", %f" + std::to_string(at) + ", %f20, %f21;";
        const auto turn = loop(before, four, 64, 64, 32, after);
        add("FFMA interval, one warp, 4 chains", "cycles", turn ? std::optional<double>(*turn / 4) : std::nullopt);
        std::string mufu;
        for (int at = 1; at <= 8; ++at)
            mufu += "ex2.approx.ftz.f32 %f" + std::to_string(at) + ", %f" + std::to_string(at) + ";";
        add("MUFU results", "per clk and SM", perClk(loop(before, mufu, 4, 16, 1024, after), 8 * 1024));
        if (m_chip.timing().id != "v100-sxm2-32" && m_chip.timing().id != "t4")
            tensor();
        for (int stride = 0; stride < 16; ++stride) {
            std::string loads;
            for (int at = 0; at < 8; ++at)
                loads += "ld.global.f32 %f" + std::to_string(at + 1) + ", [%rd5+" + std::to_string(at * 4) + "];";
            const std::string address = "mov.u32 %r5, %laneid; mul.wide.u32 %rd5, %r5, " + std::to_string(stride * 4) +
                                        "; add.u64 %rd5, %rd5, %rd0;";
            const auto cycles = loop(address + loads, loads, 4, 16, 1024, after);
            add("load, stride " + std::to_string(stride), "cycles a warp",
                cycles ? std::optional<double>(*cycles / 256) : std::nullopt);
        }
    }

    /// mma.sync m16n8k16 of f16: one chain, and sixteen warps with four chains each. A and B have registers of their
    /// own, as in any real kernel: copies into neighbouring registers would be part of the time.
    void tensor()
    {
        std::string before;
        for (int at = 10; at < 16; ++at)
            before += "mov.u32 %r" + std::to_string(at) + ", %r0;";
        for (int at = 1; at <= 16; ++at)
            before +=
                "cvt.rn.f32.u32 %f" + std::to_string(at) + ", %r0; mov.b32 %r" + std::to_string(at + 20) + ", %r0;";
        const auto mma = [](int first, bool halfSum) {
            std::string d;
            for (int at = 0; at < (halfSum ? 2 : 4); ++at)
                d += (at != 0 ? ", " : "") + std::string(halfSum ? "%r" : "%f") +
                     std::to_string(first + at + (halfSum ? 20 : 0));
            const std::string sum = halfSum ? "f16" : "f32";
            return "mma.sync.aligned.m16n8k16.row.col." + sum + ".f16.f16." + sum + " {" + d +
                   "}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {" + d + "};";
        };
        std::string after = "st.global.f32 [%rd1+8], %f1; st.global.u32 [%rd1+12], %r21;";
        for (int at = 2; at <= 16; ++at)
            after = "add.f32 %f1, %f1, %f" + std::to_string(at) + "; xor.b32 %r21, %r21, %r" + std::to_string(at + 20) +
                    ";" + after;
        add("mma m16n8k16 latency", "cycles", loop(before, mma(1, false), 16, 16, 32, after));
        const auto cycles =
            loop(before, mma(1, false) + mma(5, false) + mma(9, false) + mma(13, false), 4, 16, 512, after);
        add("mma m16n8k16 interval", "cycles a sub-core", cycles ? std::optional<double>(*cycles / 16) : std::nullopt);
        add("mma m16n8k16 latency, f16 sum", "cycles", loop(before, mma(1, true), 16, 16, 32, after));
    }

    /// Bytes per cycle of an SM that reads 16 KB of L1 again and again, `width` bytes a lane.
    std::optional<double> l1(int width)
    {
        const std::string load = width == 16  ? "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd5+"
                                 : width == 8 ? "ld.global.v2.f32 {%f1, %f2}, [%rd5+"
                                              : "ld.global.f32 %f1, [%rd5+";
        std::string body;
        for (int at = 0; at < 16; ++at) {
            std::string one = load + std::to_string(at * width * 32 % 8192) + "];";
            for (const char digit : {'4', '3', '2', '1'}) { // registers of their own
                const std::string name = std::string("%f") + digit;
                if (const std::size_t found = one.find(name); found != one.npos)
                    one.replace(found, name.size(), "%f" + std::to_string(at * 4 + (digit - '0')));
            }
            body += one;
        }
        const std::string address =
            "mov.u32 %r5, %laneid; mul.wide.u32 %rd5, %r5, " + std::to_string(width) + "; add.u64 %rd5, %rd5, %rd0;";
        std::string keep = "st.global.f32 [%rd1+8], %f1;";
        for (int at = 0; at < 16; ++at) {
            for (int part = 1; part <= width / 4; ++part) {
                if (at != 0 || part != 1)
                    keep = "add.f32 %f1, %f1, %f" + std::to_string(at * 4 + part) + ";" + keep;
            }
        }
        const std::uint32_t threads = width == 16 ? 512 : 1024; // registers for 64 values
        const auto cycles = loop(address + body, body, 1, 64, threads, keep);
        return cycles ? std::optional<double>(16.0 * threads * width / *cycles) : std::nullopt;
    }

    /// Every SM reads the same `bytes`, each from a place on that no other asks for, or all SMs together read all of
    /// `bytes` once.
    std::optional<TimingReport> stream(std::uint64_t bytes, std::uint32_t blocks, std::uint32_t loops, bool same)
    {
        const DevicePtr data = m_chip.allocate(bytes);
        // %rd6 is the place of the thread's first 16 bytes, %rd7 what all threads of the loop's step move on.
        const std::uint64_t step = same ? 1024 * 16 * 4 : std::uint64_t{blocks} * 1024 * 16 * 4;
        const std::string mask = std::to_string(bytes - 1);
        const std::string start = same ? "mul.lo.u32 %r5, %r1, 31; and.b32 %r5, %r5, " +
                                             std::to_string((bytes >> 14) - 1) +
                                             "; mul.lo.u32 %r5, %r5, 1024; add.u32 %r5, %r5, %r0;"
                                       : "mad.lo.u32 %r5, %r1, %r2, %r0;";
        std::string body;
        for (int at = 0; at < 4; ++at)
            body += "add.u64 %rd8, %rd6, " + std::to_string(static_cast<std::uint64_t>(at) * (step / 4)) +
                    "; and.b64 %rd8, %rd8, " + mask + "; add.u64 %rd8, %rd8, %rd0; ld.global.v4.u32 {%r" +
                    std::to_string(20 + at * 4) + ", %r" + std::to_string(21 + at * 4) + ", %r" +
                    std::to_string(22 + at * 4) + ", %r" + std::to_string(23 + at * 4) + "}, [%rd8];";
        std::string sum = "mov.u32 %r6, 0;";
        std::string add;
        for (int at = 0; at < 16; ++at)
            add += "xor.b32 %r6, %r6, %r" + std::to_string(20 + at) + ";";
        const std::string text = sum + start + "mul.wide.u32 %rd6, %r5, 16; mov.u32 %r8, 0;\nLOOP: " + body + add +
                                 "add.u64 %rd6, %rd6, " + std::to_string(step) +
                                 "; add.u32 %r8, %r8, 1; setp.lt.u32 %p7, %r8, %r9; @%p7 bra LOOP;"
                                 "setp.eq.u32 %p6, %r6, 12345; @%p6 st.global.u32 [%rd1], %r6;";
        auto report = m_chip.run(text, {blocks}, {1024}, data, m_out, loops);
        m_chip.drop(data);
        return report;
    }

    void bandwidths()
    {
        const auto sms = static_cast<std::uint32_t>(m_chip.timing().sms);
        add("L1 bandwidth", "B per clk and SM", l1(m_chip.timing().mioAcceptCycles > 1 ? 16 : 8));
        add("L1 bandwidth, 4-byte loads", "B per clk and SM", l1(4));
        const std::uint64_t set = m_chip.timing().l2Kb >= 32 << 10 ? 4 << 20 : 1 << 20;
        const auto few = stream(set, sms, 16, true);
        const auto many = stream(set, sms, 48, true);
        if (few && many)
            add("L2 bandwidth", "B per clk",
                static_cast<double>(many->counters.l1SectorMisses - few->counters.l1SectorMisses) * 32 /
                    static_cast<double>(many->cycles - few->cycles));
        const auto shorter = stream(std::uint64_t{1} << 30, 2 * sms, 4, false);
        const auto longer = stream(std::uint64_t{1} << 30, 2 * sms, 8, false);
        if (shorter && longer)
            add("DRAM read", "GB/s",
                static_cast<double>(longer->counters.dramReadBytes - shorter->counters.dramReadBytes) /
                    (longer->seconds - shorter->seconds) / 1e9);
    }

    Chip m_chip;
    DevicePtr m_out;
    std::vector<Row> m_rows;
};

void print(const simt::ChipTiming& chip)
{
    std::printf("### %s\n\n| What | Unit | Published | Simulated | Error | Source |\n|---|---|---:|---:|---:|---|\n",
                chip.name.c_str());
    const auto known = published().find(chip.id);
    for (const Row& row : Bench(chip).all()) {
        std::string first = "–", error = "–", source;
        char text[64];
        if (known != published().end()) {
            if (const auto value = known->second.find(row.what); value != known->second.end()) {
                std::snprintf(text, sizeof text, "%g", value->second.value);
                first = text;
                source = value->second.source;
                if (row.ours) {
                    std::snprintf(text, sizeof text, "%+.1f %%", (*row.ours / value->second.value - 1) * 100);
                    error = text;
                }
            }
        }
        const bool isStride = row.what.rfind("load, stride", 0) == 0;
        if (isStride && source.empty())
            continue;
        std::snprintf(text, sizeof text, "%.4g", row.ours.value_or(0));
        std::printf("| %s | %s | %s | %s | %s | %s |\n", row.what.c_str(), row.unit.c_str(), first.c_str(),
                    row.ours ? text : "not executable", error.c_str(), source.c_str());
        std::fflush(stdout);
    }
    std::printf("\n");
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> chips(argv + 1, argv + argc);
    if (chips.empty())
        chips = {"t4",      "v100-sxm2-32", "a100-sxm-80", "a40",      "rtx3060-laptop", "rtx4060-laptop",
                 "rtx4090", "l40s",         "h100-sxm",    "h200-sxm", "rtx5090"};
    for (const std::string& id : chips) {
        auto chip = simt::readChipTiming("assets/chips/timing", id);
        if (!chip) {
            std::fprintf(stderr, "%s\n", toText(chip.error()).c_str());
            return 1;
        }
        print(*chip);
    }
    return 0;
}
