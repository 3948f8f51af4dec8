// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/quant_params.h"

#include "labs/harness/declare.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

using namespace memory;

const std::vector<std::string> kScalings{"none", "absmax", "minmax"};                         // as Scaling
const std::vector<std::string> kMethods{"rtn", "gptq", "gptq_ordered", "awq", "smoothquant"}; // as Method

} // namespace

ParamSpec quantFormatParam(const std::string& ofWhat)
{
    std::vector<std::string> ids, titles;
    for (const QuantFormat& format : quantFormats()) {
        ids.emplace_back(format.id);
        titles.emplace_back(format.title);
    }
    for (const char* word : {"fp8", "fp4", "mxfp8", "mxfp6"}) { // as GPU tables say it
        ids.emplace_back(word);
        titles.push_back(fmt::format("{}, as {}", word, findQuantFormat(word)->id));
    }
    auto spec = choiceParam("format", "Format", ids, "int8",
                            ofWhat + " mx…, nvfp4 and the q formats of GGUF files have blocks and scales of their own: "
                                     "granularity and scaling do not apply to them.");
    spec.choiceTitles = titles;
    return spec;
}

ParamSpec granularityParam()
{
    return choiceParam("granularity", "Granularity", {"tensor", "channel", "g16", "g32", "g64", "g128"}, "tensor",
                       "What shares a scale: everything, a row, or so many elements of a row.");
}

ParamSpec scalingParam()
{
    return choiceParam("scaling", "Scaling", kScalings, "absmax",
                       "none: scale 1. absmax: the largest size becomes the largest number, 127 of int8. minmax: "
                       "integers from 0 with an integer zero point; the range is widened to hold 0.");
}

ParamSpec methodParam(const std::string& others)
{
    return choiceParam(
        "method", "Method", kMethods, "rtn",
        "rtn: each element for itself, to nearest even. " + others +
            " gptq: column by column, each error made good by those after it; gptq_ordered: columns with "
            "large inputs first. awq: columns with large inputs are scaled up. smoothquant: inputs are "
            "scaled down where they have outliers, and columns up.");
}

QuantScheme quantSchemeOf(const ParamSet& params)
{
    QuantScheme scheme;
    scheme.format = findQuantFormat(choice(params, "format"));
    const std::string& granularity = choice(params, "granularity");
    if (granularity[0] == 'g') {
        scheme.granularity = Granularity::Group;
        scheme.group = static_cast<std::uint32_t>(std::stoul(granularity.substr(1)));
    } else {
        scheme.granularity = granularity == "tensor" ? Granularity::Tensor : Granularity::Channel;
    }
    const auto indexOf = [&](const std::vector<std::string>& words, const char* name) {
        return std::find(words.begin(), words.end(), choice(params, name)) - words.begin();
    };
    scheme.scaling = static_cast<Scaling>(indexOf(kScalings, "scaling"));
    scheme.method = static_cast<Method>(indexOf(kMethods, "method"));
    return scheme;
}

} // namespace ridge::labs
