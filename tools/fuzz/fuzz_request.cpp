// SPDX-License-Identifier: GPL-3.0-or-later
// What reaches a worker and what comes back from one: requests, SPECs of arguments, event streams.
#include "base/json.h"
#include "base/kernel_request.h"
#include "base/kernel_verdict.h"
#include "base/struct_argument.h"

#include <cstdlib>

using namespace ridge;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto made = parseStructArgument(text, 1);
        made && (made->bytes % made->align != 0 || made->fields.empty()))
        std::abort();
    if (const auto argument = parseKernelArgument(text, 1); argument && argument->isBuffer())
        static_cast<void>(fillElements(*argument, argument->count - 1, 1));
    static_cast<void>(smFromText(text));
    static_cast<void>(dimensionsFromText(text, "--grid"));
    if (const auto json = parseJson(text, "fuzz")) {
        static_cast<void>(runRequestFromJson(*json));
        if (const auto request = kernelRequestFromJson(*json); request && !isKernelRequest(toJson(*request)))
            std::abort();
        static_cast<void>(kernelTaskFromJson(*json));
        if (const auto facts = gradeFactsFromJson(*json); facts && !gradeFactsFromJson(toJson(*facts)))
            std::abort();
    }
    // The head of a graded file and the markers of a solution.
    if (const auto formulas = launchFormulas(text, KernelTask{}))
        static_cast<void>(launchAt(*formulas, {{"n", std::int64_t{4096}}}));
    static_cast<void>(starterOf(text));
    EventReader reader;
    reader.feed(text);
    while (true) {
        const auto event = reader.next();
        if (!event || !event->has_value())
            return 0;
    }
}
