// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "portfolio/portfolio_document.h"
#include "portfolio/style.h"

#include <QCoreApplication>
#include <functional>
#include <memory>

namespace ridge::folio {

/// portfolio.pdf: an A4 document in the light theme with title, author and manifest.json attached; charts are drawn as
/// shapes and their letters stay text. The first page of an application holds its leading artifact; every further one
/// begins a page. The moment of making it is left out with Detail::Times. Needs a QGuiApplication; any thread.
/// `progress`: told the pages that are painted, and how many there are; the first time before any is laid out.
std::string portfolioPdf(const PortfolioDocument& document, const Style& style, const std::string& manifest,
                         const std::function<void(int page, int all)>& progress = {});

/// Shapes on a painter, one unit a pixel, in the light theme.
void paint(QPainter& painter, const Picture& picture, const Style& style);

/// An application object that can lay out text and needs no display: for the command line.
std::unique_ptr<QCoreApplication> headlessApplication(int& argc, char** argv);

} // namespace ridge::folio
