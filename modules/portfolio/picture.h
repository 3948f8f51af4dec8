// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

class QPainter;
class QColor;

namespace ridge::folio {

struct Spot {
    double x = 0, y = 0;
};

/// What a shape is, from which its colour follows: in SVG a class of the stylesheet, on paper a role of the theme.
/// Names are also the class names.
enum class Ink { Text, Muted, Hint, Grid, Axis, Limit, Prediction, Result, Surface, Series1, Series8 = Series1 + 7 };
inline Ink seriesInk(std::size_t index)
{
    return static_cast<Ink>(static_cast<int>(Ink::Series1) + static_cast<int>(index % 8));
}
std::string inkClass(Ink ink); ///< "i-text", "i-s3" …

/// One shape of a picture. Lines and outlines are `width` wide, their dashes are lengths on and off.
struct Shape {
    enum Kind { Line, Area, Dot, Diamond, Square, Words } kind = Line;
    Ink ink = Ink::Text;
    std::vector<Spot> spots; ///< Line, Area: its points; else one: the centre, or where the words begin
    double size = 0;         ///< diameter of a mark; height of the letters
    double width = 1.5;
    std::vector<double> dash = {};
    bool filled = true;  ///< marks
    bool strong = false; ///< Words
    enum Anchor { Start, Middle, End } anchor = Start;
    double turn = 0; ///< Words: degrees
    std::string text = {};
};

/// A chart as shapes: one source for SVG, where text stays text, and for the page of a PDF. Units are px at 96 dpi.
struct Picture {
    double width = 720, height = 380;
    std::string title, description; ///< one sentence each; the description gives the numbers
    std::vector<Shape> shapes;
};

/// The picture as an <svg> element for a page, whose stylesheet gives the classes their colours.
std::string toSvg(const Picture& picture);
/// Roughly how wide words are: the average letter of the faces in use. For places, not for cutting.
double textWidth(const std::string& text, double size);

} // namespace ridge::folio
