// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a fuzz target that has a mutator of its own over inputs made from a corpus, in a build without libFuzzer:
//   fuzz_submission_blind CORPUS COUNT [SEED]
// Nothing learns from what the target covers, so it finds less for an input than libFuzzer; it needs no other build and
// is quick. An input that ends the program lies in ./blind-input.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

namespace {

std::minstd_rand random_(1);
std::string current;

std::size_t below(std::size_t count)
{
    return count < 2 ? 0 : random_() % count;
}

void keepInput(int signal)
{
    std::ofstream("blind-input", std::ios::binary) << current;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

} // namespace

/// Bytes changed, put in, taken out or copied, as libFuzzer's own does it.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most)
{
    for (std::size_t rounds = 1 + below(3); rounds > 0; --rounds) {
        const std::size_t at = below(size + 1);
        switch (below(size == 0 ? 1 : 5)) {
        case 0:
            if (size < most) {
                std::copy_backward(data + at, data + size, data + size + 1);
                data[at] = static_cast<std::uint8_t>(below(256));
                ++size;
            }
            break;
        case 1:
            if (at < size) {
                const std::size_t count = 1 + below(std::min<std::size_t>(size - at, 16));
                std::copy(data + at + count, data + size, data + at);
                size -= count;
            }
            break;
        case 2:
            if (at < size)
                data[at] ^= static_cast<std::uint8_t>(1u << below(8));
            break;
        case 3:
            if (at < size)
                data[at] = static_cast<std::uint8_t>("\"{}[]:,\\0129-\n\xff\x80"[below(17)]);
            break;
        default: {
            const std::size_t from = below(size), count = std::min(below(32), size - std::max(from, at));
            std::memmove(data + at, data + from, count);
        }
        }
    }
    return size;
}

int main(int argc, char** argv)
{
    if (argc < 3) {
        std::fprintf(stderr, "fuzz_submission_blind CORPUS COUNT [SEED]\n");
        return 2;
    }
    constexpr std::size_t kMost = 65536;
    std::vector<std::string> corpus;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1])) {
        std::ifstream file(entry.path(), std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    std::sort(corpus.begin(), corpus.end()); // the same seed gives the same inputs
    const long count = std::atol(argv[2]);
    random_.seed(argc > 3 ? static_cast<unsigned>(std::atol(argv[3])) : 1);
    std::signal(SIGABRT, keepInput);
    std::signal(SIGSEGV, keepInput);
    std::vector<std::uint8_t> input(kMost);
    double slowest = 0;
    for (long done = 0; done < count; ++done) {
        const std::string& from = corpus[below(corpus.size())];
        std::size_t size = std::min(from.size(), kMost);
        std::copy_n(from.begin(), size, input.begin());
        for (std::size_t rounds = 1 + below(4); rounds > 0; --rounds)
            size = LLVMFuzzerCustomMutator(input.data(), size, kMost, static_cast<unsigned>(random_()));
        current.assign(reinterpret_cast<const char*>(input.data()), size);
        const std::clock_t before = std::clock();
        LLVMFuzzerTestOneInput(input.data(), size);
        slowest = std::max(slowest, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
        if ((done + 1) % 10000 == 0 || done + 1 == count) {
            std::printf("%ld inputs, %.0f s of processor time, slowest %.3f s\n", done + 1,
                        static_cast<double>(std::clock()) / CLOCKS_PER_SEC, slowest);
            std::fflush(stdout);
        }
    }
    return 0;
}
