// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/type_tokens.h"

#include <QGuiApplication>
#include <QScreen>

namespace ridge::app {

TypeToken typeToken(TextStyle style)
{
    switch (style) {
    case TextStyle::Caption:
        return {12, 16, 400, false, false};
    case TextStyle::Body:
        return {13.5, 20, 400, false, false};
    case TextStyle::Strong:
        return {13.5, 20, 600, false, false};
    case TextStyle::ReadBody:
        return {17, 27, 400, false, false};
    case TextStyle::ReadH1:
        return {32, 40, 600, false, false};
    case TextStyle::ReadH2:
        return {25, 32, 600, false, false};
    case TextStyle::ReadH3:
        return {20, 28, 600, false, false};
    case TextStyle::Code:
        return {14, 21, 400, true, false};
    case TextStyle::ChartTick:
        return {12, 16, 400, false, true};
    case TextStyle::ChartLabel:
        return {13, 17, 500, false, true};
    case TextStyle::ChartTitle:
        return {15, 20, 600, false, false};
    case TextStyle::MetricBig:
        return {32, 36, 600, false, true};
    }
    return {13.5, 20, 400, false, false};
}

QFont tokenFont(TextStyle style, double scale)
{
    const TypeToken token = typeToken(style);
    QFont font;
    if (token.mono) {
        font.setFamilies({QStringLiteral("JetBrains Mono"), QStringLiteral("DejaVu Sans Mono"),
                          QStringLiteral("Liberation Mono"), QStringLiteral("monospace")});
        font.setStyleHint(QFont::Monospace);
        // Without shaping there are no ligatures: code shows the characters that were typed.
        font.setStyleStrategy(QFont::PreferNoShaping);
    } else {
        font.setFamilies({QStringLiteral("Inter"), QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans"),
                          QStringLiteral("sans-serif")});
        font.setStyleHint(QFont::SansSerif);
    }
    font.setWeight(static_cast<QFont::Weight>(token.weight));
    // Pixel sizes are whole numbers in Qt; points at the screen's own resolution keep 13.5.
    const QScreen* screen = QGuiApplication::primaryScreen();
    const double dpi = screen ? screen->logicalDotsPerInchY() : 96.0;
    font.setPointSizeF(token.pixels * scale * 72.0 / dpi);
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    if (token.tabular)
        font.setFeature("tnum", 1);
#endif
    return font;
}

} // namespace ridge::app
