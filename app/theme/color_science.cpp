// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/color_science.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ridge::app {
namespace {

using Vec3 = std::array<double, 3>;

double toLinear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double fromLinear(double channel)
{
    const double c = std::clamp(channel, 0.0, 1.0);
    return c <= 0.0031308 ? c * 12.92 : 1.055 * std::pow(c, 1.0 / 2.4) - 0.055;
}

Vec3 linear(const QColor& color)
{
    return {toLinear(color.redF()), toLinear(color.greenF()), toLinear(color.blueF())};
}

Vec3 lab(const QColor& color)
{
    const Vec3 c = linear(color);
    const double x = (0.4124564 * c[0] + 0.3575761 * c[1] + 0.1804375 * c[2]) / 0.95047;
    const double y = 0.2126729 * c[0] + 0.7151522 * c[1] + 0.0721750 * c[2];
    const double z = (0.0193339 * c[0] + 0.1191920 * c[1] + 0.9503041 * c[2]) / 1.08883;
    const auto f = [](double t) { return t > 216.0 / 24389.0 ? std::cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0; };
    return {116.0 * f(y) - 16.0, 500.0 * (f(x) - f(y)), 200.0 * (f(y) - f(z))};
}

double degrees(double radians)
{
    const double d = radians * 180.0 / std::numbers::pi;
    return d < 0 ? d + 360.0 : d;
}

double radians(double d)
{
    return d * std::numbers::pi / 180.0;
}

/// Mean hue of two chromas, and their signed difference, both in degrees.
std::pair<double, double> hues(double h1, double h2, bool achromatic)
{
    if (achromatic)
        return {h1 + h2, 0.0};
    double difference = h2 - h1;
    if (difference > 180.0)
        difference -= 360.0;
    if (difference < -180.0)
        difference += 360.0;
    double mean = (h1 + h2) / 2.0;
    if (std::abs(h1 - h2) > 180.0)
        mean += h1 + h2 < 360.0 ? 180.0 : -180.0;
    return {mean, difference};
}

} // namespace

double relativeLuminance(const QColor& color)
{
    const Vec3 c = linear(color);
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

double contrastRatio(const QColor& a, const QColor& b)
{
    const double la = relativeLuminance(a);
    const double lb = relativeLuminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor simulateVision(const QColor& color, Vision vision)
{
    // Rows of the published matrices for severity 1.0.
    static constexpr std::array<std::array<double, 9>, 3> kMatrices = {{
        {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
        {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
        {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
    }};
    if (vision == Vision::Normal)
        return color;
    const auto& m = kMatrices[static_cast<std::size_t>(vision) - 1];
    const Vec3 c = linear(color);
    const auto row = [&](std::size_t r) { return fromLinear(m[r] * c[0] + m[r + 1] * c[1] + m[r + 2] * c[2]); };
    return QColor::fromRgbF(static_cast<float>(row(0)), static_cast<float>(row(3)), static_cast<float>(row(6)));
}

double colorDifference(const QColor& a, const QColor& b)
{
    const Vec3 p = lab(a);
    const Vec3 q = lab(b);
    const double meanC = (std::hypot(p[1], p[2]) + std::hypot(q[1], q[2])) / 2.0;
    const double c7 = std::pow(meanC, 7);
    const double g = 0.5 * (1.0 - std::sqrt(c7 / (c7 + std::pow(25.0, 7))));
    const double a1 = (1.0 + g) * p[1];
    const double a2 = (1.0 + g) * q[1];
    const double c1 = std::hypot(a1, p[2]);
    const double c2 = std::hypot(a2, q[2]);
    const double h1 = c1 == 0 ? 0 : degrees(std::atan2(p[2], a1));
    const double h2 = c2 == 0 ? 0 : degrees(std::atan2(q[2], a2));
    const auto [h, dh] = hues(h1, h2, c1 * c2 == 0);
    const double dL = q[0] - p[0];
    const double dC = c2 - c1;
    const double dH = 2.0 * std::sqrt(c1 * c2) * std::sin(radians(dh / 2.0));
    const double l50 = std::pow((p[0] + q[0]) / 2.0 - 50.0, 2);
    const double c = (c1 + c2) / 2.0;
    const double t = 1.0 - 0.17 * std::cos(radians(h - 30.0)) + 0.24 * std::cos(radians(2.0 * h)) +
                     0.32 * std::cos(radians(3.0 * h + 6.0)) - 0.20 * std::cos(radians(4.0 * h - 63.0));
    const double sL = 1.0 + 0.015 * l50 / std::sqrt(20.0 + l50);
    const double sC = 1.0 + 0.045 * c;
    const double sH = 1.0 + 0.015 * c * t;
    const double turn = radians(60.0 * std::exp(-std::pow((h - 275.0) / 25.0, 2)));
    const double rT = -2.0 * std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7))) * std::sin(turn);
    return std::sqrt(std::pow(dL / sL, 2) + std::pow(dC / sC, 2) + std::pow(dH / sH, 2) + rT * dC / sC * dH / sH);
}

QColor blend(const QColor& ground, const QColor& over, double alpha)
{
    const auto mix = [&](float g, float o) { return static_cast<float>(g + (o - g) * alpha); };
    return QColor::fromRgbF(mix(ground.redF(), over.redF()), mix(ground.greenF(), over.greenF()),
                            mix(ground.blueF(), over.blueF()));
}

} // namespace ridge::app
