// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/targets/target_list.h"
#include "base/experiment_info.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/device.h"
#include "gpu/simt/simt_device.h"
#include "gpu/simt/timing/chip_file.h"
#include "silicon/chip_catalogue.h"
#include "silicon/fingerprint.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>
#if __has_include(<link.h>)
#include <link.h>
#endif

namespace ridge::gpu {

namespace {

simt::ChipLimits simtLimits(const silicon::ChipLimits& limits)
{
    simt::ChipLimits out;
    out.maxThreadsPerBlock = limits.maxThreadsPerBlock;
    out.sharedBytesPerBlock = limits.sharedBytesPerBlockDefault;
    out.sharedBytesPerBlockOptIn = limits.sharedBytesPerBlockOptin;
    out.sharedBytesPerSm = limits.sharedBytesPerSm;
    out.warpsPerSm = limits.maxWarpsPerSm;
    out.blocksPerSm = limits.maxBlocksPerSm;
    out.registersPerSm = limits.registersPerSm;
    out.registersPerThread = limits.maxRegistersPerThread;
    return out;
}

} // namespace

const std::string& simulatorBuild()
{
    static const std::string build = [] {
        std::string all = silicon::appVersion();
#if __has_include(<link.h>)
        const auto readNotes = [](dl_phdr_info* object, std::size_t, void* to) {
            for (int i = 0; i < object->dlpi_phnum; ++i) {
                const auto& part = object->dlpi_phdr[i];
                if (part.p_type != PT_NOTE)
                    continue;
                // A note: sizes of name and content, type, then both, each filled up to four bytes.
                const auto* at = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
                for (const char* end = at + part.p_memsz; at + sizeof(ElfW(Nhdr)) <= end;) {
                    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
                    const char* content = at + sizeof *note + (note->n_namesz + 3) / 4 * 4;
                    if (note->n_type == NT_GNU_BUILD_ID)
                        static_cast<std::string*>(to)->append(content, note->n_descsz);
                    at = content + (note->n_descsz + 3) / 4 * 4;
                }
            }
            return 1; // the program itself comes first, and its libraries are not asked
        };
        dl_iterate_phdr(readNotes, &all);
#endif
        std::vector<std::filesystem::path> files;
        std::error_code ignored;
        if (const auto data = dataFolder())
            for (const auto& entry : std::filesystem::recursive_directory_iterator(*data / "assets" / "chips", ignored))
                if (entry.is_regular_file(ignored))
                    files.push_back(entry.path());
        std::ranges::sort(files);
        for (const auto& file : files)
            if (const auto bytes = readFile(file))
                all += '\n' + file.filename().string() + ' ' + sha256Hex(*bytes);
        return sha256Hex(all).substr(0, 16);
    }();
    return build;
}

namespace {

DeviceInfo simulatedInfo(const silicon::Chip& chip)
{
    DeviceInfo info;
    info.target = simulatorTarget(chip.id);
    info.name = chip.name + " (simulated)";
    info.chip = chip.id;
    info.computeMajor = chip.computeMajor;
    info.computeMinor = chip.computeMinor;
    info.smCount = *chip.units.value;
    info.globalBytes = static_cast<std::uint64_t>(chip.memoryBytes.valueOr(0));
    info.l2Bytes = static_cast<std::uint64_t>(chip.l2Bytes.valueOr(0));
    info.memoryBytesPerSecond = chip.memoryBytesPerSecond.valueOr(0);
    info.boostClockHz = chip.boostClockHz.valueOr(0);
    if (chip.pcie)
        info.hostLinkBytesPerSecond = chip.pcie->bytesPerSecond.valueOr(0);
    info.provenance = Provenance::Simulated;
    info.checksBounds = true;
    info.fingerprint =
        Json{{"simulator", "simt"},
             {"version", silicon::appVersion()},
             {"build", simulatorBuild()},
             {"chip", chip.id},
             {"compute_capability", std::to_string(chip.computeMajor) + "." + std::to_string(chip.computeMinor)}};
    return info;
}

Error unknownTarget(std::string_view target, const std::vector<std::string>& simulated)
{
    std::vector<std::string> known{kFirstGpu};
    for (const std::string& id : simulated)
        known.push_back(simulatorTarget(id));
    std::string near;
    for (const std::string& name : nearestNames(target, known))
        near += (near.empty() ? "did you mean " : ", ") + name;
    if (near.empty())
        if (const auto parsed = parseTarget(target); !parsed)
            return parsed.error();
    return Error{"unknown-target", "there is no target '" + std::string(target) + "'", std::string(target),
                 near.empty() ? "ridge targets lists them" : near + "? (ridge targets lists all)"};
}

Result<std::unique_ptr<Device>> openGpu(std::string_view target, int index, const DeviceOptions& options)
{
    Result<std::unique_ptr<Device>> device = cuda::openCudaDevice(index, options);
    if (device.ok() || device.error().code == "out-of-memory")
        return device;
    Error error = device.error();
    error.code = "target-unavailable";
    error.place = std::string(target);
    return error;
}

std::filesystem::path timingFolder(const std::filesystem::path& data)
{
    return data / "assets" / "chips" / "timing";
}

bool hasClock(const std::filesystem::path& data, const std::string& chip)
{
    std::error_code ignored;
    return std::filesystem::exists(timingFolder(data) / (chip + ".json"), ignored);
}

/// The measured chip of a file that tools/derive-chip-timing wrote; empty for all others.
std::string derivedFrom(const std::filesystem::path& data, const std::string& chip)
{
    const auto text = readFile(timingFolder(data) / (chip + ".json"));
    const auto file = text ? parseJson(*text, chip) : Result<Json>(text.error());
    if (!file || !file->is_object())
        return {}; // what is wrong with it is said when it is opened
    const auto from = file->find("derived_from");
    return from != file->end() && from->is_string() ? from->get<std::string>() : std::string();
}

/// No value where nobody has written a chip file yet: such chips execute without a clock.
Result<std::optional<simt::ChipTiming>> chipTiming(const std::string& id)
{
    const Result<std::filesystem::path> folder = dataFolder();
    if (!folder.ok())
        return folder.error();
    const std::filesystem::path chips = timingFolder(*folder);
    if (!hasClock(*folder, id))
        return std::optional<simt::ChipTiming>{};
    Result<simt::ChipTiming> read = simt::readChipTiming(chips, id);
    if (!read.ok())
        return read.error();
    return std::optional<simt::ChipTiming>(std::move(*read));
}

Result<std::unique_ptr<Device>> openSimulated(const silicon::Catalogue& catalogue, const silicon::Chip& chip,
                                              const DeviceOptions& options)
{
    const Result<silicon::ChipLimits> limits = catalogue.limits(chip.computeMajor, chip.computeMinor);
    if (!limits.ok())
        return limits.error();
    auto timing = chipTiming(chip.id);
    if (!timing.ok())
        return timing.error();
    DeviceInfo info = simulatedInfo(chip);
    Json& fingerprint = *info.fingerprint;
    fingerprint["timing"] = timing->has_value() ? (*timing)->id : std::string("none");
    if (timing->has_value()) {
        const std::vector<std::string> assumed = simt::assumptionsOf(**timing);
        std::string confidence = assumed.empty() ? "every value has a source" : "some values are assumed";
        if (const auto data = dataFolder())
            if (const std::string from = derivedFrom(*data, chip.id); !from.empty()) {
                fingerprint["timing_derived_from"] = from;
                confidence = "derived by rule from " + from + ", " + confidence;
            }
        fingerprint["timing_confidence"] = confidence;
        fingerprint["timing_assumptions"] = assumed;
    }
    return simt::openSimtDevice(std::move(info), simtLimits(*limits), options, std::move(*timing));
}

/// "0" -> 0; no value for anything else.
std::optional<int> gpuIndex(std::string_view digits)
{
    int index = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (code != std::errc() || end != digits.data() + digits.size() || index < 0)
        return std::nullopt;
    return index;
}

} // namespace

std::vector<TargetInfo> listTargets()
{
    std::vector<TargetInfo> out = cuda::probeCuda();
    const Result<silicon::Catalogue> catalogue = silicon::shippedCatalogue();
    if (!catalogue.ok()) {
        out.push_back({kDefaultSimulator, "simulated GPUs", Provenance::Simulated, false, catalogue.error().message,
                       catalogue.error().fix, ""});
        return out;
    }
    for (const silicon::Chip& chip : catalogue->chips())
        if (chip.canSimulate())
            out.push_back(
                {simulatorTarget(chip.id), chip.name + " (simulated)", Provenance::Simulated, true, "", "", chip.id});
    return out;
}

ChipOffer offerOf(const silicon::Catalogue& catalogue, const std::string& chip)
{
    ChipOffer offer;
    if (const auto row = catalogue.find(chip))
        offer.group = row->chipClass;
    if (const auto data = dataFolder()) {
        offer.times = hasClock(*data, chip);
        offer.derivedFrom = offer.times ? derivedFrom(*data, chip) : std::string();
    }
    if (!offer.times)
        offer.nearest = nearestClockedTarget(catalogue, chip);
    return offer;
}

std::string nearestClockedTarget(const silicon::Catalogue& catalogue, const std::string& chip)
{
    const auto data = dataFolder();
    const auto own = catalogue.find(chip);
    if (!data || !own)
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
    for (const silicon::Chip& other : catalogue.chips())
        if (other.canSimulate() && hasClock(*data, other.id) && (nearest == nullptr || far(other) < far(*nearest)))
            nearest = &other;
    return nearest == nullptr ? std::string() : simulatorTarget(nearest->id);
}

Result<std::unique_ptr<Device>> openDevice(std::string_view target, const DeviceOptions& options)
{
    const auto parsed = parseTarget(target);
    const bool here = parsed && parsed->remote.empty() && parsed->kind->hasDevice;
    if (here && parsed->kind->onHardware)
        if (const std::optional<int> index = gpuIndex(parsed->name))
            return openGpu(target, *index, options);
    const Result<silicon::Catalogue> catalogue = silicon::shippedCatalogue();
    if (!catalogue.ok())
        return Error{"target-unavailable", catalogue.error().message, std::string(target), catalogue.error().fix};
    if (here && !parsed->kind->onHardware) {
        const Result<silicon::Chip> chip = catalogue->find(parsed->name);
        if (chip.ok() && chip->canSimulate())
            return openSimulated(*catalogue, *chip, options);
        if (chip.ok())
            return Error{"target-unavailable", chip->name + " cannot be simulated: it does not execute PTX",
                         std::string(target), "choose an NVIDIA chip of compute capability 7.0 or newer"};
    }
    return unknownTarget(target, catalogue->simulatedIds());
}

} // namespace ridge::gpu
