// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"
#include "silicon/chip_catalogue.h"

#include <cmath>
#include <set>

namespace ridge::silicon {

/// Legal values of a field in the unit of the file, and the factor to the unit of Chip.
struct FieldRule {
    double min = 0;
    double max = 0;
    double scale = 1;
    bool integer = false;
};

namespace {

/// A broken table is reported once, at the first fault; the exception never leaves parseCatalogue.
struct BadTable {
    Error error;
};

std::string number(double value)
{
    return Json(value).dump();
}

/// Wide enough for any chip of this century, narrow enough to catch a slipped decimal point or unit.
const std::map<std::string, FieldRule>& fieldRules()
{
    static const std::map<std::string, FieldRule> rules{
        {"units", {1, 2048, 1, true}},
        {"boost_clock_mhz", {200, 5000, 1e6}},
        {"tensor_clock_mhz", {200, 5000, 1e6}},
        {"peak", {0.1, 1e6, 1e12}},
        {"memory_gb", {1, 4096, 1e9}},
        {"memory_bandwidth", {10, 1e5, 1e9}},
        {"memory_bus_bits", {32, 16384, 1, true}},
        {"l2_mb", {0.1, 4096, 1024.0 * 1024.0}},
        {"last_level_cache_mb", {1, 65536, 1024.0 * 1024.0}},
        {"tdp_w", {2, 5000, 1}},
        {"pcie", {1, 1000, 1e9}},
        {"gpu_link", {1, 1e5, 1e9}},
    };
    return rules;
}

struct LimitRule {
    const char* field;
    std::uint32_t ChipLimits::*member;
    double min;
    double max;
};

constexpr std::array<LimitRule, 17> kLimitRules{{
    {"warp_size", &ChipLimits::warpSize, 32, 32},
    {"max_warps_per_sm", &ChipLimits::maxWarpsPerSm, 8, 256},
    {"max_threads_per_sm", &ChipLimits::maxThreadsPerSm, 256, 8192},
    {"max_blocks_per_sm", &ChipLimits::maxBlocksPerSm, 1, 128},
    {"max_threads_per_block", &ChipLimits::maxThreadsPerBlock, 32, 4096},
    {"registers_per_sm", &ChipLimits::registersPerSm, 8192, 1048576},
    {"registers_per_block", &ChipLimits::registersPerBlock, 8192, 1048576},
    {"max_registers_per_thread", &ChipLimits::maxRegistersPerThread, 32, 1024},
    {"register_granularity_per_warp", &ChipLimits::registerGranularityPerWarp, 32, 4096},
    {"sub_partitions", &ChipLimits::subPartitions, 1, 16},
    {"shared_bytes_per_sm", &ChipLimits::sharedBytesPerSm, 16384, 16777216},
    {"shared_bytes_per_block_default", &ChipLimits::sharedBytesPerBlockDefault, 16384, 16777216},
    {"shared_bytes_per_block_optin", &ChipLimits::sharedBytesPerBlockOptin, 16384, 16777216},
    {"shared_granularity_bytes", &ChipLimits::sharedGranularityBytes, 1, 65536},
    {"shared_reserved_per_block_bytes", &ChipLimits::sharedReservedPerBlockBytes, 0, 65536},
    {"barriers_per_sm", &ChipLimits::barriersPerSm, 1, 1024},
    {"unified_l1_kb", &ChipLimits::unifiedL1Kb, 16, 16384},
}};

} // namespace

class CatalogueReader {
public:
    explicit CatalogueReader(std::string place) : m_place(std::move(place)) {}

    Catalogue read(const Json& root)
    {
        if (!root.is_object() || root.value("schema", "") != "ridge-chips/1")
            fail("schema", "the file is not a chip table of version 1", "its \"schema\" must read \"ridge-chips/1\"");
        readSources(object(root, "sources", ""));
        readRates(object(object(root, "flop_per_clk", ""), "table", "flop_per_clk"));
        const Json& limits = object(root, "sm_limits", "");
        for (const auto& [capability, row] : limits.items())
            readLimits(capability, row);
        if (!root.contains("chips") || !root.at("chips").is_array() || root.at("chips").empty())
            fail("chips", "the table has no chips", "\"chips\" must be a list with at least one chip");
        for (const Json& row : root.at("chips"))
            readChip(row);
        return std::move(m_out);
    }

private:
    [[noreturn]] void fail(const std::string& field, const std::string& message, const std::string& fix) const
    {
        throw BadTable{Error{"bad-chip-table", message, m_place + ": " + field, fix}};
    }

    const Json& object(const Json& parent, const char* key, const std::string& path) const
    {
        const std::string full = path.empty() ? key : path + "." + key;
        if (!parent.is_object() || !parent.contains(key) || !parent.at(key).is_object())
            fail(full, "a group of fields is missing", std::string("add the object \"") + key + "\"");
        return parent.at(key);
    }

    std::string text(const Json& row, const char* key, const std::string& owner) const
    {
        if (!row.contains(key) || !row.at(key).is_string() || row.at(key).get<std::string>().empty())
            fail(owner + "." + key, "a text is missing", std::string("give \"") + key + "\" as a non-empty string");
        return row.at(key).get<std::string>();
    }

    std::string optionalText(const Json& row, const char* key, const std::string& owner) const
    {
        if (!row.contains(key) || row.at(key).is_null())
            return {};
        if (!row.at(key).is_string())
            fail(owner + "." + key, "a text has another type", "give a string or null");
        return row.at(key).get<std::string>();
    }

    std::vector<std::string> texts(const Json& row, const char* key, const std::string& owner) const
    {
        std::vector<std::string> out;
        if (!row.contains(key))
            return out;
        if (!row.at(key).is_array())
            fail(owner + "." + key, "a list is expected", "give a list of strings");
        for (const Json& item : row.at(key)) {
            if (!item.is_string())
                fail(owner + "." + key, "the list holds something that is no text", "give strings only");
            out.push_back(item.get<std::string>());
        }
        return out;
    }

    void readSources(const Json& table)
    {
        for (const auto& [key, row] : table.items()) {
            const std::string owner = "sources." + key;
            m_out.m_sources[key] = Source{text(row, "title", owner), optionalText(row, "url", owner),
                                          text(row, "kind", owner), optionalText(row, "caution", owner)};
        }
    }

    void readRates(const Json& table)
    {
        for (const auto& [key, row] : table.items()) {
            if (!row.is_object())
                fail("flop_per_clk." + key, "a group of rates is expected", "give an object of format: rate");
            for (const auto& [name, value] : row.items()) {
                const std::string field = "flop_per_clk." + key + "." + name;
                const std::optional<Precision> precision = precisionFromText(name);
                if (!precision)
                    fail(field, "the number format '" + name + "' is not known", "use fp32, tf32, fp16, bf16 …");
                if (!value.is_number() || value.get<double>() < 1 || value.get<double>() > 1e6)
                    fail(field, "the rate is no sensible number", "give FLOP per clock per unit, 1 to 1000000");
                m_out.m_flopPerClock[key][*precision] = value.get<double>();
            }
        }
    }

    void readProvenance(const Json& row, const std::string& field, Sourced<double>& out) const
    {
        const std::optional<Confidence> confidence = row.contains("confidence") && row.at("confidence").is_string()
                                                         ? confidenceFromText(row.at("confidence").get<std::string>())
                                                         : std::nullopt;
        if (!confidence)
            fail(field, "the confidence is missing or not known",
                 "give verified, published, derived, uncertain, recalled or unknown");
        out.confidence = *confidence;
        out.sources = texts(row, "source", field);
        out.note = optionalText(row, "note", field);
        for (const std::string& source : out.sources)
            if (!m_out.m_sources.contains(source))
                fail(field, "the source '" + source + "' is not listed", "add it to \"sources\" or correct its name");
        if (out.known() && out.sources.empty())
            fail(field, "a figure has no source", "name at least one entry of \"sources\"");
        if (out.known() == (out.confidence == Confidence::Unknown))
            fail(field, "value and confidence contradict each other", "confidence unknown goes with value null");
    }

    Sourced<double> figure(const Json& row, const std::string& field, const FieldRule& rule) const
    {
        if (!row.is_object() || !row.contains("value"))
            fail(field, "a figure is missing", R"(give {"value": …, "source": […], "confidence": …})");
        Sourced<double> out;
        const Json& value = row.at("value");
        if (!value.is_null()) {
            if (!value.is_number())
                fail(field, "the value is no number: " + value.dump(), "give a number or null");
            const double given = value.get<double>();
            const bool whole = !rule.integer || given == std::floor(given);
            if (!(given >= rule.min && given <= rule.max) || !whole)
                fail(field, "the value " + number(given) + " is out of range",
                     "it must be " + std::string(rule.integer ? "a whole number " : "") + "from " + number(rule.min) +
                         " to " + number(rule.max) +
                         (row.contains("unit") ? " " + row.at("unit").get<std::string>() : std::string()));
            out.value = given * rule.scale;
        }
        readProvenance(row, field, out);
        return out;
    }

    Sourced<double> chipFigure(const Json& row, const char* key, const std::string& id) const
    {
        const std::string field = id + "." + key;
        if (!row.contains(key))
            fail(field, "a figure is missing", std::string("add \"") + key + "\"; value null if it is not known");
        return figure(row.at(key), field, fieldRules().at(key));
    }

    void readLimits(const std::string& capability, const Json& row)
    {
        ChipLimits limits;
        for (const LimitRule& rule : kLimitRules) {
            const std::string field = "sm_limits." + capability + "." + rule.field;
            if (!row.is_object() || !row.contains(rule.field))
                fail(field, "a limit is missing", "every compute capability needs every limit");
            const Sourced<double> value = figure(row.at(rule.field), field, {rule.min, rule.max, 1, true});
            if (!value.known())
                fail(field, "a limit has no value", "the simulator cannot do without it");
            limits.*rule.member = static_cast<std::uint32_t>(*value.value);
            m_out.m_limitSources[capability][rule.field] = value;
        }
        const std::string owner = "sm_limits." + capability;
        if (limits.maxWarpsPerSm * limits.warpSize != limits.maxThreadsPerSm)
            fail(owner + ".max_threads_per_sm", "warps and threads per SM contradict each other",
                 "threads = warps x " + std::to_string(limits.warpSize));
        if (limits.sharedBytesPerBlockOptin + limits.sharedReservedPerBlockBytes > limits.sharedBytesPerSm)
            fail(owner + ".shared_bytes_per_block_optin", "a block may ask for more shared memory than an SM has",
                 "at most shared_bytes_per_sm less the reserve");
        limits.sharedCarveoutsKb = carveouts(row, owner, limits);
        m_out.m_limits[capability] = std::move(limits);
    }

    std::vector<std::uint32_t> carveouts(const Json& row, const std::string& owner, const ChipLimits& limits) const
    {
        const std::string field = owner + ".shared_carveouts_kb";
        const char* fix = "give the legal sizes in KB, ascending, the last one that of the SM";
        if (!row.contains("shared_carveouts_kb") || !row.at("shared_carveouts_kb").is_object() ||
            !row.at("shared_carveouts_kb").contains("value") || !row.at("shared_carveouts_kb").at("value").is_array())
            fail(field, "the carveouts are missing", fix);
        std::vector<std::uint32_t> out;
        for (const Json& size : row.at("shared_carveouts_kb").at("value")) {
            if (!size.is_number_unsigned() || (!out.empty() && size.get<std::uint32_t>() <= out.back()))
                fail(field, "the carveouts are not ascending whole numbers", fix);
            out.push_back(size.get<std::uint32_t>());
        }
        if (out.empty() || out.back() * 1024 != limits.sharedBytesPerSm)
            fail(field, "the largest carveout is not the shared memory of an SM", fix);
        return out;
    }

    void readCapability(const Json& row, Chip& chip) const
    {
        const std::string field = chip.id + ".compute_capability";
        const std::string given = optionalText(row, "compute_capability", chip.id);
        chip.gfx = optionalText(row, "gfx", chip.id);
        if (given.empty()) {
            if (chip.gfx.empty())
                fail(field, "the instruction set is missing", "give \"compute_capability\" or \"gfx\"");
            return;
        }
        const std::size_t dot = given.find('.');
        const bool digits = given.find_first_not_of("0123456789.") == std::string::npos;
        if (!digits || dot == 0 || dot == std::string::npos || given.size() > 5 || dot + 2 != given.size())
            fail(field, "'" + given + "' is no compute capability", "write it as \"9.0\"");
        chip.computeMajor = std::stoi(given.substr(0, dot));
        chip.computeMinor = std::stoi(given.substr(dot + 1));
        if (chip.canSimulate() && !m_out.m_limits.contains(given))
            fail(field, "there are no limits for compute capability " + given, "add it to \"sm_limits\"");
    }

    void readPeaks(const Json& row, Chip& chip) const
    {
        const Json& peaks = object(row, "peaks", chip.id);
        for (const auto& [name, value] : peaks.items()) {
            const std::string field = chip.id + ".peaks." + name;
            const std::optional<Precision> precision = precisionFromText(name);
            if (!precision)
                fail(field, "the number format '" + name + "' is not known", "use fp32, tf32, fp16, bf16 …");
            const Sourced<double> peak = figure(value, field, fieldRules().at("peak"));
            if (value.value("sparsity", "") != "dense")
                fail(field, "the peak is not marked as dense", "halve 2:4-sparse figures and write sparsity \"dense\"");
            chip.peakFlopsPerSecond[*precision] = peak;
        }
        if (chip.peakFlopsPerSecond.empty())
            fail(chip.id + ".peaks", "the chip has no peak rate", "give at least one, value null if not known");
    }

    std::optional<Link> readLink(const Json& row, const char* key, const char* direction, const Chip& chip) const
    {
        if (!row.contains(key) || row.at(key).is_null())
            return std::nullopt;
        Link link;
        link.bytesPerSecond = chipFigure(row, key, chip.id);
        const Json& value = row.at(key);
        if (value.value("direction", "") != direction)
            fail(chip.id + "." + key, "the direction of the bandwidth is missing or wrong",
                 std::string("give it as \"") + direction + "\" and say so");
        link.bothWays = std::string_view(direction) == "both-ways";
        link.name = optionalText(value, "name", chip.id + "." + key);
        return link;
    }

    void readChip(const Json& row)
    {
        Chip chip;
        if (!row.is_object())
            fail("chips", "an entry is no object", "give every chip as an object");
        chip.id = text(row, "id", "chips[" + std::to_string(m_out.m_chips.size()) + "]");
        if (!m_ids.insert(chip.id).second)
            fail(chip.id, "the id stands twice in the table", "ids are unique");
        chip.name = text(row, "name", chip.id);
        chip.vendor = text(row, "vendor", chip.id);
        chip.architecture = text(row, "architecture", chip.id);
        chip.chipClass = text(row, "class", chip.id);
        chip.unitKind = text(row, "unit_kind", chip.id);
        chip.memoryType = text(row, "memory_type", chip.id);
        chip.driverNames = texts(row, "driver_names", chip.id);
        chip.notes = texts(row, "notes", chip.id);
        readCapability(row, chip);
        const Json year = row.value("launch_year", Json());
        if (!year.is_number_integer() || year.get<int>() < 2010 || year.get<int>() > 2040)
            fail(chip.id + ".launch_year", "the year is missing or not sensible", "give a year from 2010 to 2040");
        chip.launchYear = year.get<int>();
        const Json half = row.value("geforce_half_rate_fp32acc", Json());
        if (!half.is_boolean())
            fail(chip.id + ".geforce_half_rate_fp32acc", "the flag is missing", "give true or false");
        chip.halfRateFp32Accumulate = half.get<bool>();
        readFigures(row, chip);
        m_out.m_chips.push_back(std::move(chip));
    }

    /// No pin of any memory is quicker or slower than that: a slipped digit in the bus or in the bandwidth shows here.
    void checkBus(const Sourced<double>& bits, const Chip& chip) const
    {
        if (!bits.known() || !chip.memoryBytesPerSecond.known())
            return;
        const double pin = 8 * *chip.memoryBytesPerSecond.value / *bits.value / 1e9;
        const bool stacked = chip.memoryType.starts_with("HBM");
        if (pin < (stacked ? 1.5 : 6) || pin > (stacked ? 10 : 36))
            fail(chip.id + ".memory_bus_bits",
                 "the bus and the bandwidth give " + number(pin) + " Gbit/s a pin, which no " + chip.memoryType +
                     " has",
                 "correct memory_bus_bits or memory_bandwidth");
    }

    void readFigures(const Json& row, Chip& chip) const
    {
        const Sourced<double> units = chipFigure(row, "units", chip.id);
        if (!units.known())
            fail(chip.id + ".units", "the number of units is not known", "a chip without it cannot be used");
        chip.units = {static_cast<std::uint32_t>(*units.value), units.sources, units.confidence, units.note};
        chip.boostClockHz = chipFigure(row, "boost_clock_mhz", chip.id);
        chip.tensorClockHz = chipFigure(row, "tensor_clock_mhz", chip.id);
        readPeaks(row, chip);
        chip.memoryBytes = chipFigure(row, "memory_gb", chip.id);
        chip.memoryBytesPerSecond = chipFigure(row, "memory_bandwidth", chip.id);
        if (row.at("memory_bandwidth").value("direction", "") != "total")
            fail(chip.id + ".memory_bandwidth", "the direction is missing",
                 "give reads and writes together: \"total\"");
        if (row.contains("memory_bus_bits"))
            checkBus(chipFigure(row, "memory_bus_bits", chip.id), chip);
        chip.l2Bytes = chipFigure(row, "l2_mb", chip.id);
        chip.tdpWatts = chipFigure(row, "tdp_w", chip.id);
        chip.pcie = readLink(row, "pcie", "one-way", chip);
        chip.gpuLink = readLink(row, "gpu_link", "both-ways", chip);
    }

    std::string m_place;
    Catalogue m_out;
    std::set<std::string> m_ids;
};

Result<Catalogue> parseCatalogue(std::string_view text, const std::string& place)
{
    const Result<Json> root = parseJson(text, place);
    if (!root.ok())
        return root.error();
    try {
        return CatalogueReader(place).read(*root);
    } catch (const BadTable& bad) {
        return bad.error;
    } catch (const Json::exception& unexpected) {
        return Error{"bad-chip-table", "a field has another type than expected", place, unexpected.what()};
    }
}

Result<Catalogue> loadCatalogue(const std::filesystem::path& file)
{
    const Result<std::string> text = readFile(file);
    if (!text.ok())
        return text.error();
    return parseCatalogue(*text, file.filename().string());
}

} // namespace ridge::silicon
