// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/pdf.h"

#include "base/json.h"
#include "portfolio/html_markup.h"
#include "portfolio/pdf_text.h"

#include <QBuffer>
#include <QGuiApplication>
#include <QPainter>
#include <QPainterPath>
#include <QPdfWriter>
#include <QTextDocument>

namespace ridge::folio {
namespace {

constexpr int kDpi = 600;

QString s(const std::string& text)
{
    return QString::fromStdString(text);
}

QPointF point(const Spot& spot)
{
    return {spot.x, spot.y};
}

void paintWords(QPainter& painter, const Shape& shape, const QColor& color)
{
    QFont font(QStringList{QStringLiteral("Inter"), QStringLiteral("Helvetica"), QStringLiteral("Arial")}.first());
    font.setFamilies({QStringLiteral("Inter"), QStringLiteral("Helvetica"), QStringLiteral("Arial")});
    font.setPixelSize(static_cast<int>(shape.size));
    font.setWeight(shape.strong ? QFont::DemiBold : QFont::Normal);
    painter.save();
    painter.setFont(font);
    painter.setPen(color);
    painter.translate(point(shape.spots.front()));
    painter.rotate(shape.turn);
    const QString text = s(shape.text);
    const double width = QFontMetricsF(font, painter.device()).horizontalAdvance(text);
    const double left = shape.anchor == Shape::Start ? 0 : shape.anchor == Shape::Middle ? -width / 2 : -width;
    painter.drawText(QPointF(left, 0), text);
    painter.restore();
}

void paintMark(QPainter& painter, const Shape& shape, const QColor& color, const QColor& surface)
{
    QPen pen(color, shape.width);
    if (!shape.dash.empty()) {
        QList<qreal> lengths(shape.dash.begin(), shape.dash.end());
        for (qreal& length : lengths)
            length /= shape.width;
        pen.setDashPattern(lengths);
        pen.setCapStyle(Qt::FlatCap);
    }
    painter.setPen(pen);
    painter.setBrush(shape.filled ? color : surface);
    const QPointF at = point(shape.spots.front());
    const double half = shape.size / 2;
    if (shape.kind == Shape::Dot)
        return painter.drawEllipse(at, half, half);
    if (shape.kind == Shape::Square)
        return painter.drawRect(QRectF(at.x() - half, at.y() - half, shape.size, shape.size));
    painter.drawPolygon(
        QPolygonF({at - QPointF(0, half), at + QPointF(half, 0), at + QPointF(0, half), at - QPointF(half, 0)}));
}

std::string xmp(const PortfolioDocument& document)
{
    const std::string author = document.author.empty() ? std::string()
                                                       : "<dc:creator><rdf:Seq><rdf:li>" + escaped(document.author) +
                                                             "</rdf:li></rdf:Seq></dc:creator>";
    return "<?xpacket begin=\"\xEF\xBB\xBF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
           "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
           "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">"
           "<dc:format>application/pdf</dc:format><dc:language><rdf:Bag><rdf:li>en</rdf:li></rdf:Bag></dc:language>"
           "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">" +
           escaped(document.title) + "</rdf:li></rdf:Alt></dc:title>" + author +
           "</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>\n";
}

/// Qt writes the moment into the file, with the time zone. Digits are replaced by as many, so that no offset moves.
void coarsenTimes(QByteArray& pdf)
{
    for (const char* key : {"/CreationDate", "/ModDate"})
        for (qsizetype at = pdf.indexOf(key); at >= 0; at = pdf.indexOf(key, at + 1)) {
            const qsizetype open = pdf.indexOf("(D:", at);
            const qsizetype close = pdf.indexOf(')', at);
            if (open < 0 || close < open || close - at > 80)
                continue;
            const QByteArray rest("01000000Z00'00'");
            // (D:YYYYMM stays; the day becomes the first, the time zero, the zone UTC.
            for (qsizetype i = open + 9, j = 0; i < close; ++i, ++j)
                pdf[i] = j < rest.size() && (pdf[i] != '\'')
                             ? (std::isdigit(static_cast<unsigned char>(pdf[i])) ? (j == 1 ? '1' : '0')
                                                                                 : (pdf[i] == 'Z' ? 'Z' : '+'))
                             : pdf[i];
        }
}

} // namespace

void paint(QPainter& painter, const Picture& picture, const Style& style)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const auto color = [&style](Ink ink) { return QColor(s(style.light.at(roleOf(ink)))); };
    for (const Shape& shape : picture.shapes) {
        if (shape.spots.empty())
            continue;
        if (shape.kind == Shape::Words) {
            paintWords(painter, shape, color(shape.ink));
        } else if (shape.kind == Shape::Line || shape.kind == Shape::Area) {
            QPolygonF polygon;
            for (const Spot& spot : shape.spots)
                polygon << point(spot);
            QPen pen(color(shape.ink), shape.width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
            if (!shape.dash.empty()) {
                QList<qreal> dash;
                for (double length : shape.dash)
                    dash << length / shape.width;
                pen.setDashPattern(dash);
            }
            painter.setPen(shape.kind == Shape::Line ? pen : QPen(Qt::NoPen));
            painter.setBrush(shape.kind == Shape::Line ? QBrush(Qt::NoBrush) : QBrush(color(shape.ink)));
            if (shape.kind == Shape::Line)
                painter.drawPolyline(polygon);
            else
                painter.drawPolygon(polygon);
        } else {
            paintMark(painter, shape, color(shape.ink), color(Ink::Surface));
        }
    }
    painter.restore();
}

std::string portfolioPdf(const PortfolioDocument& document, const Style& style, const std::string& manifest,
                         const std::function<void(int page, int all)>& progress)
{
    if (progress)
        progress(0, 0);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(kDpi);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(QMarginsF(18, 16, 18, 18), QPageLayout::Millimeter);
        writer.setTitle(s(document.title));
        writer.setCreator(QStringLiteral("Ridgepoint " RIDGE_VERSION));
        writer.setDocumentXmpMetadata(QByteArray::fromStdString(xmp(document)));
        writer.addFileAttachment(QStringLiteral("manifest.json"), QByteArray::fromStdString(manifest),
                                 QStringLiteral("application/json"));
        const double unit = kDpi / 96.0;
        const QSizeF page(writer.width(), writer.height());
        QTextDocument text;
        const double footer = 30 * unit;
        text.setPageSize(QSizeF(page.width(), page.height() - footer));
        fillDocument(text, document, style, writer, unit);

        QPainter painter(&writer);
        QFont font;
        font.setFamilies({QStringLiteral("Inter"), QStringLiteral("Helvetica"), QStringLiteral("Arial")});
        font.setPointSizeF(8);
        for (int n = 0; n < text.pageCount(); ++n) {
            if (progress)
                progress(n, text.pageCount());
            if (n > 0)
                writer.newPage();
            painter.save();
            painter.translate(0, -n * text.pageSize().height());
            text.drawContents(&painter, QRectF(QPointF(0, n * text.pageSize().height()), text.pageSize()));
            painter.restore();
            painter.setFont(font);
            painter.setPen(QColor(s(style.light.at("text2"))));
            const QRectF foot(0, page.height() - footer * 0.6, page.width(), footer * 0.6);
            const QString title =
                QFontMetricsF(font, &writer).elidedText(s(document.title), Qt::ElideRight, page.width() * 0.8);
            painter.drawText(foot, Qt::AlignLeft | Qt::AlignBottom, title);
            painter.drawText(foot, Qt::AlignRight | Qt::AlignBottom,
                             QStringLiteral("%1 / %2").arg(n + 1).arg(text.pageCount()));
        }
    }
    if (!document.shown.contains(Detail::Times))
        coarsenTimes(bytes);
    return bytes.toStdString();
}

std::unique_ptr<QCoreApplication> headlessApplication(int& argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    return std::make_unique<QGuiApplication>(argc, argv);
}

} // namespace ridge::folio
