// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/pipe_rates.h"

#include "silicon/chip_catalogue.h"

namespace ridge::labs {

namespace {

constexpr double kSchedulers = 4;
constexpr double kWarp = 32;

/// Lanes of an SM for operations that the chip table does not hold: CUDA C++ Programming Guide, "Throughput of native
/// arithmetic instructions"; shared memory: 32 banks of 4 bytes. The integer rate of 12.0 is RTX Blackwell's.
struct Lanes {
    int capability; ///< 10 × major + minor
    double fp64, half2, imad, convert;
};
constexpr Lanes kLanes[] = {{70, 32, 64, 64, 16},  {75, 2, 64, 64, 16},    {80, 32, 128, 64, 16},
                            {86, 2, 64, 64, 64},   {87, 2, 64, 64, 64},    {89, 2, 64, 64, 64},
                            {90, 64, 128, 64, 64}, {100, 64, 128, 64, 64}, {120, 2, 64, 128, 64}};

/// FLOP (or integer operations) a clock and SM from the chip table; of an unknown chip, those of its capability.
std::optional<double> tableRate(const gpu::DeviceInfo& info, silicon::Precision precision)
{
    const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return std::nullopt;
    if (const auto chip = catalogue->find(info.chip))
        return catalogue->flopPerClock(*chip, precision);
    silicon::Chip unknown;
    unknown.computeMajor = info.computeMajor;
    unknown.computeMinor = info.computeMinor;
    return catalogue->flopPerClock(unknown, precision);
}

std::optional<silicon::Precision> tensorPrecision(Operation operation)
{
    switch (operation) {
    case Operation::MmaFp16:
        return silicon::Precision::Fp16;
    case Operation::MmaBf16:
        return silicon::Precision::Bf16;
    case Operation::MmaTf32:
        return silicon::Precision::Tf32;
    case Operation::MmaInt8:
        return silicon::Precision::Int8;
    default:
        return std::nullopt;
    }
}

std::optional<double> lanes(const gpu::DeviceInfo& info, Operation operation)
{
    const auto row = std::find_if(std::begin(kLanes), std::end(kLanes), [&](const Lanes& each) {
        return each.capability == 10 * info.computeMajor + info.computeMinor;
    });
    const auto of = [&](double Lanes::*field) {
        return row == std::end(kLanes) ? std::nullopt : std::optional((*row).*field);
    };
    switch (operation) {
    case Operation::FmaFp32: {
        const auto flop = tableRate(info, silicon::Precision::Fp32);
        return flop ? std::optional(*flop / 2) : std::nullopt;
    }
    case Operation::FmaFp64:
        return of(&Lanes::fp64);
    case Operation::FmaHalf2:
        return of(&Lanes::half2);
    case Operation::Imad:
        return of(&Lanes::imad);
    case Operation::Convert:
        return of(&Lanes::convert);
    case Operation::Mufu:
        return 16;
    case Operation::Shuffle:
    case Operation::SharedLoad:
        return 32;
    default:
        return std::nullopt;
    }
}

} // namespace

std::string pipeRateSource()
{
    return "chip table (fp32 and tensor: FLOP per clock and SM); CUDA C++ Programming Guide, throughput of native "
           "arithmetic instructions; four schedulers an SM, one warp instruction a clock each";
}

std::optional<double> instructionsPerClock(const gpu::DeviceInfo& info, Operation operation, double workPerInstruction)
{
    if (const auto precision = tensorPrecision(operation)) {
        const auto rate = tableRate(info, *precision);
        if (!rate || !(workPerInstruction > 0))
            return std::nullopt;
        return std::min(kSchedulers, *rate / workPerInstruction);
    }
    const auto count = lanes(info, operation);
    return count ? std::optional(std::min(kSchedulers, *count / kWarp)) : std::nullopt;
}

std::optional<double> peakPerSecond(const gpu::DeviceInfo& info, Operation operation, double clockHz)
{
    const double sms = info.smCount;
    if (const auto precision = tensorPrecision(operation)) {
        const auto rate = tableRate(info, *precision);
        return rate ? std::optional(*rate * sms * clockHz) : std::nullopt;
    }
    const double each =
        operation == Operation::FmaHalf2                                                                     ? 4
        : operation == Operation::FmaFp32 || operation == Operation::FmaFp64 || operation == Operation::Imad ? 2
                                                                                                             : 1;
    const auto count = lanes(info, operation);
    return count ? std::optional(*count * each * sms * clockHz) : std::nullopt;
}

} // namespace ridge::labs
