// SPDX-License-Identifier: GPL-3.0-or-later
// The live figures of explore blocks as pictures: light and dark, at 1x and 2x, and with the largest text.
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/figure_plot.h"
#include "app/drawing/charts/plot_chart.h"
#include "app/drawing/scenes/scene_view.h"
#include "app/lesson/reader/blocks/explore_model.h"
#include "base/json.h"
#include "tests/golden/golden.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

std::int64_t whole(std::int64_t value)
{
    return value;
}

const std::vector<std::pair<const char*, ParamSet>>& figures()
{
    static const std::vector<std::pair<const char*, ParamSet>> all = {{"roofline", {}},
                                                                      {"generations", {}},
                                                                      {"latency", {}},
                                                                      {"transfer", {}},
                                                                      {"gpu_choice", {{"price_ratio", 2.0}}},
                                                                      {"crossover", {{"copies", std::string("yes")}}}};
    return all;
}

} // namespace

class TestExplorePictures : public QObject {
    Q_OBJECT
    Theme m_theme;

private Q_SLOTS:
    void init()
    {
        m_theme.setTextScale(1);
        QVERIFY(m_theme.load(s("light")).ok());
    }

    void pictures_data();
    void pictures();
    void largeText();
};

void TestExplorePictures::pictures_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("theme");
    QTest::addColumn<double>("scale");
    std::vector<const char*> names = {"occupancy"};
    for (const auto& picture : figures())
        names.push_back(picture.first);
    for (const char* name : names)
        for (const char* theme : {"light", "dark"})
            for (const int scale : {1, 2})
                QTest::addRow("%s %s %d", name, theme, scale) << s(name) << s(theme) << double(scale);
}

void TestExplorePictures::pictures()
{
    QFETCH(QString, name);
    QFETCH(QString, theme);
    QFETCH(double, scale);
    if (const QString why = golden::whyNotComparable(); !why.isEmpty())
        QSKIP(qPrintable(why));
    QVERIFY(m_theme.load(theme).ok());
    const QString file = s("explore_%1").arg(name);
    QImage image;
    if (name == QLatin1String("occupancy")) {
        const std::vector<SceneFrame> frames = {
            explore("occupancy", {{"registers", whole(48)}, {"shared_bytes", whole(20480)}})};
        const auto scene = makeScene(s("sm_limits"));
        const QSize size(760, 460);
        if (theme == QLatin1String("light") && scale == 1) {
            const QString wrong = golden::checkStructure(file, ridge::app::describe(scene->draw(frames, {}, size, 1)));
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
        image = renderScene(*scene, frames, {}, m_theme, size, scale);
    } else {
        const auto found = std::find_if(figures().begin(), figures().end(),
                                        [&](const auto& picture) { return s(picture.first) == name; });
        PlotChart chart(m_theme);
        chart.resize(760, int(exploreModel(found->first)->height));
        chart.setPlot(explorePlot(found->first, found->second));
        if (theme == QLatin1String("light") && scale == 1) {
            const QString wrong = golden::checkStructure(file, chart.describe());
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
        image = chart.renderImage(chart.size(), scale);
    }
    const QString wrong = golden::checkImage(s("%1_%2_%3x").arg(file, theme).arg(scale), image);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

/// At 200 % no label leaves the picture.
void TestExplorePictures::largeText()
{
    m_theme.setTextScale(2);
    for (const auto& [name, set] : figures()) {
        PlotChart chart(m_theme);
        chart.setPlot(explorePlot(name, set));
        const QSize size(760, int(std::max(exploreModel(name)->height, chart.plot()->heightFor(m_theme, 760))));
        chart.resize(size);
        const QImage image = chart.renderImage(size, 1);
        if (const QString folder = qEnvironmentVariable("RIDGE_SHOTS"); !folder.isEmpty())
            image.save(s("%1/explore_%2_200.png").arg(folder, s(name)));
        ChartCanvas canvas(m_theme);
        canvas.setPlot(chart.plot());
        (void)canvas.image(size, 1);
        QVERIFY2(canvas.frame().plot.width() > 160 && canvas.frame().plot.height() > 80, name);
        const auto* figure = dynamic_cast<const FigurePlot*>(chart.plot().get());
        if (figure)
            for (const auto& mark : figure->describe()["marks"])
                if (mark["label"].is_array())
                    QVERIFY2(mark["label"][0] >= 0 && int(mark["label"][0]) + int(mark["label"][2]) <= size.width(),
                             name);
    }
}

QTEST_MAIN(TestExplorePictures)
#include "tst_explore_pictures.moc"
