// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"
#include "base/result.h"

#include <QImage>

class QMimeData;

namespace ridge::app {

/// The one way a chart leaves the program: pictures on the light theme whatever the screen shows, every file with
/// units, n, provenance and fingerprint.

/// "png" (2×), "svg" (text stays text), "csv", "md", "json": formats and what a file dialog calls them.
struct ChartFormat {
    QString suffix, name;
};
std::vector<ChartFormat> chartFormats();

/// In the light theme; `size` in device-independent pixels, at least 480 × 300.
QImage chartImage(const std::shared_ptr<Plot>& plot, QSize size, double scale = 2);
/// An SVG document whose words are text elements. Errors: "cannot-draw".
Result<QByteArray> chartSvg(const std::shared_ptr<Plot>& plot, QSize size);
/// By suffix, "wav" too, which says the lines as tones. Errors: "unknown-format" (names the known ones), "cannot-draw",
/// "no-lines".
Result<QByteArray> chartBytes(const std::shared_ptr<Plot>& plot, const QString& suffix, QSize size);
/// All of the file or none of it. Errors: those above and "cannot-write".
Result<void> writeChart(const std::shared_ptr<Plot>& plot, const QString& path, QSize size);
/// For the clipboard: picture, CSV as text, HTML table. The caller owns it.
QMimeData* chartMime(const std::shared_ptr<Plot>& plot, QSize size);
/// For a drag to another program: the same, and as files PNG, SVG and CSV named by the chart's title, in a folder that
/// is there until this program ends. Where the folder cannot be written the files are left out.
QMimeData* chartDragMime(const std::shared_ptr<Plot>& plot, QSize size);

} // namespace ridge::app
