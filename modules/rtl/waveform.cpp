// SPDX-License-Identifier: GPL-3.0-or-later
#include "rtl/waveform.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <unordered_map>

namespace ridge::rtl {
namespace {

constexpr std::size_t kMostCycles = 1u << 16;

/// Words between white space.
class Words {
public:
    explicit Words(std::string_view text) : m_text(text) {}
    std::string_view next()
    {
        constexpr std::string_view kSpace = " \t\r\n";
        m_at = m_text.find_first_not_of(kSpace, m_at);
        if (m_at == std::string_view::npos)
            return {};
        const auto end = std::min(m_text.find_first_of(kSpace, m_at), m_text.size());
        const auto word = m_text.substr(m_at, end - m_at);
        m_at = end;
        return word;
    }
    /// To "$end".
    void skip()
    {
        for (auto word = next(); !word.empty() && word != "$end"; word = next()) {
        }
    }

private:
    std::string_view m_text;
    std::size_t m_at = 0;
};

/// Bits as a VCD has them, most significant first; zeros in front are left out.
WaveValue valueOf(std::string_view bits, int width)
{
    WaveValue value;
    std::uint32_t number = 0;
    for (const char bit : bits) {
        if (bit != '0' && bit != '1')
            return value;
        number = number << 1 | static_cast<std::uint32_t>(bit - '0');
    }
    value.known = true;
    if (width < 32 && number >> (width - 1) & 1)
        number |= ~0u << width;
    value.value = static_cast<std::int32_t>(number);
    return value;
}

enum class What { Weight, Activation, Sum, Valid, Now };
struct Place {
    What what = What::Now;
    std::size_t element = 0;
};

bool take(std::string_view& path, std::string_view words)
{
    if (!path.starts_with(words))
        return false;
    path.remove_prefix(words.size());
    return true;
}

bool takeNumber(std::string_view& path, std::uint32_t& number)
{
    const auto [end, bad] = std::from_chars(path.data(), path.data() + path.size(), number);
    if (bad != std::errc())
        return false;
    path.remove_prefix(static_cast<std::size_t>(end - path.data()));
    return true;
}

/// Whether `path` is one of those that are read.
bool placeOf(std::string_view path, const accelerator::Array& array, Place& place)
{
    if (path == "bench.now" || path == "bench.dut.valid") {
        place.what = path == "bench.now" ? What::Now : What::Valid;
        return true;
    }
    std::uint32_t row = 0, col = 0;
    if (!take(path, "bench.dut.row[") || !takeNumber(path, row) || !take(path, "].col[") || !takeNumber(path, col) ||
        !take(path, "].pe.") || row >= array.rows || col >= array.cols)
        return false;
    place.element = std::size_t{row} * array.cols + col;
    place.what = path == "w" ? What::Weight : path == "a" ? What::Activation : What::Sum;
    return path == "w" || path == "a" || path == "sum";
}

} // namespace

Wave readWave(std::string_view text, const accelerator::Array& array)
{
    Wave wave;
    WaveMoment now;
    now.weight.resize(array.elements());
    now.activation.resize(array.elements());
    now.sum.resize(array.elements());
    std::unordered_map<std::string, std::vector<Place>> signals; // of an id: one wire may have several names
    std::vector<std::string> scopes;
    std::int64_t count = 0, snapped = 0; // cycles that have passed, and those that are in `wave`

    const auto change = [&](std::string_view bits, std::string_view id) {
        const auto found = signals.find(std::string(id));
        if (found == signals.end())
            return;
        for (const Place& place : found->second)
            switch (place.what) {
            case What::Weight:
                now.weight[place.element] = valueOf(bits, 8);
                break;
            case What::Activation:
                now.activation[place.element] = valueOf(bits, 8);
                break;
            case What::Sum:
                now.sum[place.element] = valueOf(bits, 32);
                break;
            case What::Valid:
                now.onItsWay.assign(array.rows + array.cols - 1, 0);
                for (std::size_t i = 0; i < std::min(bits.size(), now.onItsWay.size()); ++i)
                    now.onItsWay[i] = bits[bits.size() - 1 - i] == '1';
                break;
            case What::Now:
                if (const WaveValue value = valueOf(bits, 32); value.known)
                    count = value.value;
                break;
            }
    };
    const auto snap = [&] {
        // A time in which `now` became n ends with what cycle n - 1 left behind.
        if (count == snapped + 1 && wave.cycles.size() < kMostCycles)
            wave.cycles.push_back(now);
        snapped = count;
    };

    Words words(text);
    for (auto word = words.next(); !word.empty(); word = words.next()) {
        if (word == "$scope") {
            words.next();
            const std::string name(words.next());
            scopes.push_back((scopes.empty() ? "" : scopes.back() + ".") + name);
            words.skip();
        } else if (word == "$upscope") {
            if (!scopes.empty())
                scopes.pop_back();
            words.skip();
        } else if (word == "$var") {
            words.next();
            words.next();
            const std::string id(words.next());
            const std::string path = (scopes.empty() ? "" : scopes.back() + ".") + std::string(words.next());
            Place place;
            if (placeOf(path, array, place)) {
                signals[id].push_back(place);
                wave.signals += place.what != What::Now;
            }
            words.skip();
        } else if (word == "$dumpvars" || word == "$dumpall" || word == "$end" || word == "$dumpon") {
            continue; // values follow, or have ended
        } else if (word == "$dumpoff") {
            break; // all become x
        } else if (word.front() == '$') {
            words.skip();
        } else if (word.front() == '#') {
            snap();
        } else if (word.front() == 'b' || word.front() == 'B') {
            const auto id = words.next();
            change(word.substr(1), id);
        } else if (word.front() == 'r' || word.front() == 'R') {
            words.next();
        } else {
            change(word.substr(0, 1), word.substr(1));
        }
    }
    snap();
    return wave;
}

} // namespace ridge::rtl
