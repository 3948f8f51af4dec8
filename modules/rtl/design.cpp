// SPDX-License-Identifier: GPL-3.0-or-later
#include "rtl/design.h"

#include "base/paths.h"

#include <fmt/core.h>
#include <fstream>
#include <iterator>

namespace ridge::rtl {
namespace {

constexpr Fault kFaults[] = {
    {"unsigned_weight", "a weight's sign is lost", "sum <= sum_in + a_in * w;",
     "sum <= sum_in + a_in * $signed({1'b0, w});"},
    {"narrow_sum", "sums have 16 bits", "sum <= sum_in + a_in * w;", "sum <= $signed(16'(sum_in + a_in * w));"},
    {"skew", "the last row's activations come a cycle early", ".DEPTH(r)) skew",
     ".DEPTH(r == ROWS - 1 ? r - 1 : r)) skew"},
    {"ignores_hold", "PEs move on while the reader of the results holds back", ".load(load), .step(step), .w_in(w_in)",
     ".load(load), .step(1'b1), .w_in(w_in)"},
    {"early_weights", "the next tile's weights enter before the last results have left",
     "wire drained = closed && valid[STAGES-2:0] == 0;", "wire drained = closed;"},
    {"late_weights", "the next tile's weights wait a cycle too long",
     "wire drained = closed && valid[STAGES-2:0] == 0;", "wire drained = closed && valid == 0;"},
    {"no_reset", "the count of weights is never reset", "held   <= 0;\n            closed <= 0;\n        end else",
     "closed <= 0;\n        end else"},
};

Result<Design> shipped(const char* name)
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    const auto file = *data / "labs" / "rtl" / name;
    std::ifstream in(file, std::ios::binary);
    Design design{name, std::string(std::istreambuf_iterator<char>(in), {})};
    if (!in || design.text.empty())
        return Error{"no-data", "the design that comes with the program is not there", file.string(),
                     "install the program again, or set RIDGE_DATA to the folder that holds labs/rtl"};
    return design;
}

} // namespace

std::span<const Fault> faults()
{
    return kFaults;
}

Result<Design> shippedDesign()
{
    return shipped("array.sv");
}

Result<Design> testbench()
{
    return shipped("bench.sv");
}

Result<Design> macRule()
{
    return shipped("mac_rule.sv");
}

Result<Design> longDriver()
{
    return shipped("drive.cpp");
}

Result<Design> withFault(const Design& design, std::string_view id)
{
    for (const Fault& fault : kFaults) {
        if (fault.id != id)
            continue;
        const auto at = design.text.find(fault.find);
        if (at == std::string::npos || design.text.find(fault.find, at + 1) != std::string::npos)
            return Error{"bad-fault", fmt::format("the bug {} has no place, or more than one, in this design", id),
                         design.name, "bugs are planted in the design that comes with the program"};
        Design wrong = design;
        wrong.text.replace(at, fault.find.size(), fault.replace);
        return wrong;
    }
    return Error{"unknown-fault", fmt::format("there is no bug \"{}\"", id), design.name, ""};
}

} // namespace ridge::rtl
