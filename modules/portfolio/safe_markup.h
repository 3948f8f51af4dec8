// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::folio {

struct MarkupFault {
    int line = 1;
    std::string message;
    bool drawing = false; ///< nothing dangerous, but no browser can draw it as it was meant
};

struct MarkupReport {
    std::vector<MarkupFault> faults; ///< at most 50
    struct Link {
        int line = 1;
        std::string target; ///< as it stands in href, entities resolved
    };
    std::vector<Link> links; ///< to files and places of the portfolio; what leads to the web is checked and left out
    std::set<std::string> ids;
};

/// Reads HTML or SVG the strict way and holds it against a list of what a portfolio's pages are made of: elements and
/// attributes that can neither run nor fetch anything. Whatever is not on the list is a fault: scripts, handlers,
/// styles with url() or @import, frames, forms, objects, addresses other than http(s) links and files of the portfolio,
/// comments, unknown entities, tags that are not closed or stand in the wrong order. Lengths and coordinates of charts
/// have to be numbers with a decimal point, and points pairs of them.
MarkupReport checkMarkup(std::string_view text, bool svg);

/// The same for a stylesheet: nothing that fetches, no escapes that could hide it.
std::vector<MarkupFault> checkStylesheet(std::string_view css, int firstLine = 1);

} // namespace ridge::folio
