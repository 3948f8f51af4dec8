// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"

namespace ridge::gpu::simt {

/// What cvt makes of floats beyond what the lanes have: floats of 4, 6 and 8 bits, powers of two (ue8m0), and halves
/// and tf32 with .satfinite.
enum class NarrowTarget : std::uint8_t { E4M3, E5M2, E3M2, E2M3, E2M1, UE8M0, F16, BF16, TF32 };
enum class NarrowSource : std::uint8_t { Single, Half, Bfloat, Power }; ///< Half, Bfloat, Power: two in a register

struct NarrowConvert {
    NarrowTarget to = NarrowTarget::E2M1;
    NarrowSource from = NarrowSource::Single;
    Rounding rounding = Rounding::Nearest;
    bool tiesAway = false;
    bool relu = false;     ///< what is below zero becomes zero
    bool isFinite = false; ///< ue8m0 alone: infinity becomes the largest; the others never give one
    bool isPair = false;   ///< two results in one register
};

unsigned bitsOf(NarrowTarget target);

/// The bits of one value (PTX ISA, "cvt"): rounded, cut to the largest finite value. Floats without NaN make one the
/// largest positive value, ue8m0 takes magnitudes.
std::uint32_t narrowed(double value, const NarrowConvert& convert);

/// a: the source, of two f32 the upper one; b: the lower one; flags: packed().
std::uint32_t packed(const NarrowConvert& convert);
OpFunction findNarrowConvert();

/// cvt.rs: two floats to halves or bfloat16 by the 13 or 16 random bits of each (PTX ISA, "cvt"). a, b as above; c: the
/// random bits; flags: packed(). Where a half has other than 13 bits to drop, the ISA does not say which of them meet
/// the random ones: a lane that comes there is a fault.
OpFunction findStochasticConvert();

} // namespace ridge::gpu::simt
