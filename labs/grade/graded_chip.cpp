// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/graded_chip.h"

#include "silicon/chip_catalogue.h"
#include "silicon/roofline.h"

#include <algorithm>

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

} // namespace ridge::labs
