// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "imports/importer.h"

#include <optional>

namespace ridge::imports {

/// Internal: what the readers of text formats share.
struct Line {
    std::string_view text; ///< without its line end
    int number = 0;        ///< from 1
    std::size_t begin = 0; ///< where it starts in the file
};
std::vector<Line> linesOf(std::string_view bytes);

std::string_view trimmed(std::string_view text);
/// Words between blanks.
std::vector<std::string_view> wordsOf(std::string_view text);
/// The cells of "| a | b |" or "; a ; b ;", trimmed.
std::vector<std::string_view> tableCells(std::string_view line, char bar);

/// A number as a tool prints it: "1,205.00" (thousands in commas, also as "12,34,567"), "-0.501", "1e3". None for
/// "n/a", "N/A", "inf", text, and where commas do not part thousands.
std::optional<double> numberIn(std::string_view text);
/// "211,94" and "1.205,00": what numberIn cannot mean, as tools print it where the comma parts the fraction.
bool hasDecimalComma(std::string_view text);
/// "45.678" and "1.234.567": groups of three behind points, which is how other languages part thousands. With one point
/// it may be a fraction: what is counted decides.
bool hasThousandsPoint(std::string_view text);

/// A value in the tool's unit, in base units: {0.00012, "s"} for 120 "us". Units this lab has no scale for stay as they
/// are. Prefixes are decimal, also in "Kbyte": Nsight Compute prints the 1,024 B that the driver reserves as "1.02
/// Kbyte".
std::pair<double, std::string> inBaseUnit(double value, std::string_view unit);

/// Where the first byte is that is no UTF-8 text; npos: nowhere.
std::size_t badUtf8(std::string_view text);

Error badImport(const std::string& name, int line, const std::string& what, const std::string& fix);

/// Adds a figure unless there are too many; then counts what was left out.
class FigureList {
public:
    explicit FigureList(Imported& imported) : m_imported(imported) {}
    ~FigureList();
    FigureList(const FigureList&) = delete;
    FigureList& operator=(const FigureList&) = delete;

    void add(std::string figure, double value, std::string_view unit, std::string of, int line);

private:
    Imported& m_imported;
    std::size_t m_leftOut = 0;
};

/// "1 kernel", "3 kernels"
std::string counted(std::size_t count, const std::string& thing);
std::string counted(std::size_t count, const std::string& one, const std::string& many);

} // namespace ridge::imports
