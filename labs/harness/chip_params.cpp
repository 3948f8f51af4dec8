// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/chip_params.h"

#include "labs/harness/declare.h"

namespace ridge::labs {

ParamSpec chipParam(std::string name, std::string title, std::string defaultChip, std::string help)
{
    std::vector<std::string> ids, names;
    if (const auto catalogue = silicon::shippedCatalogue())
        for (const silicon::Chip& chip : catalogue->chips())
            if (chip.memoryBytes.known() && chip.memoryBytesPerSecond.known() && !chip.peakFlopsPerSecond.empty()) {
                ids.push_back(chip.id);
                names.push_back(chip.name);
            }
    if (std::find(ids.begin(), ids.end(), defaultChip) == ids.end()) {
        ids.push_back(defaultChip);
        names.push_back(defaultChip);
    }
    ParamSpec spec = choiceParam(std::move(name), std::move(title), ids, std::move(defaultChip), std::move(help));
    spec.choiceTitles = std::move(names);
    return spec;
}

Result<silicon::Chip> chipOf(const silicon::Catalogue& catalogue, const ParamSet& params, const char* name)
{
    return catalogue.find(choice(params, name));
}

} // namespace ridge::labs
