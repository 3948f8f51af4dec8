// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a fuzz target over files and folders, in a build without libFuzzer: replay CORPUS...
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv)
{
    std::size_t count = 0;
    for (int at = 1; at < argc; ++at) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[at])) {
            if (!entry.is_regular_file())
                continue;
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string bytes{std::istreambuf_iterator<char>(file), {}};
            std::printf("%s\n", entry.path().c_str());
            std::fflush(stdout); // a crash must leave the name of its file behind
            LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
            ++count;
        }
    }
    return count == 0 ? 1 : 0;
}
