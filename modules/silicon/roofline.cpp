// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/roofline.h"

#include <limits>

namespace ridge::silicon {

double peakFlops(double units, double clockHz, double flopPerClockPerUnit)
{
    return units * clockHz * flopPerClockPerUnit;
}

double ridgePoint(double flopsPerSecond, double bytesPerSecond)
{
    if (!(bytesPerSecond > 0))
        return std::numeric_limits<double>::infinity();
    return flopsPerSecond / bytesPerSecond;
}

double rooflineBound(double intensity, double flopsPerSecond, double bytesPerSecond)
{
    return std::min(flopsPerSecond, std::max(0.0, intensity) * bytesPerSecond);
}

Result<Roofline> roofline(const Catalogue& catalogue, const Chip& chip, Precision precision)
{
    if (!chip.memoryBytesPerSecond.known())
        return Error{"no-bandwidth", "the memory bandwidth of " + chip.name + " is not known", chip.id,
                     "choose another chip, or measure it"};
    Roofline out;
    out.bytesPerSecond = *chip.memoryBytesPerSecond.value;
    const auto published = chip.peakFlopsPerSecond.find(precision);
    if (published != chip.peakFlopsPerSecond.end() && published->second.known()) {
        out.flopsPerSecond = *published->second.value;
        out.derived = published->second.confidence == Confidence::Derived;
        return out;
    }
    const Sourced<double>& clock = precision == Precision::Fp32 ? chip.boostClockHz : chip.tensorClockHz;
    const std::optional<double> rate = catalogue.flopPerClock(chip, precision);
    if (!rate || !clock.known())
        return Error{"no-peak", chip.name + " has no " + std::string(toText(precision)) + " peak in the table",
                     chip.id + ".peaks." + std::string(toText(precision)),
                     "choose another number format: this one is not supported or no figure can be trusted"};
    out.flopsPerSecond = peakFlops(*chip.units.value, *clock.value, *rate);
    out.derived = true;
    return out;
}

} // namespace ridge::silicon
