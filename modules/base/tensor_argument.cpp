// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/tensor_argument.h"

#include <algorithm>
#include <charconv>

namespace ridge {
namespace {

constexpr std::string_view kHead = "tensor:";
constexpr const char* kForm = "write tensor:{in:f16:8192:rand(1),size=128x64,box=64x32}, the contiguous dimension "
                              "first; stride=BYTESx…, step=1x…, swizzle=32, 64 or 128 and fill=nan may follow, and "
                              "lower=-1x-1,upper=-1x-1 for windows (im2col)";
constexpr std::size_t kMostRank = 5;
constexpr std::uint64_t kMostBox = 256, kMostPixels = 1024, kMostStep = 8, kMostSize = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostStride = std::uint64_t{1} << 40, kAlign = 16;

struct Problem {
    Error error;
};

class Reader {
public:
    Reader(std::string_view text, std::size_t number) : m_text(text), m_number(number) {}

    TensorArgument read()
    {
        std::string_view rest = m_text.substr(kHead.size());
        if (rest.size() < 2 || rest.front() != '{' || rest.back() != '}')
            fail("does not have its fields between { and }");
        rest = rest.substr(1, rest.size() - 2);
        TensorArgument out;
        out.text = std::string(m_text);
        const std::string_view spec = takeField(rest);
        auto buffer = parseKernelArgument(spec, m_number);
        if (!buffer) {
            Error error = buffer.error();
            error.message = "in '" + out.text + "': " + error.message;
            throw Problem{std::move(error)};
        }
        if (!buffer->isBuffer())
            fail("leads to '" + std::string(spec) + "', which is no buffer");
        out.buffer = std::move(*buffer);
        while (!rest.empty())
            readField(takeField(rest), out);
        complete(out);
        check(out);
        return out;
    }

private:
    [[noreturn]] void fail(const std::string& what, const std::string& fix = kForm) const
    {
        throw Problem{
            {"bad-argument", "'" + std::string(m_text) + "' " + what, "argument " + std::to_string(m_number), fix}};
    }

    static std::string_view takeField(std::string_view& rest)
    {
        const std::size_t end = std::min(rest.find(','), rest.size());
        const std::string_view field = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        return field;
    }

    /// Unsigned ones are at least 1.
    template<class Number>
    std::vector<Number> numbers(std::string_view name, std::string_view text) const
    {
        constexpr bool isSigned = std::is_signed_v<Number>;
        std::vector<Number> out;
        for (std::string_view rest = text; !rest.empty() || out.empty();) {
            const std::size_t end = std::min(rest.find('x'), rest.size());
            Number value = 0;
            const auto [stop, code] = std::from_chars(rest.data(), rest.data() + end, value);
            if (code != std::errc() || stop != rest.data() + end || (value == 0 && !isSigned) ||
                out.size() == kMostRank)
                fail("has " + std::string(name) + "=" + std::string(text) + ", which is not 1 to 5 whole numbers" +
                     (isSigned ? "" : " from 1") + " with x between them");
            out.push_back(value);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return out;
    }

    void readField(std::string_view field, TensorArgument& out) const
    {
        const std::size_t equals = field.find('=');
        const std::string_view name = field.substr(0, equals);
        const std::string_view value = equals == field.npos ? std::string_view() : field.substr(equals + 1);
        if (name == "size")
            out.size = numbers<std::uint64_t>(name, value);
        else if (name == "box")
            out.box = numbers<std::uint64_t>(name, value);
        else if (name == "stride")
            out.stride = numbers<std::uint64_t>(name, value);
        else if (name == "step")
            out.step = numbers<std::uint64_t>(name, value);
        else if (name == "lower")
            out.lower = numbers<std::int64_t>(name, value);
        else if (name == "upper")
            out.upper = numbers<std::int64_t>(name, value);
        else if (name == "swizzle" && (value == "0" || value == "32" || value == "64" || value == "128"))
            out.swizzle = value == "0" ? 0 : value == "32" ? 32 : value == "64" ? 64 : 128;
        else if (name == "fill" && (value == "nan" || value == "zeros"))
            out.fillNan = value == "nan";
        else
            fail("has the field '" + std::string(field) + "'");
    }

    void complete(TensorArgument& out) const
    {
        if (out.size.empty() || out.box.empty())
            fail(std::string("has no ") + (out.size.empty() ? "size" : "box"));
        if (out.step.empty())
            out.step.assign(out.rank(), 1);
        const auto same = [&](const char* name, std::size_t count, std::size_t wanted) {
            if (count != wanted)
                fail("has " + std::to_string(out.rank()) + " sizes and " + std::to_string(count) + " in " + name);
        };
        if (out.lower.size() != out.upper.size() ||
            (out.isWindows() && (out.rank() < 3 || out.lower.size() != out.rank() - 2)))
            fail("has " + std::to_string(out.rank()) + " sizes, " + std::to_string(out.lower.size()) + " lower and " +
                     std::to_string(out.upper.size()) + " upper corners",
                 "windows have three to five dimensions, channels first and images last, and a lower and an upper "
                 "corner for each between");
        if (out.isWindows() && out.box.size() != 2)
            fail("has " + std::to_string(out.box.size()) + " numbers in box",
                 "the box of windows is channels and pixels: box=64x128");
        if (!out.isWindows())
            same("box", out.box.size(), out.rank());
        same("step", out.step.size(), out.rank());
        if (out.stride.empty() && out.rank() > 1) {
            std::uint64_t bytes = sizeOf(out.buffer.type);
            for (std::size_t at = 0; at + 1 < out.rank(); ++at)
                out.stride.push_back(bytes = std::min(bytes * std::min(out.size[at], kMostStride), kMostStride));
        }
        same("stride (all but the first)", out.stride.size(), out.rank() - 1);
    }

    void check(const TensorArgument& map) const
    {
        const std::uint64_t element = sizeOf(map.buffer.type);
        std::uint64_t end = element;
        for (std::size_t at = 0; at < map.rank(); ++at) {
            const std::string dimension = "dimension " + std::to_string(at);
            if (map.size[at] > kMostSize)
                fail("has " + dimension + " of " + std::to_string(map.size[at]) + " elements",
                     "a dimension has at most 2^32");
            const std::uint64_t mostBox = map.isWindows() && at == 1 ? kMostPixels : kMostBox;
            if (at < map.box.size() && map.box[at] > mostBox)
                fail("has a box of " + std::to_string(map.box[at]) + " elements in " + dimension,
                     "a box has 1 to " + std::to_string(mostBox) + " elements there");
            if (map.step[at] > kMostStep)
                fail("has a step of " + std::to_string(map.step[at]) + " in " + dimension, "a step is 1 to 8");
            const std::uint64_t stride = at == 0 ? element : map.stride[at - 1];
            if (at > 0 && (stride % kAlign != 0 || stride >= kMostStride))
                fail("has a stride of " + std::to_string(stride) + " bytes in " + dimension,
                     "a stride is a multiple of 16 bytes, below 2^40: pad the rows");
            if (map.size[at] - 1 > map.buffer.bytes() / stride)
                fail("leads out of its buffer of " + std::to_string(map.buffer.bytes()) + " bytes in " + dimension);
            end += (map.size[at] - 1) * stride;
        }
        if (end > map.buffer.bytes())
            fail("ends at byte " + std::to_string(end) + " of a buffer of " + std::to_string(map.buffer.bytes()),
                 "let the buffer have as many elements as size and stride reach");
        const int bits = map.rank() == 3 ? 15 : map.rank() == 4 ? 7 : 4; // of a corner
        for (const auto* corners : {&map.lower, &map.upper})
            for (const std::int64_t corner : *corners)
                if (corner < -(1 << bits) || corner >= 1 << bits)
                    fail("has a corner of " + std::to_string(corner),
                         "a corner of " + std::to_string(map.rank()) + " dimensions is " +
                             std::to_string(-(1 << bits)) + " to " + std::to_string((1 << bits) - 1));
        const std::uint64_t row = map.box[0] * element;
        if (row % kAlign != 0)
            fail("has a box whose rows have " + std::to_string(row) + " bytes",
                 "a row of the box is a multiple of 16 bytes");
        if (map.swizzle != 0 && row > map.swizzle)
            fail("has a box whose rows have " + std::to_string(row) + " bytes, more than the swizzle",
                 "a row of the box is at most as wide as the swizzle");
    }

    std::string_view m_text;
    std::size_t m_number;
};

} // namespace

bool isTensorArgument(std::string_view text)
{
    return text.starts_with(kHead);
}

Result<TensorArgument> parseTensorArgument(std::string_view text, std::size_t number)
{
    try {
        return Reader(text, number).read();
    } catch (const Problem& problem) {
        return problem.error;
    }
}

} // namespace ridge
