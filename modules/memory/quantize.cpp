// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/quantize.h"
#include "memory/rounder.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ridge::memory {
namespace {

constexpr std::uint32_t kMxBlock = 32;    // OCP MX v1.0, 5.2
constexpr std::uint32_t kNvfp4Block = 16; // NVFP4: E4M3 scale of 16 elements, FP32 scale of the tensor

std::vector<QuantFormat> makeFormats()
{
    std::vector<QuantFormat> all;
    for (const char* id : {"int16", "int8", "int7", "int6", "int5", "int4", "int3", "int2"})
        all.push_back({id, findFormat(id)->title, QuantKind::Integer, findFormat(id)});
    for (const char* id : {"fp32", "tf32", "fp16", "bf16", "e5m2", "e4m3", "e3m4", "e3m2", "e2m3", "e2m1"})
        all.push_back({id, findFormat(id)->title, QuantKind::Float, findFormat(id)});
    all.push_back({"mxfp8_e5m2", "MXFP8 E5M2", QuantKind::Mx, findFormat("e5m2"), kMxBlock});
    all.push_back({"mxfp8_e4m3", "MXFP8 E4M3", QuantKind::Mx, findFormat("e4m3"), kMxBlock});
    all.push_back({"mxfp6_e3m2", "MXFP6 E3M2", QuantKind::Mx, findFormat("e3m2"), kMxBlock});
    all.push_back({"mxfp6_e2m3", "MXFP6 E2M3", QuantKind::Mx, findFormat("e2m3"), kMxBlock});
    all.push_back({"mxfp4", "MXFP4", QuantKind::Mx, findFormat("e2m1"), kMxBlock});
    all.push_back({"mxint8", "MXINT8", QuantKind::Mx, findFormat("mxint8"), kMxBlock});
    all.push_back({"nvfp4", "NVFP4", QuantKind::Nvfp4, findFormat("e2m1"), kNvfp4Block});
    for (const GgufBlock& block : ggufBlocks())
        if (block.codec)
            all.push_back({block.id, block.id, QuantKind::Gguf, nullptr, block.elements, &block});
    return all;
}

const std::vector<QuantFormat>& formats()
{
    static const std::vector<QuantFormat> all = makeFormats();
    return all;
}

/// Calls with number, first and one past the last of every group.
template<class Do>
void forEachGroup(std::size_t count, std::size_t columns, std::size_t group, const Do& visit)
{
    std::size_t number = 0;
    for (std::size_t row = 0; row < count; row += columns) {
        const std::size_t end = std::min(row + columns, count);
        for (std::size_t first = row; first < end; first += group)
            visit(number++, first, std::min(first + group, end));
    }
}

Error badScheme(const std::string& what, const std::string& fix)
{
    return {"bad-scheme", what, "quantize", fix};
}

Error badSample(std::size_t at, const std::string& what)
{
    return {"bad-sample", what, "sample " + std::to_string(at), "scale the samples, or take out what is no number"};
}

Result<void> checkScheme(std::span<const double> values, std::size_t columns, const QuantScheme& scheme)
{
    if (scheme.format == nullptr || values.empty() || columns == 0)
        return badScheme("there is nothing to quantize", "give a format, samples and columns");
    const QuantFormat& format = *scheme.format;
    if (scheme.method != Method::Rtn)
        return badScheme("this method looks at the inputs of a layer", "take rtn, or give the layer's inputs");
    if (format.block == 0 && scheme.granularity == Granularity::Group && scheme.group == 0)
        return badScheme("a group of no elements", "give it one or more");
    if (scheme.scaling == Scaling::Minmax && format.kind == QuantKind::Float)
        return badScheme("minmax moves the zero, which " + std::string(format.title) + " cannot",
                         "take an integer format, or absmax");
    if (format.kind == QuantKind::Gguf && (columns % format.block != 0 || values.size() % format.block != 0))
        return badScheme(std::string(format.id) + " has blocks of " + std::to_string(format.block) +
                             " elements and pads nothing; a row has " + std::to_string(columns) + " of " +
                             std::to_string(values.size()),
                         "take a multiple of " + std::to_string(format.block) + " for both");
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!(std::fabs(values[i]) <= kLargestSample))
            return badSample(i, "it is not a finite number below 1e150");
    return {};
}

Result<void> encodeBlocks(Quantized& out, std::span<const double> values)
{
    const GgufBlock& block = *out.scheme.format->gguf;
    std::vector<float> numbers(block.elements);
    out.blocks.resize(values.size() / block.elements * block.bytes);
    for (std::size_t first = 0; first < values.size(); first += block.elements) {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), block.elements, numbers.begin());
        const std::size_t at = first / block.elements * block.bytes;
        if (!encodeGguf(block, numbers, std::span(out.blocks).subspan(at, block.bytes)))
            return badSample(first, "a scale of its block is past FP16");
    }
    out.bits = 8.0 * static_cast<double>(out.blocks.size());
    return {};
}

void encodeGroups(Quantized& out, std::span<const double> values)
{
    const QuantFormat& format = *out.scheme.format;
    const std::size_t columns =
        format.block == 0 && out.scheme.granularity == Granularity::Tensor ? out.count : out.columns;
    const bool nvfp4 = format.kind == QuantKind::Nvfp4;
    const Rounder rounder(out.scheme, nvfp4 ? mostOf(values.data(), values.size()) : 0);
    std::size_t groups = 0;
    forEachGroup(out.count, columns, out.group, [&](std::size_t, std::size_t, std::size_t) { ++groups; });
    out.scales.resize(groups);
    out.zeros.resize(rounder.minmax() ? groups : 0);
    out.codes.resize(out.count);
    forEachGroup(out.count, columns, out.group, [&](std::size_t number, std::size_t first, std::size_t end) {
        const GroupScale group = rounder.scaleOf(values.data() + first, end - first);
        out.scales[number] = group.scale;
        if (rounder.minmax())
            out.zeros[number] = static_cast<std::int32_t>(group.zero);
        rounder.encode(values.data() + first, end - first, group, out.codes.data() + first);
    });
    out.bits = static_cast<double>(out.count) * format.element->bits() +
               static_cast<double>(groups) * rounder.scaleBits() + (nvfp4 ? 32 : 0);
}

} // namespace

std::span<const QuantFormat> quantFormats()
{
    return formats();
}

const QuantFormat* findQuantFormat(std::string_view id)
{
    for (const auto& [other, real] : {std::pair<std::string_view, std::string_view>{"fp8", "e4m3"},
                                      {"fp4", "e2m1"},
                                      {"mxfp8", "mxfp8_e4m3"},
                                      {"mxfp6", "mxfp6_e2m3"}})
        if (id == other)
            id = real;
    for (const QuantFormat& format : formats())
        if (format.id == id)
            return &format;
    return nullptr;
}

Result<Quantized> quantize(std::span<const double> values, std::size_t columns, const QuantScheme& scheme)
{
    if (auto good = checkScheme(values, columns, scheme); !good)
        return good.error();
    Quantized out;
    out.scheme = scheme;
    out.count = values.size();
    out.columns = std::min(columns, values.size());
    out.group = static_cast<std::uint32_t>(groupOf(scheme, out.count, out.columns));
    if (scheme.format->kind == QuantKind::Gguf) {
        if (auto good = encodeBlocks(out, values); !good)
            return good.error();
    } else {
        encodeGroups(out, values);
    }
    return out;
}

void dequantize(const Quantized& quantized, std::span<double> out)
{
    const QuantFormat& format = *quantized.scheme.format;
    if (format.kind == QuantKind::Gguf) {
        const GgufBlock& block = *format.gguf;
        std::vector<float> numbers(block.elements);
        for (std::size_t first = 0; first < quantized.count; first += block.elements) {
            const std::size_t at = first / block.elements * block.bytes;
            decodeGguf(block, std::span(quantized.blocks).subspan(at, block.bytes), numbers);
            std::copy(numbers.begin(), numbers.end(), out.begin() + static_cast<std::ptrdiff_t>(first));
        }
        return;
    }
    const NumberFormat& element = *format.element;
    std::vector<double> table; // the numbers of a small format
    if (!element.integer && element.bits() <= 16) {
        table.resize(std::size_t{1} << element.bits());
        for (std::size_t code = 0; code < table.size(); ++code)
            table[code] = decode(element, code);
    }
    const bool tensor = format.block == 0 && quantized.scheme.granularity == Granularity::Tensor;
    const std::size_t columns = tensor ? quantized.count : quantized.columns;
    forEachGroup(quantized.count, columns, quantized.group,
                 [&](std::size_t number, std::size_t first, std::size_t end) {
                     const std::int32_t* codes = quantized.codes.data();
                     const double scale = quantized.scales[number];
                     if (element.integer) {
                         const std::int32_t zero = quantized.zeros.empty() ? 0 : quantized.zeros[number];
                         for (std::size_t i = first; i < end; ++i)
                             out[i] = static_cast<double>(codes[i] - zero) * scale;
                     } else if (!table.empty()) {
                         for (std::size_t i = first; i < end; ++i)
                             out[i] = table[static_cast<std::uint32_t>(codes[i])] * scale;
                     } else {
                         for (std::size_t i = first; i < end; ++i)
                             out[i] = decode(element, static_cast<std::uint32_t>(codes[i])) * scale;
                     }
                 });
}

double QuantError::sqnr() const
{
    return 10 * std::log10(signal / noise);
}

QuantError errorOf(std::span<const double> values, std::span<const double> restored)
{
    QuantError error;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double off = values[i] - restored[i];
        error.signal += values[i] * values[i];
        error.noise += off * off;
        error.most = std::max(error.most, std::fabs(off));
    }
    return error;
}

} // namespace ridge::memory
