// SPDX-License-Identifier: GPL-3.0-or-later
// Every kind of chart as a picture: light and dark, at 1× and 2×, and with large text in a small window.
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/plot_chart.h"
#include "base/json.h"
#include "plots.h"
#include "tests/golden/golden.h"

#include <QtTest>
#include <QtWidgets>

using namespace ridge;
using namespace ridge::app;

namespace {

std::shared_ptr<Plot> make(const QString& name)
{
    if (name == QLatin1String("roofline"))
        return std::make_shared<RooflinePlot>(plots::roofline());
    if (name == QLatin1String("ladder"))
        return std::make_shared<LadderPlot>(plots::ladder());
    if (name == QLatin1String("heat_map"))
        return std::make_shared<HeatMapPlot>(plots::heatMap());
    if (name == QLatin1String("heat_map_dense"))
        return std::make_shared<HeatMapPlot>(plots::heatMap(64, 40));
    if (name == QLatin1String("histogram"))
        return std::make_shared<HistogramPlot>(plots::histogram());
    if (name == QLatin1String("cost"))
        return std::make_shared<CostPlot>(plots::cost());
    if (name == QLatin1String("warp_states"))
        return std::make_shared<CostPlot>(plots::warpStates());
    if (name == QLatin1String("gantt"))
        return std::make_shared<GanttPlot>(plots::gantt());
    auto samples = std::make_shared<MinMaxPyramid>();
    samples->append(plots::power(1'000'000));
    return std::make_shared<TracePlot>(plots::traceInfo(), samples);
}

} // namespace

class PlotPictures : public QObject {
    Q_OBJECT
    Theme m_theme;

private Q_SLOTS:
    void init()
    {
        m_theme.setTextScale(1);
        QVERIFY(m_theme.load(QStringLiteral("light")).ok());
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<double>("scale");
        for (const char* name :
             {"roofline", "ladder", "heat_map", "heat_map_dense", "histogram", "cost", "warp_states", "gantt", "trace"})
            for (const char* theme : {"light", "dark"})
                for (const int scale : {1, 2})
                    QTest::addRow("%s %s %d", name, theme, scale)
                        << QString::fromLatin1(name) << QString::fromLatin1(theme) << static_cast<double>(scale);
    }
    void pictures()
    {
        QFETCH(QString, name);
        QFETCH(QString, theme);
        QFETCH(double, scale);
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QVERIFY(m_theme.load(theme).ok());
        PlotChart chart(m_theme);
        chart.setPlot(make(name));
        if (theme == QLatin1String("light") && scale == 1) {
            (void)chart.canvas()->image({680, 400}, 1); // where everything stands in the picture
            Json json = chart.describe();
            if (json["rows"].size() > 100) // of the dense ones that there are as many
                json["rows"] = json["rows"].size();
            const QString other = golden::checkStructure(QStringLiteral("plot_") + name, json);
            QVERIFY2(other.isEmpty(), qPrintable(other));
        }
        const QString wrong = golden::checkImage(QStringLiteral("plot_%1_%2_%3x").arg(name, theme).arg(scale),
                                                 chart.renderImage({680, 400}, scale));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// The largest text in the smallest useful window: nothing leaves the picture, the plot keeps a readable size.
    void largeTextInASmallWindow_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"roofline", "ladder", "heat_map", "histogram", "cost", "warp_states", "gantt", "trace"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void largeTextInASmallWindow()
    {
        QFETCH(QString, name);
        m_theme.setTextScale(2);
        PlotChart chart(m_theme);
        chart.resize(760, 560);
        chart.setPlot(make(name));
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        const QRectF plot = chart.canvas()->frame().plot;
        QVERIFY2(plot.width() > 200 && plot.height() > 120,
                 qPrintable(QStringLiteral("%1 × %2").arg(plot.width()).arg(plot.height())));
        QVERIFY(QRectF(chart.rect()).contains(plot));
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        const QString wrong = golden::checkImage(QStringLiteral("plot_%1_text200").arg(name), chart.grab().toImage());
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(PlotPictures)
#include "tst_plot_pictures.moc"
