// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/chart_export.h"

#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/chart_sound.h"
#include "app/theme/drag_folder.h"
#include "base/json.h"

#include <QBuffer>
#include <QFileInfo>
#include <QMimeData>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QUrl>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::ChartExport", text);
}

QSize drawn(QSize size)
{
    return size.expandedTo(QSize(480, 300));
}

/// Pictures leave the program on white. The plot is laid out anew by whoever shows it next.
template<class Draw>
bool withLightCanvas(const std::shared_ptr<Plot>& plot, const Draw& draw)
{
    Theme light(nullptr, Theme::Scope::Detached);
    if (!light.load(QStringLiteral("light")))
        return false;
    ChartCanvas canvas(light);
    canvas.setPlot(plot);
    draw(canvas);
    return true;
}

/// What the file says about itself: the sentence and the machine.
QString describedAs(const ChartTable& table)
{
    QString text = table.summary;
    if (!table.caption.isEmpty())
        text += QLatin1Char(' ') + table.caption;
    if (const QString machine = fingerprintText(table.origin.fingerprint); !machine.isEmpty())
        text += QLatin1Char(' ') + machine;
    return text;
}

} // namespace

std::vector<ChartFormat> chartFormats()
{
    return {{QStringLiteral("png"), tr("Portable network graphics")},
            {QStringLiteral("svg"), tr("Scalable vector graphics")},
            {QStringLiteral("csv"), tr("Comma-separated values")},
            {QStringLiteral("md"), tr("Markdown table")},
            {QStringLiteral("json"), tr("JSON")}};
}

QImage chartImage(const std::shared_ptr<Plot>& plot, QSize size, double scale)
{
    QImage image;
    withLightCanvas(plot, [&](ChartCanvas& canvas) { image = canvas.image(drawn(size), scale); });
    if (image.isNull())
        return image;
    const ChartTable table = plot->table();
    image.setText(QStringLiteral("Title"), table.title);
    image.setText(QStringLiteral("Description"), describedAs(table));
    image.setText(QStringLiteral("Fingerprint"), QString::fromStdString(table.origin.fingerprint->dump()));
    return image;
}

Result<QByteArray> chartSvg(const std::shared_ptr<Plot>& plot, QSize size)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    const ChartTable table = plot->table();
    const bool done = withLightCanvas(plot, [&](ChartCanvas& canvas) {
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setSize(drawn(size));
        svg.setViewBox(QRect(QPoint(), drawn(size)));
        // Qt scales fonts by the device's resolution: with the screen's they keep their size.
        svg.setResolution(canvas.logicalDpiX());
        svg.setTitle(table.title);
        svg.setDescription(describedAs(table));
        QPainter painter(&svg);
        canvas.paintTo(painter, drawn(size));
    });
    if (!done || buffer.data().isEmpty())
        return Error{"cannot-draw", "The chart could not be drawn.", table.title.toStdString(),
                     "Check that assets/themes/light.json is there."};
    // Qt 6.4 gives the mask of a hatched brush the attribute that a pattern has for its units.
    QByteArray bytes = buffer.data();
    for (qsizetype at = bytes.indexOf("<mask "); at >= 0; at = bytes.indexOf("<mask ", at + 1)) {
        const qsizetype end = bytes.indexOf('>', at);
        const qsizetype units = bytes.indexOf("patternUnits=", at);
        if (units >= 0 && units < end)
            bytes.replace(units, qsizetype(sizeof "patternUnits=" - 1), "maskUnits=");
    }
    return bytes;
}

Result<QByteArray> chartBytes(const std::shared_ptr<Plot>& plot, const QString& suffix, QSize size)
{
    const QString kind = suffix.toLower();
    if (kind == QLatin1String("svg"))
        return chartSvg(plot, size);
    if (kind == QLatin1String("csv"))
        return tableCsv(plot->table()).toUtf8();
    if (kind == QLatin1String("md"))
        return tableMarkdown(plot->table()).toUtf8();
    if (kind == QLatin1String("json"))
        return QByteArray::fromStdString(tableJson(plot->table()).dump(2) + '\n');
    if (kind == QLatin1String("wav")) {
        const std::vector<SoundLine> lines = soundLines(*plot);
        if (lines.empty())
            return Error{"no-lines", "This chart has no lines that could be heard.", plot->text().title.toStdString(),
                         "Use .png, .svg, .csv, .md or .json."};
        return soundWav(lines);
    }
    if (kind != QLatin1String("png"))
        return Error{"unknown-format", "A chart cannot be written as “" + suffix.toStdString() + "”.",
                     suffix.toStdString(), "Use .png, .svg, .csv, .md or .json."};
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!chartImage(plot, size).save(&buffer, "PNG"))
        return Error{"cannot-draw", "The chart could not be drawn.", plot->text().title.toStdString(),
                     "Check that assets/themes/light.json is there."};
    return buffer.data();
}

Result<void> writeChart(const std::shared_ptr<Plot>& plot, const QString& path, QSize size)
{
    auto bytes = chartBytes(plot, QFileInfo(path).suffix(), size);
    if (!bytes)
        return bytes.error();
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(*bytes) == bytes->size() && file.flush() &&
        file.commit()) // Qt 6.4's commit() does not look at what its own flush says
        return {};
    return Error{"cannot-write", "The chart could not be written: " + file.errorString().toStdString() + ".",
                 path.toStdString(), "Choose a folder you may write to."};
}

QMimeData* chartMime(const std::shared_ptr<Plot>& plot, QSize size)
{
    auto* mime = new QMimeData;
    const ChartTable table = plot->table();
    mime->setImageData(chartImage(plot, size));
    mime->setText(tableCsv(table));
    mime->setHtml(tableHtml(table));
    mime->setData(QStringLiteral("text/csv"), tableCsv(table).toUtf8());
    return mime;
}

QMimeData* chartDragMime(const std::shared_ptr<Plot>& plot, QSize size)
{
    QString name;
    for (const QChar c : plot->text().title.simplified().left(60))
        name += c.isLetterOrNumber() || c == QLatin1Char(' ') || c == QLatin1Char('-') ? c : QLatin1Char('_');
    QList<QUrl> files;
    if (const QString place = newDragFolder(); !place.isEmpty())
        for (const char* suffix : {"png", "svg", "csv"}) {
            const QString path =
                QStringLiteral("%1/%2.%3")
                    .arg(place, name.isEmpty() ? QStringLiteral("chart") : name, QLatin1String(suffix));
            if (writeChart(plot, path, size))
                files << QUrl::fromLocalFile(path);
        }
    QMimeData* mime = chartMime(plot, size);
    if (!files.isEmpty())
        mime->setUrls(files);
    return mime;
}

} // namespace ridge::app
