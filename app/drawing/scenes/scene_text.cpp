// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/scene_text.h"

#include <cmath>

namespace ridge::app {

QString headText(const SceneFrame& frame)
{
    return frame.title.isEmpty() ? QString() : frame.title + QStringLiteral(": ");
}

QString groupedText(double value)
{
    QString text = QString::number(value, 'f', 0);
    for (qsizetype at = text.size() - 3; at > (value < 0 ? 1 : 0); at -= 3)
        text.insert(at, QChar(0x2009));
    return text;
}

QString scaledText(double value, const QString& unit)
{
    static const char* const prefixes[] = {"", "k", "M", "G", "T"};
    std::size_t at = 0;
    while (value >= 1000 && at + 1 < std::size(prefixes)) {
        value /= 1000;
        ++at;
    }
    const QString text = QString::number(value, 'f', value < 9.95 && at > 0 ? 1 : 0);
    return QStringLiteral("%1 %2%3").arg(text, QLatin1String(prefixes[at]), unit);
}

QString percentText(double part, double whole)
{
    if (whole <= 0)
        return QStringLiteral("–");
    const double value = std::round(1000 * part / whole) / 10;
    return QString::number(value, 'f', value == std::floor(value) ? 0 : 1) + QStringLiteral(" %");
}

} // namespace ridge::app
