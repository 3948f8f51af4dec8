// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/fingerprint.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/number_text.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <sys/utsname.h>
#include <thread>

namespace ridge::silicon {

namespace {

std::string trimmed(std::string text)
{
    const auto notSpace = [](char c) { return c != ' ' && c != '\t' && c != '"' && c != '\n'; };
    text.erase(text.begin(), std::find_if(text.begin(), text.end(), notSpace));
    text.erase(std::find_if(text.rbegin(), text.rend(), notSpace).base(), text.end());
    return text;
}

/// Value of the first "key<separator> value" line.
std::string lineValue(const std::filesystem::path& file, std::string_view key, char separator)
{
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const std::size_t at = line.find(separator);
        if (at != std::string::npos && trimmed(line.substr(0, at)) == key)
            return trimmed(line.substr(at + 1));
    }
    return {};
}

std::string firstLine(const std::filesystem::path& file)
{
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return trimmed(line);
}

double memoryGib(const std::filesystem::path& meminfo)
{
    const std::string text = lineValue(meminfo, "MemTotal", ':');
    const double kib = text.empty() ? 0 : leadingNumber(text);
    return std::round(kib / (1024.0 * 1024.0) * 10) / 10;
}

} // namespace

std::string powerSource(const std::filesystem::path& powerSupply)
{
    std::error_code ignored;
    bool battery = false;
    for (const auto& entry : std::filesystem::directory_iterator(powerSupply, ignored)) {
        const std::string type = firstLine(entry.path() / "type");
        if (type == "Mains" && firstLine(entry.path() / "online") == "1")
            return "ac";
        if (type == "Battery" && firstLine(entry.path() / "status") == "Discharging")
            battery = true;
    }
    return battery ? "battery" : "unknown";
}

std::string appVersion()
{
    return RIDGE_VERSION;
}

std::string hashedDeviceId(const std::string& uuid)
{
    return sha256Hex("ridgepoint device 1\n" + uuid).substr(0, 16);
}

Json machineFingerprint(const SystemFiles& files)
{
    Json out = Json::object();
    const std::string cpu = lineValue(files.cpuinfo, "model name", ':');
    out["cpu"] = cpu.empty() ? "unknown" : cpu;
    out["cores"] = std::thread::hardware_concurrency();
    out["ram_gib"] = memoryGib(files.meminfo);
    const std::string os = lineValue(files.osRelease, "PRETTY_NAME", '=');
    out["os"] = os.empty() ? "unknown" : os;
    utsname names{};
    if (uname(&names) == 0) {
        out["kernel"] = std::string(names.sysname) + " " + names.release;
        out["arch"] = names.machine;
    }
    out["app"] = appVersion();
    out["power"] = powerSource(files.powerSupply);
    return out;
}

Json gpuFingerprint(const GpuFacts& facts)
{
    Json out = Json::object();
    out["name"] = facts.name;
    out["compute_capability"] = std::to_string(facts.computeMajor) + "." + std::to_string(facts.computeMinor);
    const auto add = [&out](const char* key, auto value) {
        if (value)
            out[key] = value;
    };
    const auto addText = [&out](const char* key, const std::string& value) {
        if (!value.empty())
            out[key] = value;
    };
    add("sm_count", facts.smCount);
    add("memory_bytes", facts.memoryBytes);
    add("l2_bytes", facts.l2Bytes);
    add("clock_hz", facts.clockHz);
    add("memory_clock_hz", facts.memoryClockHz);
    add("memory_bus_bits", facts.memoryBusBits);
    add("power_limit_w", facts.powerLimitWatts);
    addText("driver", facts.driver);
    addText("cuda", facts.cudaVersion);
    add("pcie_generation", facts.pcieGeneration);
    add("pcie_width", facts.pcieWidth);
    if (facts.ecc)
        out["ecc"] = *facts.ecc;
    if (!facts.uuid.empty())
        out["device_hash"] = hashedDeviceId(facts.uuid);
    return out;
}

} // namespace ridge::silicon
