// SPDX-License-Identifier: GPL-3.0-or-later
// build/release/bin/oracle [--samples N] [--only TEXT]          each exact operation against its definition (1e8;
//                                                                   integers a tenth of it)
// build/release/bin/oracle --approximate [--only TEXT] [--step N]   each approximation over all f32, or every N-th
// Prints a line a form as it goes and Markdown at the end; status 1 where anything differs or leaves its bound.
#include "tools/oracle/approximate.h"
#include "tools/oracle/oracle.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

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
    std::vector<oracle::Case> all = oracle::floatCases();
    for (auto* more : {&oracle::convertCases, &oracle::integerCases}) {
        for (oracle::Case& one : more())
            all.push_back(std::move(one));
    }
    std::vector<std::pair<std::string, Group>> groups;
    oracle::u64 bad = 0;
    for (std::size_t at = 0; at < all.size(); ++at) {
        const oracle::Case& one = all[at];
        if (one.name.find(only) == std::string::npos)
            continue;
        const double start = processorSeconds();
        // Whole numbers have no roundings to get wrong in one operand of a million.
        const bool integers = one.drawn == ScalarType::None;
        const oracle::Outcome outcome = oracle::check(one, integers ? samples / 10 : samples, at + 1);
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

} // namespace

int main(int argc, char** argv)
{
    oracle::u64 samples = 100'000'000;
    oracle::u64 step = 1;
    bool approximate = false;
    std::string only;
    for (int at = 1; at < argc; ++at) {
        const bool more = at + 1 < argc;
        if (std::strcmp(argv[at], "--approximate") == 0) {
            approximate = true;
        } else if (std::strcmp(argv[at], "--samples") == 0 && more) {
            samples = std::strtoull(argv[++at], nullptr, 10);
        } else if (std::strcmp(argv[at], "--step") == 0 && more) {
            step = std::max(1ull, std::strtoull(argv[++at], nullptr, 10));
        } else if (std::strcmp(argv[at], "--only") == 0 && more) {
            only = argv[++at];
        } else {
            std::fprintf(stderr, "oracle: unknown or incomplete option %s; usage stands at the head of %s\n", argv[at],
                         "tools/oracle/main.cpp");
            return 2;
        }
    }
    return approximate ? approximations(only, step) : exactOperations(samples, only);
}
