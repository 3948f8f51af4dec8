// SPDX-License-Identifier: GPL-3.0-or-later
// How charts leave the program: every format of every kind, and the clipboard.
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/chart_export.h"
#include "app/drawing/charts/plot_chart.h"
#include "app/drawing/charts/sweep_plot.h"
#include "plots.h"

#include <QRegularExpression>
#include <QSvgRenderer>
#include <QtTest>
#include <QtWidgets>

using namespace ridge;
using namespace ridge::app;
using plots::s;

namespace {

std::vector<std::shared_ptr<Plot>> all()
{
    SweepChartData sweep;
    sweep.title = s("Sectors");
    sweep.xTitle = s("stride");
    sweep.yTitle = s("sectors");
    sweep.yUnit = s("sectors/request");
    sweep.series = {{s("a | b"), Provenance::Simulated, {{1, 4, {}}, {2, 8, {}}}}};
    sweep.origin = plots::origin(2);
    sweep.caption = originText(sweep.origin);
    auto samples = std::make_shared<MinMaxPyramid>();
    samples->append(plots::power(3000));
    return {std::make_shared<SweepPlot>(sweep),
            std::make_shared<RooflinePlot>(plots::roofline()),
            std::make_shared<LadderPlot>(plots::ladder()),
            std::make_shared<HeatMapPlot>(plots::heatMap()),
            std::make_shared<HistogramPlot>(plots::histogram()),
            std::make_shared<CostPlot>(plots::cost()),
            std::make_shared<GanttPlot>(plots::gantt()),
            std::make_shared<TracePlot>(plots::traceInfo(), samples)};
}

/// The fields of a line of CSV without line breaks in them.
QStringList fields(const QString& line)
{
    QStringList list = {{}};
    bool quoted = false;
    for (const QChar c : line)
        if (c == QLatin1Char('"'))
            quoted = !quoted;
        else if (c == QLatin1Char(',') && !quoted)
            list << QString();
        else
            list.last() += c;
    return list;
}

} // namespace

class ChartExportTest : public QObject {
    Q_OBJECT
    Theme m_theme;

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_theme.load(QStringLiteral("dark")).ok()); }

    /// A run ends, and the page with the chart is made anew.
    void aChartMayGoWhileItsExportIsAskedFor()
    {
        auto chart = std::make_unique<PlotChart>(m_theme);
        chart->setPlot(all().front());
        chart->show();
        QTimer::singleShot(50, this, [&chart] { chart.reset(); });
        chart->findChild<QAction*>(s("exportsvg"))->trigger();
        QTRY_VERIFY(!chart);
        QVERIFY(!QApplication::activeModalWidget());
    }

    void csvHasEveryNumberExactly()
    {
        for (const auto& plot : all()) {
            const ChartTable table = plot->table();
            const QStringList lines = tableCsv(table).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
            QCOMPARE(lines.size(), static_cast<qsizetype>(table.rows.size()) + 1);
            const QStringList head = fields(lines.front());
            QCOMPARE(head.mid(head.size() - 4), (QStringList{s("target"), s("n"), s("verdict"), s("fingerprint")}));
            for (std::size_t row = 0; row < table.rows.size(); ++row) {
                const QStringList cells = fields(lines[static_cast<qsizetype>(row) + 1]);
                QCOMPARE(cells.size(), head.size());
                for (std::size_t column = 0; column < table.columns.size(); ++column)
                    if (const double* number = std::get_if<double>(&table.rows[row][column]))
                        QCOMPARE(cells[static_cast<qsizetype>(column)].toDouble(), *number);
                QCOMPARE(cells[cells.size() - 3], QString::number(table.origin.n));
                QVERIFY(cells.last().contains(s("simulated h100-sxm")));
            }
        }
    }

    void jsonHasUnitsProvenanceAndFingerprint()
    {
        for (const auto& plot : all()) {
            const auto bytes = chartBytes(plot, s("json"), {640, 400});
            QVERIFY(bytes.ok());
            const Json json = Json::parse(bytes->toStdString());
            const ChartTable table = plot->table();
            QCOMPARE(json["rows"].size(), table.rows.size());
            QCOMPARE(json["columns"].size(), table.columns.size());
            QCOMPARE(json["origin"]["n"].get<std::size_t>(), table.origin.n);
            QCOMPARE(json["origin"]["fingerprint"].dump(), table.origin.fingerprint->dump());
            QVERIFY(json["summary"].get<std::string>().size() > 20);
            bool provenance = false, unit = false;
            for (const auto& column : json["columns"]) {
                provenance = provenance || column["name"] == "provenance";
                unit = unit || !column["unit"].get<std::string>().empty();
            }
            QVERIFY2(provenance && unit, json["kind"].get<std::string>().c_str());
        }
    }

    void markdownIsATable()
    {
        for (const auto& plot : all()) {
            const QString text = tableMarkdown(plot->table());
            const QStringList lines = text.split(QLatin1Char('\n'));
            int rows = 0;
            qsizetype pipes = -1;
            static const QRegularExpression bare(s("(?<!\\\\)\\|"));
            for (const QString& line : lines)
                if (line.startsWith(QLatin1Char('|'))) {
                    const auto here = line.count(bare);
                    QVERIFY2(pipes < 0 || here == pipes, qPrintable(line));
                    pipes = here;
                    ++rows;
                }
            QCOMPARE(rows, static_cast<int>(plot->table().rows.size()) + 2);
            QVERIFY(text.contains(plot->summary()) && text.contains(s("Fingerprint: simulated h100-sxm")));
        }
    }

    void pngIsLightAndDouble()
    {
        Theme light(nullptr, Theme::Scope::Detached);
        QVERIFY(light.load(QStringLiteral("light")).ok());
        for (const auto& plot : all()) {
            const auto bytes = chartBytes(plot, s("PNG"), {640, 400});
            QVERIFY(bytes.ok());
            const QImage image = QImage::fromData(*bytes, "PNG");
            QCOMPARE(image.size(), QSize(1280, 800));
            QCOMPARE(image.pixelColor(2, 2), light.color(Role::Surface));
            QVERIFY(image.text(s("Description")).startsWith(plot->summary()));
            QVERIFY(image.text(s("Fingerprint")).contains(s("h100-sxm")));
        }
    }

    void svgKeepsTextAsText()
    {
        for (const auto& plot : all()) {
            const auto bytes = chartBytes(plot, s("svg"), {640, 400});
            QVERIFY(bytes.ok());
            QVERIFY2(bytes->contains("<text"), plot->table().kind.toUtf8());
            QSvgRenderer renderer(*bytes);
            QVERIFY(renderer.isValid());
            QCOMPARE(renderer.viewBox(), QRect(0, 0, 640, 400));
            // Cells are shapes: an image would be smoothed by whoever shows the file. Only the legend's ramp is one.
            QVERIFY2(bytes->count("<image") <= 1, plot->table().kind.toUtf8());
            static const QRegularExpression mask(s("<mask [^>]*patternUnits"));
            QVERIFY(!QString::fromUtf8(*bytes).contains(mask));
            QImage image(640, 400, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            renderer.render(&painter);
            painter.end();
            // It is whole: the caption stands in the last lines.
            int ink = 0;
            for (int y = 376; y < 396; ++y)
                for (int x = 8; x < 200; ++x)
                    ink += qGray(image.pixel(x, y)) < 160 ? 1 : 0;
            QVERIFY2(ink > 60 && ink < 1500, qPrintable(QString::number(ink)));
            if (const QString folder = qEnvironmentVariable("RIDGE_SHOTS"); !folder.isEmpty()) {
                image.save(folder + s("/svg_") + plot->table().kind + s(".png"));
                QFile file(folder + s("/chart_") + plot->table().kind + s(".svg"));
                QVERIFY(file.open(QIODevice::WriteOnly));
                QCOMPARE(file.write(*bytes), bytes->size());
            }
            // The title stands in a text element, and the document says what it shows.
            QXmlStreamReader reader(*bytes);
            QString words, title, description;
            while (!reader.atEnd()) {
                reader.readNext();
                if (reader.isStartElement() && reader.name() == QLatin1String("text"))
                    words += reader.readElementText(QXmlStreamReader::IncludeChildElements) + QLatin1Char('\n');
                else if (reader.isStartElement() && reader.name() == QLatin1String("title"))
                    title = reader.readElementText();
                else if (reader.isStartElement() && reader.name() == QLatin1String("desc"))
                    description = reader.readElementText();
            }
            QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
            QVERIFY2(words.contains(plot->text().title), qPrintable(words));
            QCOMPARE(title, plot->text().title);
            QVERIFY(description.startsWith(plot->summary()));
        }
    }

    void unknownFormatsAndFoldersAreRefused()
    {
        const auto plot = all().front();
        QVERIFY(!chartBytes(plot, s("bmp"), {640, 400}).ok());
        const auto written = writeChart(plot, s("/no/such/folder/x.csv"), {640, 400});
        QVERIFY(!written.ok());
        QCOMPARE(QString::fromStdString(written.error().code), s("cannot-write"));
        QTemporaryDir folder;
        for (const ChartFormat& format : chartFormats()) {
            const QString path = folder.filePath(s("x.") + format.suffix);
            QVERIFY(writeChart(plot, path, {640, 400}).ok());
            QVERIFY(QFileInfo(path).size() > 50);
        }
    }

    void copyPutsPictureAndNumbersOnTheClipboard()
    {
        for (const auto& plot : all()) {
            PlotChart chart(m_theme);
            chart.setPlot(plot);
            chart.resize(640, 400);
            chart.show();
            QVERIFY(QTest::qWaitForWindowActive(&chart));
            chart.setFocus();
            const Json before = chart.describe();
            QTest::keySequence(chart.canvas(), QKeySequence::Copy);
            const QMimeData* mime = QApplication::clipboard()->mimeData();
            QVERIFY(mime->hasImage() && mime->hasHtml());
            QCOMPARE(mime->text(), tableCsv(plot->table()));
            QVERIFY(mime->html().contains(s("<th>")));
            // Drawing it elsewhere has not moved anything here.
            QCOMPARE(chart.describe().dump(), before.dump());
        }
    }

    void everyFormatIsInTheMenu()
    {
        PlotChart chart(m_theme);
        chart.setPlot(all().front());
        QStringList names;
        for (const QAction* action : chart.actions())
            names << action->text();
        for (const ChartFormat& format : chartFormats())
            QVERIFY2(names.contains(s("Export %1…").arg(format.suffix.toUpper())), qPrintable(names.join(s(", "))));
    }

    void pulledChartsAreFiles()
    {
        for (const std::shared_ptr<Plot>& plot : all()) {
            const std::unique_ptr<QMimeData> mime(chartDragMime(plot, QSize(640, 400)));
            QCOMPARE(mime->text(), tableCsv(plot->table()));
            QVERIFY(mime->hasImage());
            QStringList suffixes;
            for (const QUrl& url : mime->urls()) {
                const QFileInfo file(url.toLocalFile());
                QFile bytes(file.filePath());
                QVERIFY2(bytes.open(QIODevice::ReadOnly), qPrintable(file.filePath()));
                const auto wanted = chartBytes(plot, file.suffix(), QSize(640, 400));
                QVERIFY(wanted);
                QCOMPARE(bytes.readAll(), *wanted);
                suffixes << file.suffix();
            }
            QCOMPARE(suffixes, (QStringList{s("png"), s("svg"), s("csv")}));
        }
        SweepChartData odd;
        odd.title = s("a/b: \"c\" ../d");
        odd.series = {{s("x"), Provenance::Simulated, {{1, 4, {}}}}};
        const std::unique_ptr<QMimeData> mime(chartDragMime(std::make_shared<SweepPlot>(odd), QSize(640, 400)));
        QCOMPARE(QFileInfo(mime->urls().at(0).toLocalFile()).fileName(), s("a_b_ _c_ ___d.png"));
    }

    /// From anywhere; a zoomed plot is moved instead, and a click pulls nothing.
    void picturesArePulled()
    {
        Theme theme(nullptr, Theme::Scope::Detached);
        QVERIFY(theme.load(s("light")).ok());
        ChartCanvas canvas(theme);
        canvas.resize(640, 400);
        canvas.setPlot(all().front());
        canvas.show();
        QSignalSpy pulled(&canvas, &ChartCanvas::dragWanted);
        const auto mouse = [&canvas](QEvent::Type type, QPointF at, Qt::MouseButtons buttons) {
            QMouseEvent event(type, at, canvas.viewport()->mapToGlobal(at),
                              type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton, buttons, Qt::NoModifier);
            QCoreApplication::sendEvent(canvas.viewport(), &event);
        };
        const QPointF middle = canvas.frame().plot.center(), away(0, QApplication::startDragDistance());
        const auto pull = [&](QPointF from) {
            pulled.clear();
            mouse(QEvent::MouseButtonPress, from, Qt::LeftButton);
            mouse(QEvent::MouseMove, from + away / 4, Qt::LeftButton);
            const bool early = !pulled.isEmpty();
            mouse(QEvent::MouseMove, from + away, Qt::LeftButton);
            mouse(QEvent::MouseMove, from + 2 * away, Qt::LeftButton);
            mouse(QEvent::MouseButtonRelease, from + 2 * away, Qt::NoButton);
            return early ? -1 : int(pulled.count());
        };
        QCOMPARE(pull(middle), 1);
        QCOMPARE(pull({20, 12}), 1); // the title
        mouse(QEvent::MouseMove, middle + 3 * away, Qt::NoButton);
        QCOMPARE(pulled.count(), 1);
        canvas.zoomBy(4, middle);
        QVERIFY(canvas.zoomed());
        QCOMPARE(pull(middle), 0);
        QCOMPARE(pull({20, 12}), 1);
    }
};

QTEST_MAIN(ChartExportTest)
#include "tst_chart_export.moc"
