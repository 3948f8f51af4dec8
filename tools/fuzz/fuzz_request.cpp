// SPDX-License-Identifier: GPL-3.0-or-later
// What reaches a worker and what comes back from one: requests, SPECs of arguments, event streams.
#include "base/json.h"
#include "base/kernel_request.h"

#include <cstdlib>

using namespace ridge;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto argument = parseKernelArgument(text, 1); argument && argument->isBuffer())
        static_cast<void>(fillElements(*argument, argument->count - 1, 1));
    static_cast<void>(smFromText(text));
    static_cast<void>(dimensionsFromText(text, "--grid"));
    if (const auto json = parseJson(text, "fuzz")) {
        static_cast<void>(runRequestFromJson(*json));
        if (const auto request = kernelRequestFromJson(*json); request && !isKernelRequest(toJson(*request)))
            std::abort();
    }
    EventReader reader;
    reader.feed(text);
    while (true) {
        const auto event = reader.next();
        if (!event || !event->has_value())
            return 0;
    }
}
