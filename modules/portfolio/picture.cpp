// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/picture.h"

#include "base/number_text.h"
#include "portfolio/html_markup.h"
#include "portfolio/style.h"

namespace ridge::folio {
namespace {

/// At most two decimals: a hundredth of a pixel is nothing, and files of equal data are equal.
std::string px(double value)
{
    std::string out = fixedText(value, 2);
    while (out.back() == '0')
        out.pop_back();
    if (out.back() == '.')
        out.pop_back();
    return out == "-0" ? "0" : out;
}

std::string points(const std::vector<Spot>& spots)
{
    std::string out;
    for (const Spot& spot : spots)
        out += (out.empty() ? "" : " ") + px(spot.x) + "," + px(spot.y);
    return out;
}

std::string attribute(const char* name, const std::string& value)
{
    return std::string(" ") + name + "=\"" + value + "\"";
}

/// The colours of a shape as attributes, which a stylesheet may override; none without a style.
std::string paint(const Shape& shape, const Style* style)
{
    if (!style)
        return {};
    const std::string& color = style->light.at(roleOf(shape.ink));
    if (shape.kind == Shape::Line)
        return attribute("fill", "none") + attribute("stroke", color);
    if (shape.kind == Shape::Words)
        return attribute("fill", color) + attribute("font-family", "Inter, sans-serif") +
               (shape.strong ? attribute("font-weight", "600") : std::string());
    if (shape.kind == Shape::Area)
        return attribute("fill", color);
    return attribute("fill", shape.filled ? color : style->light.at(roleOf(Ink::Surface))) + attribute("stroke", color);
}

std::string dashes(const Shape& shape)
{
    std::string dash;
    for (double length : shape.dash)
        dash += (dash.empty() ? "" : " ") + px(length);
    return dash.empty() ? dash : attribute("stroke-dasharray", dash);
}

std::string element(const Shape& shape, const Style* style)
{
    const std::string look = paint(shape, style);
    const std::string ink = inkClass(shape.ink);
    const Spot at = shape.spots.empty() ? Spot() : shape.spots.front();
    const double half = shape.size / 2;
    switch (shape.kind) {
    case Shape::Line:
        return "<polyline" + attribute("class", ink + " line") + look + attribute("stroke-width", px(shape.width)) +
               dashes(shape) + attribute("points", points(shape.spots)) + "/>\n";
    case Shape::Area:
        return "<polygon" + attribute("class", ink + " area") + look + attribute("points", points(shape.spots)) +
               "/>\n";
    case Shape::Dot:
        return "<circle" + attribute("class", ink + (shape.filled ? " full" : " open")) + look +
               attribute("stroke-width", px(shape.width)) + dashes(shape) + attribute("cx", px(at.x)) +
               attribute("cy", px(at.y)) + attribute("r", px(half)) + "/>\n";
    case Shape::Diamond:
    case Shape::Square: {
        const std::vector<Spot> corners =
            shape.kind == Shape::Diamond
                ? std::vector<Spot>{{at.x, at.y - half}, {at.x + half, at.y}, {at.x, at.y + half}, {at.x - half, at.y}}
                : std::vector<Spot>{{at.x - half, at.y - half},
                                    {at.x + half, at.y - half},
                                    {at.x + half, at.y + half},
                                    {at.x - half, at.y + half}};
        return "<polygon" + attribute("class", ink + (shape.filled ? " full" : " open")) + look +
               attribute("stroke-width", px(shape.width)) + dashes(shape) + attribute("points", points(corners)) +
               "/>\n";
    }
    case Shape::Words:
        break;
    }
    const char* anchors[] = {"start", "middle", "end"};
    return "<text" + attribute("class", ink + (shape.strong ? " words strong" : " words")) + look +
           attribute("x", px(at.x)) + attribute("y", px(at.y)) + attribute("font-size", px(shape.size)) +
           (shape.anchor == Shape::Start ? "" : attribute("text-anchor", anchors[shape.anchor])) +
           (shape.turn == 0
                ? ""
                : attribute("transform", "rotate(" + px(shape.turn) + " " + px(at.x) + " " + px(at.y) + ")")) +
           ">" + escaped(shape.text) + "</text>\n";
}

std::string svgOf(const Picture& picture, const std::string& first, const Style* style)
{
    // Files keep to SVG 1.1, which has no ARIA: there <title> and <desc> alone name the picture.
    const std::string label =
        style ? std::string() : attribute("aria-label", escaped(picture.title + ". " + picture.description));
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 " +
                      px(picture.width) + " " + px(picture.height) + "\" width=\"" + px(picture.width) +
                      "\" height=\"" + px(picture.height) + "\"" + label + ">\n<title>" + escaped(picture.title) +
                      "</title>\n<desc>" + escaped(picture.description) + "</desc>\n" + first;
    for (const Shape& shape : picture.shapes)
        out += element(shape, style);
    return out + "</svg>\n";
}

} // namespace

std::string inkClass(Ink ink)
{
    static const char* const names[] = {"text",  "muted",     "hint",   "grid",   "axis",
                                        "limit", "predicted", "result", "surface"};
    const int index = static_cast<int>(ink);
    const int series = index - static_cast<int>(Ink::Series1);
    return series >= 0 ? "i-s" + std::to_string(series + 1) : std::string("i-") + names[index];
}

std::string toSvg(const Picture& picture)
{
    return svgOf(picture, {}, nullptr);
}

std::string toSvgFile(const Picture& picture, const Style& style)
{
    const std::string back = "<style>\n" + style.chart + "</style>\n<rect class=\"i-surface back\"" +
                             attribute("fill", style.light.at(roleOf(Ink::Surface))) +
                             attribute("width", px(picture.width)) + attribute("height", px(picture.height)) + "/>\n";
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svgOf(picture, back, &style);
}

double textWidth(const std::string& text, double size)
{
    double letters = 0;
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0) == 0x80)
            continue;
        letters += c == ' ' || c == '.' || c == ',' || c == 'i' || c == 'l' || c == 't' || c == 'f' ? 0.34
                   : c == 'm' || c == 'w' || c == 'M' || c == 'W'                                   ? 0.86
                   : c >= 'A' && c <= 'Z'                                                           ? 0.68
                                                                                                    : 0.58;
    }
    return letters * size;
}

} // namespace ridge::folio
