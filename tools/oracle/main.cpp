// SPDX-License-Identifier: GPL-3.0-or-later
// oracle [--samples N] [--only TEXT]
//   Each exact operation against its definition: N (1e8) random tuples where it rounds, a tenth of that where it does
//   not, and all combinations of special operands.
// oracle --approximate [--only TEXT] [--step N]
//   Each approximate function over all f32, or every N-th.
// oracle --against FILE --only FORM --first BITS [--skip N] [--count N]
//   Results of a GPU for inputs BITS, BITS + 1 …: 32-bit words, N words into the file. One line of JSON.
// Prints a line a form as it goes and Markdown at the end; status 1 where anything differs or leaves its bound.
#include "tools/oracle/approximate.h"
#include "tools/oracle/oracle.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ridge::gpu::simt;

namespace {

/// Of this process, whatever else the machine does.
double processorSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Group {
    std::size_t forms = 0;
    std::size_t exhaustive = 0;
    oracle::u64 operands = 0;
    oracle::u64 mismatches = 0;
    double seconds = 0;
};

int exactOperations(oracle::u64 samples, const std::string& only)
{
    const std::vector<oracle::Case> all = oracle::allCases();
    std::vector<std::pair<std::string, Group>> groups;
    oracle::u64 bad = 0;
    for (std::size_t at = 0; at < all.size(); ++at) {
        const oracle::Case& one = all[at];
        if (one.name.find(only) == std::string::npos)
            continue;
        const double start = processorSeconds();
        const oracle::Outcome outcome = oracle::check(one, one.rounds ? samples : samples / 10, at + 1);
        const double seconds = processorSeconds() - start;
        std::printf("%-28s %11llu %8llu mismatches %6.1f s%s%s\n", one.name.c_str(),
                    static_cast<unsigned long long>(outcome.operands),
                    static_cast<unsigned long long>(outcome.mismatches), seconds, outcome.first.empty() ? "" : "  ",
                    outcome.first.c_str());
        std::fflush(stdout);
        auto place = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == one.group; });
        if (place == groups.end())
            place = groups.insert(place, {one.group, {}});
        Group& group = place->second;
        ++group.forms;
        group.exhaustive += outcome.exhaustive ? 1 : 0;
        group.operands += outcome.operands;
        group.mismatches += outcome.mismatches;
        group.seconds += seconds;
        bad += outcome.mismatches;
    }
    std::printf(
        "\n| Operations | Forms | of them over every input | Operand tuples | Mismatches | Processor seconds |\n"
        "|---|---:|---:|---:|---:|---:|\n");
    for (const auto& [name, group] : groups)
        std::printf("| %s | %zu | %zu | %.4g | %llu | %.0f |\n", name.c_str(), group.forms, group.exhaustive,
                    static_cast<double>(group.operands), static_cast<unsigned long long>(group.mismatches),
                    group.seconds);
    return bad == 0 ? 0 : 1;
}

int approximations(const std::string& only, oracle::u64 step)
{
    std::string table;
    bool good = true;
    for (const oracle::Approximation& one : oracle::approximations()) {
        if (one.name.find(only) == std::string::npos)
            continue;
        const double start = processorSeconds();
        const oracle::Errors errors = oracle::measure(one, step);
        const std::string row = oracle::markdownRow(one, errors, processorSeconds() - start);
        std::printf("%s\n", row.c_str());
        std::fflush(stdout);
        table += row + "\n";
        good = good && errors.outside == 0;
    }
    std::printf("\n%s%s", oracle::markdownHead().c_str(), table.c_str());
    return good ? 0 : 1;
}

/// A part of a file of words, mapped rather than read: sixteen of these run at once over one of gigabytes.
int against(const std::string& path, const std::string& form, std::uint32_t first, std::size_t skip, std::size_t count)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts {};
    if (file < 0 || ::fstat(file, &facts) != 0 || static_cast<std::size_t>(facts.st_size) / 4 < skip + count ||
        count == 0) {
        std::fprintf(stderr, "oracle: %s holds no %zu words from word %zu on\n", path.c_str(), count, skip);
        return 2;
    }
    const auto bytes = static_cast<std::size_t>(facts.st_size);
    void* words = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    if (words == MAP_FAILED) {
        std::fprintf(stderr, "oracle: %s cannot be mapped\n", path.c_str());
        return 2;
    }
    const auto text = oracle::compareWith(form, first, {static_cast<const std::uint32_t*>(words) + skip, count});
    ::munmap(words, bytes);
    if (!text) {
        std::fprintf(stderr, "oracle: there is no approximation %s\n", form.c_str());
        return 2;
    }
    std::printf("%s\n", text->c_str());
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    oracle::u64 samples = 100'000'000;
    oracle::u64 step = 1;
    bool approximate = false;
    std::string only;
    std::string file;
    oracle::u64 first = 0, skip = 0, count = 0;
    const std::map<std::string, oracle::u64*> numbers{
        {"--samples", &samples}, {"--step", &step}, {"--first", &first}, {"--skip", &skip}, {"--count", &count}};
    const std::map<std::string, std::string*> texts{{"--only", &only}, {"--against", &file}};
    for (int at = 1; at < argc; ++at) {
        const bool more = at + 1 < argc;
        if (std::strcmp(argv[at], "--approximate") == 0) {
            approximate = true;
        } else if (const auto number = numbers.find(argv[at]); number != numbers.end() && more) {
            *number->second = std::strtoull(argv[++at], nullptr, 0);
        } else if (const auto text = texts.find(argv[at]); text != texts.end() && more) {
            *text->second = argv[++at];
        } else {
            std::fprintf(stderr, "oracle: unknown or incomplete option %s; usage stands at the head of %s\n", argv[at],
                         "tools/oracle/main.cpp");
            return 2;
        }
    }
    if (!file.empty())
        return against(file, only, static_cast<std::uint32_t>(first), skip, count);
    step = std::max<oracle::u64>(1, step);
    return approximate ? approximations(only, step) : exactOperations(samples, only);
}
