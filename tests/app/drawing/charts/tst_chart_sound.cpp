// SPDX-License-Identifier: GPL-3.0-or-later
// Line charts as sound: which tones, the file they become, and a player that is there, is not, or fails.
#include "app/drawing/charts/chart_export.h"
#include "app/drawing/charts/chart_sound.h"
#include "app/drawing/charts/figure_plot.h"
#include "app/drawing/charts/plot_chart.h"
#include "app/drawing/charts/rows_plot.h"
#include "app/drawing/charts/sweep_plot.h"

#include <QAction>
#include <QFile>
#include <QMenu>
#include <QTemporaryDir>
#include <QtEndian>
#include <QtTest>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

SweepChartData twoLines()
{
    SweepChartData data;
    data.title = s("Sectors over stride");
    data.xScale = ParamScale::Log2;
    data.yScale = ParamScale::Log2;
    data.series = {{s("reads"), Provenance::Simulated, {{4, 16, {}}, {1, 4, {}}, {2, 8, {}}}},
                   {s("writes"), Provenance::Simulated, {{1, 4, {}}, {2, 4, {}}}}};
    return data;
}

template<class Number>
Number numberAt(const QByteArray& bytes, int at)
{
    return qFromLittleEndian<Number>(bytes.constData() + at);
}

/// How often the wave rises through zero in a stretch of samples, a second: its frequency.
double frequency(const QByteArray& wav, int from, int count)
{
    int rises = 0;
    for (int i = from + 1; i < from + count; ++i)
        rises += numberAt<qint16>(wav, 44 + 2 * (i - 1)) < 0 && numberAt<qint16>(wav, 44 + 2 * i) >= 0;
    return rises * 44100.0 / count;
}

/// A folder that is all of PATH, with a player that does what the script says.
struct Players {
    QTemporaryDir folder;
    QByteArray path = qgetenv("PATH");
    explicit Players(const char* script = nullptr)
    {
        if (script) {
            QFile file(folder.filePath(s("aplay")));
            if (!file.open(QIODevice::WriteOnly))
                qFatal("no player");
            file.write(QByteArray("#!/bin/sh\n") + script + "\n");
            file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        }
        qputenv("PATH", folder.path().toLocal8Bit());
    }
    ~Players() { qputenv("PATH", path); }
};

} // namespace

class TestChartSound : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void linesAreHeardFromLeftToRight()
    {
        const SweepPlot plot(twoLines());
        const auto lines = soundLines(plot);
        QCOMPARE(lines.size(), std::size_t(2));
        QCOMPARE(lines[0].name, s("reads"));
        QCOMPARE(lines[0].heights.size(), std::size_t(3));
        QVERIFY(lines[0].heights[0] < lines[0].heights[1] && lines[0].heights[1] < lines[0].heights[2]);
        // Doubling is the same interval wherever it happens on a logarithmic axis.
        const auto step = [&](int i) {
            return soundPitch(lines[0].heights[std::size_t(i) + 1]) / soundPitch(lines[0].heights[std::size_t(i)]);
        };
        QVERIFY(std::abs(step(0) - step(1)) < 1e-9);
        QCOMPARE(lines[1].heights[0], lines[1].heights[1]);
        QCOMPARE(lines[1].heights[0], lines[0].heights[0]); // one scale for all lines of a chart
        QVERIFY(soundSentence(lines).contains(s("reads, writes")));
        QCOMPARE(soundPitch(0), 220.0);
        QCOMPARE(soundPitch(1), 880.0);
    }

    void manyPointsBecomeAnEvenChoice()
    {
        SweepChartData data = twoLines();
        data.series.resize(1);
        data.series[0].points.clear();
        for (int i = 1; i <= 100000; ++i)
            data.series[0].points.push_back({double(i), double(i), {}});
        const auto lines = soundLines(SweepPlot(data));
        QCOMPARE(lines[0].heights.size(), std::size_t(40));
        QVERIFY(std::ranges::is_sorted(lines[0].heights));
        QVERIFY(soundWav(lines).size() < 1000000);
    }

    void whatHasNoLinesIsSilent()
    {
        QVERIFY(soundLines(SweepPlot(SweepChartData{})).empty());
        RowsData rows;
        rows.rows = {{s("a"), 1.0, {}, {}, {}, {}, Role::Series1, false}};
        QVERIFY(soundLines(RowsPlot(rows)).empty());
        FigureData figure;
        figure.lines = {{s("roof"), Role::Text, 2, false, {{1, 1}, {8, 8}}, {}, false}};
        figure.axes.x.scale = figure.axes.y.scale = makeDecades({1, 10});
        const auto lines = soundLines(FigurePlot(figure));
        QCOMPARE(lines.size(), std::size_t(1));
        QCOMPARE(lines[0].name, s("roof"));
    }

    void theFileIsPlainWav()
    {
        const std::vector<SoundLine> lines = {{s("a"), {0, 1}}, {s("b"), {0.5}}};
        const QByteArray wav = soundWav(lines);
        QVERIFY(wav.startsWith("RIFF"));
        QCOMPARE(wav.mid(8, 8), QByteArray("WAVEfmt "));
        QCOMPARE(numberAt<quint32>(wav, 4), quint32(wav.size() - 8));
        QCOMPARE(numberAt<quint16>(wav, 22), quint16(1));
        QCOMPARE(numberAt<quint32>(wav, 24), quint32(44100));
        QCOMPARE(numberAt<quint32>(wav, 40), quint32(wav.size() - 44));
        const int tone = 44100 * 18 / 100, pause = 44100 * 45 / 100;
        QCOMPARE((wav.size() - 44) / 2, qsizetype(3 * tone + pause));
        QVERIFY(std::abs(frequency(wav, 0, tone) - 220) < 8);
        QVERIFY(std::abs(frequency(wav, tone, tone) - 880) < 8);
        QCOMPARE(frequency(wav, 2 * tone, pause), 0.0);
        QVERIFY(std::abs(frequency(wav, 2 * tone + pause, tone) - 440) < 8);
        QCOMPARE(numberAt<qint16>(wav, 44), qint16(0)); // no click at either end
        QCOMPARE(numberAt<qint16>(wav, int(wav.size()) - 2), qint16(0));
    }

    void exportedLikeAnyOtherFile()
    {
        QTemporaryDir folder;
        const auto plot = std::make_shared<SweepPlot>(twoLines());
        const QString path = folder.filePath(s("chart.wav"));
        QVERIFY(writeChart(plot, path, {680, 360}).ok());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), soundWav(soundLines(*plot)));
        const auto silent = chartBytes(std::make_shared<RowsPlot>(RowsData{}), s("wav"), {680, 360});
        QVERIFY(!silent.ok());
        QCOMPARE(silent.error().code, std::string("no-lines"));
    }

    void soundsOnlyWhenAskedAndSaysWhyNot()
    {
        QObject owner;
        std::vector<Result<void>> ends;
        const auto note = [&](const Result<void>& end) { ends.push_back(end); };
        const QByteArray wav = soundWav({{s("a"), {0}}});
        {
            const Players none;
            playWav(&owner, wav, note);
            QCOMPARE(ends.size(), std::size_t(1));
            QCOMPARE(ends[0].error().code, std::string("no-player"));
        }
        {
            const Players broken("echo 'cannot find card 0' >&2; exit 1");
            playWav(&owner, wav, note);
            QTRY_COMPARE(ends.size(), std::size_t(2));
            QCOMPARE(ends[1].error().code, std::string("no-sound"));
            QVERIFY(ends[1].error().message.find("cannot find card 0") != std::string::npos);
        }
        {
            const Players sound("test \"$(head -c 4 \"$1\")\" = RIFF");
            qputenv("PATH", qgetenv("PATH") + ":" + sound.path); // the script needs head
            playWav(&owner, wav, note);
            QTRY_COMPARE(ends.size(), std::size_t(3));
            QVERIFY2(ends[2].ok(), ends[2].ok() ? "" : ends[2].error().message.c_str());
        }
    }

    void theMenuOffersItForLines()
    {
        Theme theme;
        QVERIFY(theme.load(s("light")).ok());
        PlotChart chart(theme);
        const auto action = [&](const char* name) { return chart.findChild<QMenu*>()->findChild<QAction*>(s(name)); };
        const auto offered = [&](const char* name) {
            Q_EMIT chart.findChild<QMenu*>()->aboutToShow();
            return action(name) && action(name)->isEnabled();
        };
        QVERIFY(!offered("playSound"));
        chart.setPlot(std::make_shared<SweepPlot>(twoLines()));
        QVERIFY(offered("playSound"));
        QVERIFY(offered("exportwav"));
        chart.setPlot(std::make_shared<RowsPlot>(RowsData{}));
        QVERIFY(!offered("playSound"));
        QVERIFY(!offered("exportwav"));
    }
};

QTEST_MAIN(TestChartSound)
#include "tst_chart_sound.moc"
