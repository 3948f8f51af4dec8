// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/scalesim_files.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace ridge::accelerator {
namespace {

std::string_view trimmed(std::string_view text)
{
    const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; };
    while (!text.empty() && space(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && space(text.back()))
        text.remove_suffix(1);
    return text;
}

std::string lower(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::optional<std::uint32_t> wholeNumber(std::string_view text)
{
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return number;
}

/// Calls take(line, number) for each; stops at the first error.
template<class Take>
Result<void> eachLine(std::string_view text, const Take& take)
{
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (auto good = take(trimmed(text.substr(0, end)), number); !good)
            return good;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {};
}

std::string inQuotes(std::string_view text)
{
    return "\"" + std::string(text.substr(0, 60)) + "\"";
}

Result<TopologyLayer> layerOf(std::string_view line, const std::string& place)
{
    std::vector<std::string_view> fields;
    for (std::string_view rest = line; fields.size() < 16;) {
        const std::size_t end = rest.find(',');
        fields.push_back(trimmed(rest.substr(0, end)));
        if (end == std::string_view::npos)
            break;
        rest.remove_prefix(end + 1);
    }
    while (!fields.empty() && fields.back().empty())
        fields.pop_back();
    if (!fields.empty() && fields.back().find(':') != std::string_view::npos) {
        const std::string_view ratio = fields.back();
        const auto colon = ratio.find(':');
        if (trimmed(ratio.substr(0, colon)) != trimmed(ratio.substr(colon + 1)))
            return Error{"bad-topology", "sparse weights (" + std::string(ratio) + ") are not simulated", place,
                         "write 1:1 or leave the column out"};
        fields.pop_back();
    }
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 1; i < fields.size(); ++i) {
        const auto number = wholeNumber(fields[i]);
        const bool digits = !fields[i].empty() && fields[i].find_first_not_of("0123456789") == std::string_view::npos;
        if (!number && digits)
            return Error{"bad-topology", inQuotes(fields[i]) + " is too large", place, "give at most 4294967295"};
        if (!number)
            return Error{"bad-topology", inQuotes(fields[i]) + " is no whole number", place,
                         "write name, in_h, in_w, kernel_h, kernel_w, channels, filters, stride or name, M, N, K"};
        numbers.push_back(*number);
    }
    TopologyLayer layer;
    layer.name = std::string(fields.empty() ? std::string_view() : fields[0]);
    Conv& conv = layer.conv;
    if (numbers.size() == 3) {
        const Gemm gemm{numbers[0], numbers[1], numbers[2]};
        if (auto good = checkGemm(gemm); !good)
            return Error{"bad-topology", good.error().message, place, good.error().fix};
        conv = convOf(gemm);
        return layer;
    }
    if (numbers.size() != 7 && numbers.size() != 8)
        return Error{"bad-topology", "a layer has 3 or 7 numbers, here are " + std::to_string(numbers.size()), place,
                     "write name, in_h, in_w, kernel_h, kernel_w, channels, filters, stride or name, M, N, K"};
    conv = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[6]};
    if (numbers.size() == 8)
        conv.strideW = numbers[7];
    if (layer.name.find("DP") != std::string::npos) {
        layer.times = conv.channels;
        conv.channels = 1;
    }
    if (auto good = checkConv(conv); !good)
        return Error{"bad-topology", good.error().message, place, good.error().fix};
    if (layer.times == 0)
        return Error{"bad-topology", "a layer without channels", place, "give at least 1"};
    return layer;
}

} // namespace

Result<std::vector<TopologyLayer>> parseTopology(std::string_view text, const std::string& place)
{
    constexpr std::size_t mostLayers = 10000;
    std::vector<TopologyLayer> layers;
    const auto read = eachLine(text, [&](std::string_view line, std::size_t number) -> Result<void> {
        if (number == 1 || line.empty())
            return {};
        const std::string where = place + ":" + std::to_string(number);
        if (layers.size() == mostLayers)
            return Error{"bad-topology", "a topology has at most 10000 layers", where, "cut the file"};
        auto layer = layerOf(line, where);
        if (!layer)
            return layer.error();
        layers.push_back(std::move(*layer));
        return {};
    });
    if (!read)
        return read.error();
    if (layers.empty())
        return Error{"bad-topology", "the topology has no layer; its first line is taken as a title", place,
                     "write a title and then a line for each layer"};
    return layers;
}

Result<ScaleSimSetup> parseScaleSimConfig(std::string_view text, const std::string& place)
{
    std::map<std::string, std::string> values;
    const auto read = eachLine(text, [&](std::string_view line, std::size_t number) -> Result<void> {
        if (line.empty() || line.front() == '#' || line.front() == ';' || line.front() == '[')
            return {};
        const std::size_t split = line.find_first_of("=:");
        if (split == std::string_view::npos)
            return Error{"bad-config", inQuotes(line) + " is neither a section nor a key with a value",
                         place + ":" + std::to_string(number), "write Key = value"};
        if (values.size() < 1000)
            values[lower(trimmed(line.substr(0, split)))] = std::string(trimmed(line.substr(split + 1)));
        return {};
    });
    if (!read)
        return read.error();
    const auto textOf = [&](const char* key) {
        const auto found = values.find(key);
        return found == values.end() ? std::string() : found->second;
    };
    for (const char* key : {"sparsitysupport", "ifmapcustomlayout", "filtercustomlayout", "useramulatortrace"})
        if (lower(textOf(key)) == "true")
            return Error{"bad-config", std::string(key) + " is not simulated here", place + ": " + key,
                         "set it to False"};
    ScaleSimSetup setup;
    std::optional<Error> error;
    const auto number = [&](const char* key, std::uint32_t most) -> std::uint32_t {
        // Several bandwidths may be given; the first counts, as in SCALE-Sim.
        const std::string value = textOf(key);
        const auto got = wholeNumber(trimmed(std::string_view(value).substr(0, value.find(','))));
        if ((!got || *got < 1 || *got > most) && !error)
            error = Error{"bad-config",
                          value.empty() ? std::string("the key is missing") : inQuotes(value) + " is not allowed",
                          place + ": " + key, "give a whole number from 1 to " + std::to_string(most)};
        return got.value_or(1);
    };
    setup.array = {number("arrayheight", Array::kMostSide), number("arraywidth", Array::kMostSide)};
    constexpr std::uint32_t mostKilobytes = 1u << 22;
    setup.bufferBytes[0] = std::uint64_t{number("ifmapsramszkb", mostKilobytes)} * 1024;
    setup.bufferBytes[1] = std::uint64_t{number("filtersramszkb", mostKilobytes)} * 1024;
    setup.bufferBytes[2] = std::uint64_t{number("ofmapsramszkb", mostKilobytes)} * 1024;
    if (error)
        return *error;
    const auto dataflow = dataflowNamed(textOf("dataflow"));
    if (!dataflow)
        return Error{"bad-config", dataflow.error().message, place + ": Dataflow", dataflow.error().fix};
    setup.dataflow = *dataflow;
    const std::string mode = textOf("interfacebandwidth");
    if (mode != "USER" && mode != "CALC")
        return Error{"bad-config", "InterfaceBandwidth is " + inQuotes(mode), place + ": InterfaceBandwidth",
                     "write USER or CALC"};
    setup.user = mode == "USER";
    if (!setup.user)
        return setup;
    constexpr std::uint32_t mostWords = 1u << 20;
    setup.writeWords = number("bandwidth", mostWords);
    const auto reads = [&](const char* key) {
        return values.count(key) != 0 ? number(key, mostWords) : setup.writeWords;
    };
    setup.readWords[0] = reads("ifmapsrambankbandwidth");
    setup.readWords[1] = reads("filtersrambankbandwidth");
    // SCALE-Sim multiplies by the number of banks only where layouts are evaluated.
    if (error)
        return *error;
    return setup;
}

} // namespace ridge::accelerator
