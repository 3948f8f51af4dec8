// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/graded_chip.h"

#include "base/paths.h"
#include "base/target_kind.h"
#include "silicon/chip_catalogue.h"
#include "silicon/roofline.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ridge::labs {

GradeRoof publishedRoof(const gpu::DeviceInfo& device)
{
    GradeRoof roof{device.memoryBytesPerSecond, 0, static_cast<double>(device.l2Bytes),
                   "the published roof of " + device.name};
    const auto catalogue = silicon::shippedCatalogue();
    const auto chip = catalogue ? catalogue->find(device.chip) : Result<silicon::Chip>(catalogue.error());
    if (!chip)
        return roof;
    for (const auto& [precision, products] :
         {std::pair(silicon::Precision::Fp32, 1.0), std::pair(silicon::Precision::Tf32, 3.0)})
        if (const auto lines = silicon::roofline(*catalogue, *chip, precision))
            roof.flopsPerSecond = std::max(roof.flopsPerSecond, lines->flopsPerSecond / products);
    return roof;
}

std::string nearestClockedTarget(const std::string& chip)
{
    const auto data = dataFolder();
    const auto catalogue = silicon::shippedCatalogue();
    if (!data || !catalogue)
        return {};
    const auto own = catalogue->find(chip);
    if (!own)
        return {};
    const auto far = [&](const silicon::Chip& other) {
        const int sameGeneration = other.computeMajor == own->computeMajor && other.computeMinor == own->computeMinor
                                       ? 0
                                   : other.architecture == own->architecture ? 1
                                                                             : 2;
        const double ratio = static_cast<double>(other.units.valueOr(1)) / own->units.valueOr(1);
        return std::tuple(other.id == own->id ? 0 : 1, sameGeneration, std::abs(std::log(ratio)));
    };
    const silicon::Chip* nearest = nullptr;
    for (const silicon::Chip& other : catalogue->chips()) {
        std::error_code code;
        const bool clocked =
            other.canSimulate() &&
            std::filesystem::exists(*data / "assets" / "chips" / "timing" / (other.id + ".json"), code);
        if (clocked && (nearest == nullptr || far(other) < far(*nearest)))
            nearest = &other;
    }
    return nearest == nullptr ? std::string() : simulatorTarget(nearest->id);
}

} // namespace ridge::labs
