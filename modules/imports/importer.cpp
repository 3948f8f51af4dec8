// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/lines.h"
#include "imports/readers.h"

#include <algorithm>
#include <cstdint>

namespace ridge::imports {

namespace {

struct Reader {
    FormatInfo info;
    bool (*looksLike)(std::string_view);
    Result<Imported> (*read)(std::string_view, const std::string&);
};

const std::vector<Reader>& readers()
{
    // In this order: what is asked first has the surest mark of its own.
    static const std::vector<Reader> all = {
        {{"torch-memory", "PyTorch memory snapshot", "torch.cuda.memory._dump_snapshot(\"memory.pickle\")"},
         looksLikeTorchMemory,
         readTorchMemory},
        {{"nccl-tests", "nccl-tests", "all_reduce_perf -b 8 -e 1G -f 2 > all_reduce.log"},
         looksLikeNcclTests,
         readNcclTests},
        {{"rccl-tests", "rccl-tests", "all_reduce_perf -Z csv -x result.csv (csv or json)"},
         looksLikeRcclTests,
         readRcclTests},
        {{"nccl-log", "NCCL log", "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH,TUNING,COLL ./program > nccl.log"},
         looksLikeNcclLog,
         readNcclLog},
        {{"llama-bench", "llama-bench", "llama-bench -m model.gguf -o csv > bench.csv (csv, json, jsonl, md or sql)"},
         looksLikeLlamaBench,
         readLlamaBench},
        {{"nsys", "Nsight Systems", "nsys stats --format csv report.nsys-rep > kernels.csv"},
         looksLikeNsightSystems,
         readNsightSystems},
        {{"ncu", "Nsight Compute", "ncu --csv ./program > profile.csv (also with --page raw)"},
         looksLikeNsightCompute,
         readNsightCompute},
        {{"fpga-timing", "FPGA timing report",
          "report_timing_summary or report_utilization (Vivado), nextpnr --log or --report, report_checks (OpenSTA), "
          "Quartus' .fit.summary, .sta.summary or Fmax summary"},
         looksLikeFpgaTiming,
         readFpgaTiming},
        {{"nvbench", "nvbench", "./benchmark --json result.json"}, looksLikeNvbench, readNvbench},
        {{"torch-trace", "PyTorch profiler trace", "prof.export_chrome_trace(\"trace.json\")"},
         looksLikeTorchTrace,
         readTorchTrace},
        {{"yosys-stat", "Yosys statistics", "yosys -p \"...; tee -o stat.json stat -json\""},
         looksLikeYosysStat,
         readYosysStat}};
    return all;
}

/// PowerShell's ">" writes UTF-16. What is no pair of surrogates becomes U+FFFD.
std::string fromUtf16(std::string_view bytes, bool bigEndian)
{
    const auto unit = [&](std::size_t at) {
        const auto first = static_cast<unsigned char>(bytes[at]), second = static_cast<unsigned char>(bytes[at + 1]);
        return static_cast<std::uint32_t>(bigEndian ? first << 8 | second : second << 8 | first);
    };
    std::string text;
    text.reserve(bytes.size() / 2);
    for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) {
        std::uint32_t c = unit(at);
        const bool pair = c >= 0xd800 && c < 0xdc00 && at + 3 < bytes.size() && (unit(at + 2) & 0xfc00) == 0xdc00;
        if (pair) {
            c = 0x10000 + ((c & 0x3ff) << 10 | (unit(at + 2) & 0x3ff));
            at += 2;
        } else if (c >= 0xd800 && c < 0xe000) {
            c = 0xfffd;
        }
        if (c < 0x80) {
            text += static_cast<char>(c);
            continue;
        }
        const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        constexpr std::uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
        text += static_cast<char>(kLead[more] | c >> (6 * more));
        for (int i = more - 1; i >= 0; --i)
            text += static_cast<char>(0x80 | (c >> (6 * i) & 0x3f));
    }
    return text;
}

bool isUtf8(const Imported& imported)
{
    const auto good = [](const std::string& text) { return badUtf8(text) == std::string_view::npos; };
    return good(imported.title) && std::ranges::all_of(imported.notes, good) &&
           std::ranges::all_of(
               imported.figures,
               [&](const Figure& figure) { return good(figure.name) && good(figure.unit) && good(figure.of); }) &&
           std::ranges::all_of(imported.machine,
                               [&](const auto& pair) { return good(pair.first) && good(pair.second); });
}

Error unknownFormat(const std::string& name, std::string_view format)
{
    std::string known;
    for (const Reader& reader : readers())
        known += (known.empty() ? "" : "; ") + reader.info.id + ": " + reader.info.how;
    const std::string what = format.empty() ? "The file is of no format that can be imported"
                                            : "There is no import format '" + std::string(format) + "'";
    return {"unknown-format", what, name, "Known are " + known};
}

} // namespace

const std::vector<FormatInfo>& formats()
{
    static const std::vector<FormatInfo> all = [] {
        std::vector<FormatInfo> list;
        for (const Reader& reader : readers())
            list.push_back(reader.info);
        return list;
    }();
    return all;
}

Result<Imported> importFile(std::string_view bytes, const std::string& name, std::string_view format)
{
    if (bytes.size() > kLongestImport)
        return Error{"too-large",
                     "The file has " + std::to_string(bytes.size() >> 20) + " MiB, more than the " +
                         std::to_string(kLongestImport >> 20) + " MiB that are read",
                     name, "Export fewer kernels or a shorter time"};
    if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
        return importFile(fromUtf16(bytes, bytes.front() == '\xfe'), name, format);
    if (trimmed(bytes.substr(0, 4096)).empty() && bytes.size() <= 4096)
        return badImport(name, 0, "The file is empty", "Make it again; the tool may have written to another place");
    if (format.empty())
        if (auto closed = knownButClosed(bytes, name))
            return *closed;
    for (const Reader& reader : readers()) {
        const bool asked = reader.info.id == format;
        if (!asked && (!format.empty() || !reader.looksLike(bytes)))
            continue;
        auto imported = reader.read(bytes, name);
        if (!imported)
            return imported;
        imported->format = reader.info.id;
        // Which of the older character sets it is nobody can tell from the bytes.
        if (!isUtf8(*imported)) {
            const std::size_t bad = badUtf8(bytes);
            const auto line =
                1 + std::count(bytes.begin(), bytes.begin() + std::ptrdiff_t(std::min(bad, bytes.size())), '\n');
            return badImport(name, bad == std::string_view::npos ? 0 : static_cast<int>(line),
                             "a byte here is not UTF-8 text",
                             "Save the file as UTF-8 (in a terminal: iconv -f latin1 -t utf-8), then import that");
        }
        return imported;
    }
    return unknownFormat(name, format);
}

} // namespace ridge::imports
