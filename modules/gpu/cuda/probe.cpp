// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/target_kind.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/device_facts.h"
#include "gpu/cuda/driver_errors.h"

namespace ridge::gpu::cuda {

namespace {

TargetInfo unavailable(const Error& error)
{
    return TargetInfo{gpuTarget(0), "NVIDIA GPU", Provenance::Measured, false, error.message, error.fix, ""};
}

TargetInfo row(const Driver& driver, int index, const silicon::Catalogue* catalogue)
{
    TargetInfo out;
    out.id = gpuTarget(index);
    out.provenance = Provenance::Measured;
    const Result<DeviceFacts> facts = readDeviceFacts(driver, index);
    if (!facts.ok()) {
        out.title = "NVIDIA GPU";
        out.reason = facts.error().message;
        out.fix = facts.error().fix;
        return out;
    }
    out.title = facts->name;
    if (const silicon::Chip* chip = catalogue != nullptr ? catalogue->findByDriverName(facts->name) : nullptr)
        out.chip = chip->id;
    const std::optional<Error> why = obstacle(*facts);
    out.available = !why;
    if (why) {
        out.reason = why->message;
        out.fix = why->fix;
    }
    return out;
}

} // namespace

std::vector<TargetInfo> probeCuda()
{
    const Result<std::shared_ptr<const Driver>> driver = initialisedDriver();
    if (!driver.ok())
        return {unavailable(driver.error())};
    int count = 0;
    if (const CuResult code = (*driver)->deviceCount(&count); code != kCuSuccess)
        return {unavailable(initError(**driver, code))};
    if (count == 0)
        return {unavailable(initError(**driver, 100))};
    const Result<silicon::Catalogue> catalogue = silicon::shippedCatalogue();
    std::vector<TargetInfo> rows;
    for (int index = 0; index < count; ++index)
        rows.push_back(row(**driver, index, catalogue.ok() ? &*catalogue : nullptr));
    return rows;
}

} // namespace ridge::gpu::cuda
