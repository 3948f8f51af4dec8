// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged traces: as they are, and behind a header whose checksum fits, so that the payload is read at all.
#include "base/launch_trace.h"
#include "base/step_reader.h"

#include <cstdlib>
#include <cstring>

using namespace ridge;

namespace {

void decode(const std::string& bytes)
{
    (void)decodeTraces(bytes);
    if (const auto launch = decodeLaunchTrace(bytes)) {
        const auto again = decodeLaunchTrace(encodeLaunchTrace(*launch));
        if (!again || !(*again == *launch))
            std::abort();
    }
    if (const auto steps = decodeStepTrace(bytes)) {
        const auto again = decodeStepTrace(encodeStepTrace(*steps));
        if (!again || !(*again == *steps))
            std::abort();
        StepReader reader(*steps);
        reader.seek(reader.size() / 2);
        for (std::uint32_t reg = 0; reg < steps->registers.size(); ++reg)
            (void)reader.value(0, reg, 31);
        (void)reader.sharedWord(0);
    }
    const auto trace = decodeTrace(bytes);
    if (!trace)
        return;
    // What can be read can be written and read again.
    const auto again = decodeTrace(encodeTrace(*trace));
    if (!again || !(*again == *trace))
        std::abort();
}

/// As the header wants it (docs/protocol.md).
std::uint64_t fnv1a64(const std::string& bytes)
{
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (const char c : bytes)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return hash;
}

template<class T>
void put(std::string& to, T value)
{
    std::array<char, sizeof value> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    to.append(bytes.data(), bytes.size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    decode(bytes);
    for (const char* kind : {"RTRC", "RLTR", "RSTP"}) {
        std::string framed = kind;
        put(framed, std::uint32_t{1});
        put(framed, std::uint64_t{size});
        put(framed, fnv1a64(bytes));
        decode(framed + bytes);
    }
    return 0;
}
