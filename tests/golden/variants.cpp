// SPDX-License-Identifier: GPL-3.0-or-later
#include "variants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace ridge::golden {
namespace {

constexpr double kEdge = 2.0;  // contrast (WCAG) from which on something counts as an edge
constexpr double kSeen = 1.25; // and what the other picture must have there at least
constexpr int kReach = 3;      // pixels by which text may move between themes and scales
constexpr double kMostLost = 0.005, kMostGained = 0.06;

using Plane = std::vector<float>;

/// Relative luminance of WCAG 2.
Plane luminanceOf(const QImage& picture)
{
    static const auto linear = [] {
        std::array<float, 256> table{};
        for (int i = 0; i < 256; ++i) {
            const double c = i / 255.0;
            table[static_cast<std::size_t>(i)] =
                static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
        }
        return table;
    }();
    const QImage rgb = picture.convertToFormat(QImage::Format_RGB32);
    Plane out;
    out.reserve(static_cast<std::size_t>(rgb.width()) * static_cast<std::size_t>(rgb.height()));
    for (int y = 0; y < rgb.height(); ++y) {
        const auto* line = reinterpret_cast<const QRgb*>(rgb.constScanLine(y));
        for (int x = 0; x < rgb.width(); ++x)
            out.push_back(0.2126F * linear[static_cast<std::size_t>(qRed(line[x]))] +
                          0.7152F * linear[static_cast<std::size_t>(qGreen(line[x]))] +
                          0.0722F * linear[static_cast<std::size_t>(qBlue(line[x]))]);
    }
    return out;
}

/// The largest (or least) of a square of 2 · reach + 1 around each pixel, along rows and then columns.
template<class Better>
Plane spread(const Plane& in, int width, int height, int reach, Better better)
{
    Plane rows(in.size()), out(in.size());
    const auto at = [width](int x, int y) {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
    };
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float best = in[at(x, y)];
            for (int d = std::max(0, x - reach); d <= std::min(width - 1, x + reach); ++d)
                best = better(best, in[at(d, y)]);
            rows[at(x, y)] = best;
        }
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float best = rows[at(x, y)];
            for (int d = std::max(0, y - reach); d <= std::min(height - 1, y + reach); ++d)
                best = better(best, rows[at(x, d)]);
            out[at(x, y)] = best;
        }
    return out;
}

const auto larger = [](float a, float b) { return a > b ? a : b; };
const auto smaller = [](float a, float b) { return a < b ? a : b; };

/// Contrast of each pixel's neighbourhood of 3 × 3.
Plane contrastOf(const QImage& picture)
{
    const Plane light = luminanceOf(picture);
    const Plane most = spread(light, picture.width(), picture.height(), 1, larger);
    Plane out = spread(light, picture.width(), picture.height(), 1, smaller);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = (most[i] + 0.05F) / (out[i] + 0.05F);
    return out;
}

/// Share of the edges of `a` near which `b` has none.
double missing(const Plane& a, const Plane& near)
{
    std::size_t edges = 0, lost = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] >= static_cast<float>(kEdge)) {
            ++edges;
            lost += near[i] < static_cast<float>(kSeen) ? 1 : 0;
        }
    return edges == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(edges);
}

} // namespace

bool isVariant(const QString& name)
{
    return !name.contains(QLatin1String("200")) &&
           (name.contains(QLatin1String("dark")) || name.endsWith(QLatin1String("_2x")));
}

QString keptPicture(const QString& name)
{
    QString kept = name;
    if (kept.endsWith(QLatin1String("_2x")))
        kept.chop(3);
    return kept.replace(QLatin1String("dark"), QLatin1String("light"));
}

bool VariantFit::accepted() const
{
    return sameLayout && lost <= kMostLost && gained <= kMostGained;
}

VariantFit fitOf(const QImage& kept, const QImage& variant, bool twice)
{
    VariantFit fit;
    fit.sameLayout = !kept.isNull() && variant.size() == (twice ? kept.size() * 2 : kept.size());
    if (!fit.sameLayout)
        return fit;
    const QImage same = twice ? variant.scaled(kept.size(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation) : variant;
    const Plane a = contrastOf(kept), b = contrastOf(same);
    fit.lost = missing(a, spread(b, kept.width(), kept.height(), kReach, larger));
    fit.gained = missing(b, spread(a, kept.width(), kept.height(), kReach, larger));
    return fit;
}

} // namespace ridge::golden
