// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ridge::silicon {

/// How a value of a machine is known.
enum class ValueConfidence {
    Published, ///< by the maker, or in a paper
    Measured,  ///< by somebody on the machine, or here
    Derived,   ///< computed from published values
    Assumed,   ///< chosen because nothing is known; the source says why
};

struct MachineValue {
    std::variant<double, std::string, bool, std::vector<double>> value;
    std::string unit;   ///< "bytes", "cycles", "Hz", "1"; empty for words and switches
    std::string source; ///< never empty
    ValueConfidence confidence = ValueConfidence::Assumed;
};

/// A machine that is simulated and is no GPU: a cache, a memory, an accelerator, a cluster. A row of assets/machines,
/// read by the engine that it names.
struct Machine {
    std::string id;     ///< "cache-teaching", also the name of its file
    std::string title;  ///< "Teaching cache"
    std::string engine; ///< "cache", "dram", "systolic", "cluster" …: what can simulate it
    std::string summary;
    std::map<std::string, MachineValue, std::less<>> values;
    std::string file;   ///< "cache-teaching.json", for messages
    std::string digest; ///< SHA-256 of the file, part of the fingerprint of a run

    /// Errors of all four: "bad-machine" where the value is missing, of another type, or not in `unit` (empty: any),
    /// with file, name and fix.
    Result<double> number(std::string_view name, std::string_view unit = {}) const;
    /// A whole number of 0 or more.
    Result<std::uint64_t> count(std::string_view name, std::string_view unit = {}) const;
    Result<std::string> text(std::string_view name) const;
    Result<bool> flag(std::string_view name) const;
    Result<std::vector<double>> numbers(std::string_view name, std::string_view unit = {}) const;
    bool has(std::string_view name) const { return values.find(name) != values.end(); }
    /// Names of the values that are assumed, for the fingerprint.
    std::vector<std::string> assumed() const;
};

/// One machine. `place` is named in errors and decides which id it must have. Errors: "bad-machine" with place, value
/// and fix.
Result<Machine> parseMachine(std::string_view text, const std::filesystem::path& place);

/// Every *.json of a folder and of the folders in it, by id. No folder: no machines. Errors: "bad-machine",
/// "cannot-read".
Result<std::vector<Machine>> readMachines(const std::filesystem::path& folder);

/// assets/machines of this installation. Errors: those of dataFolder and readMachines.
Result<std::vector<Machine>> shippedMachines();

/// The machine of that id, for an engine (empty: any). Errors: "unknown-target" with the nearest, and where the engine
/// cannot use it those that it can.
Result<Machine> findMachine(std::span<const Machine> machines, std::string_view id, std::string_view engine = {});

} // namespace ridge::silicon
