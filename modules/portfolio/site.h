// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "portfolio/portfolio_document.h"
#include "portfolio/style.h"

namespace ridge::folio {

/// A file of the portfolio, its name relative to the folder.
struct OutFile {
    std::string name, bytes;
};

/// index.html, a page for each artifact, portfolio.css and the charts as files of their own: HTML5 that a strict parser
/// reads, every tag closed and every attribute in quotes; no script, no form, nothing from elsewhere. `pdf`: whether
/// there is a portfolio.pdf to link to.
std::vector<OutFile> siteFiles(const PortfolioDocument& document, const Style& style, bool pdf);

/// Pieces that the pages share.
namespace html {

std::string page(const PortfolioDocument& document, const std::string& title, const std::string& up,
                 const std::string& body);
/// The signature mark: hollow diamond, line, filled dot.
std::string signature();
std::string badge(Provenance provenance);
std::string badges(const ArtifactPart& part);
std::string commands(const std::vector<std::string>& lines);
/// A chart in its frame: picture, caption, what it is over, and its numbers as a table.
std::string figure(const FigurePart& part, bool withTable);
std::string reveal(const PredictionPart& part, double width = 720);
std::string table(const FigureTable& table, const std::string& caption);
/// The opening tag of a box that scrolls sideways where the window is narrow: the keyboard reaches it, and it has a
/// name.
std::string scroller(const std::string& className, const std::string& name);
std::string journal(const std::vector<JournalPart>& entries, int level);
std::string notes(const std::vector<NotePart>& notes);
std::string link(const std::string& target, const std::string& words);
/// The name of an artifact, and behind it, smaller, where its numbers come from.
std::string title(const ArtifactPart& part);
std::string titleLink(const std::string& target, const ArtifactPart& part);

} // namespace html

/// The page of one artifact; `place` is its number from 0.
std::string artifactPage(const PortfolioDocument& document, std::size_t place);

} // namespace ridge::folio
