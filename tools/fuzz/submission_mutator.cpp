// SPDX-License-Identifier: GPL-3.0-or-later
// How libFuzzer changes an input of fuzz_submission: as bytes where it is an archive, as JSON line by line where the
// harness makes the archive around it.
#include "tools/fuzz/mutate_json.h"

#include <cstring>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed)
{
    constexpr std::size_t kLongestText = 4096;
    if (size < 2 || std::string_view("rdmawW").find(static_cast<char>(data[0])) == std::string_view::npos ||
        seed % 16 == 0)
        return LLVMFuzzerMutate(data, size, most);
    const auto bytes = [](const std::string& text) {
        std::string room = text.substr(0, kLongestText);
        const std::size_t before = room.size();
        room.resize(before + 64);
        room.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(room.data()), before, room.size()));
        return room;
    };
    const std::string text =
        ridge::fuzz::JsonMutator(seed, bytes)(std::string(reinterpret_cast<char*>(data) + 1, size - 1));
    if (text.size() + 1 > most)
        return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data + 1, text.data(), text.size());
    return text.size() + 1;
}
