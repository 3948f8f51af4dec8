// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "portfolio/portfolio_document.h"
#include "portfolio/style.h"

class QPaintDevice;
class QTextDocument;

namespace ridge::folio {

/// The words and pictures of portfolio.pdf, for pages of the size that `text` has; it is laid out once, at the end.
/// `unit` is the number of the device's dots in a pixel of 96 dpi.
void fillDocument(QTextDocument& text, const PortfolioDocument& document, const Style& style, QPaintDevice& device,
                  double unit);

} // namespace ridge::folio
