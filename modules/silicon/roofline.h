// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "silicon/chip_catalogue.h"

namespace ridge::silicon {

/// Peak rate by the formula units × clock × FLOP per clock per unit, in FLOP/s.
double peakFlops(double units, double clockHz, double flopPerClockPerUnit);

/// Arithmetic intensity (FLOP/byte) at which a machine stops being bound by memory. Infinite without bandwidth.
double ridgePoint(double flopsPerSecond, double bytesPerSecond);

/// What the roofline allows at an intensity: min(peak, intensity × bandwidth), in FLOP/s.
double rooflineBound(double intensity, double flopsPerSecond, double bytesPerSecond);

/// The two lines of one chip at one precision.
struct Roofline {
    double flopsPerSecond = 0;
    double bytesPerSecond = 0;
    bool derived = false; ///< the peak is the formula's, no published figure was there
    double ridge() const { return ridgePoint(flopsPerSecond, bytesPerSecond); }
    double bound(double intensity) const { return rooflineBound(intensity, flopsPerSecond, bytesPerSecond); }
};

/// Published peak where there is one, else the formula's. Errors: "no-peak" (the format is not supported or no
/// figure can be trusted), "no-bandwidth".
Result<Roofline> roofline(const Catalogue& catalogue, const Chip& chip, Precision precision);

} // namespace ridge::silicon
