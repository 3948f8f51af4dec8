// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/chart_sound.h"

#include "app/drawing/charts/figure_plot.h"
#include "app/drawing/charts/sweep_plot.h"

#include <QCoreApplication>
#include <QDir>
#include <QPointer>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryFile>
#include <QtEndian>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace ridge::app {
namespace {

constexpr int kRate = 44100;
constexpr double kToneSeconds = 0.18, kPauseSeconds = 0.45;
constexpr double kRampSeconds = 0.012; ///< a tone that begins at once clicks
constexpr double kLoudness = 0.35;
constexpr double kLowest = 220, kOctaves = 2;
constexpr std::size_t kMostTones = 40; ///< a line: what can be listened to

template<class Points>
SoundLine lineOf(const QString& name, const Points& points, const PlotAxes& axes)
{
    SoundLine line{name, {}};
    for (const auto& [x, y] : points)
        if (axes.x.scale.accepts(x) && axes.y.scale.accepts(y))
            line.heights.push_back(std::clamp(axes.y.scale.fraction(y), 0.0, 1.0));
    if (const std::size_t all = line.heights.size(); all > kMostTones) {
        std::vector<double> chosen;
        for (std::size_t i = 0; i < kMostTones; ++i)
            chosen.push_back(line.heights[i * (all - 1) / (kMostTones - 1)]);
        line.heights = std::move(chosen);
    }
    return line;
}

void addTone(std::vector<qint16>& samples, double pitch)
{
    const int count = int(kToneSeconds * kRate), ramp = int(kRampSeconds * kRate);
    for (int i = 0; i < count; ++i) {
        const double edge = std::min({1.0, double(i) / ramp, double(count - 1 - i) / ramp});
        const double wave = std::sin(2 * std::numbers::pi * pitch * i / kRate);
        samples.push_back(qint16(std::lround(kLoudness * 32767 * edge * wave)));
    }
}

template<class Number>
void append(QByteArray& bytes, Number value)
{
    const Number little = qToLittleEndian(value);
    bytes.append(reinterpret_cast<const char*>(&little), sizeof little);
}

QString findPlayer()
{
    for (const char* name : {"pw-play", "paplay", "aplay"})
        if (const QString found = QStandardPaths::findExecutable(QString::fromLatin1(name)); !found.isEmpty())
            return found;
    return {};
}

} // namespace

std::vector<SoundLine> soundLines(const Plot& plot)
{
    std::vector<SoundLine> lines;
    if (plot.empty())
        return lines;
    const PlotAxes axes = plot.axes();
    if (const auto* sweep = dynamic_cast<const SweepPlot*>(&plot)) {
        for (const ChartSeries& series : sweep->data().series) {
            QList<QPointF> points;
            for (const ChartSeries::Point& point : series.points)
                points.emplace_back(point.x, point.y);
            std::ranges::sort(points, {}, [](const QPointF& point) { return point.x(); });
            lines.push_back(lineOf(series.name, points, axes));
        }
    } else if (const auto* figure = dynamic_cast<const FigurePlot*>(&plot)) {
        for (const FigureLine& line : figure->data().lines)
            lines.push_back(lineOf(line.name, line.points, axes));
    }
    std::erase_if(lines, [](const SoundLine& line) { return line.heights.empty(); });
    return lines;
}

double soundPitch(double height)
{
    return kLowest * std::exp2(kOctaves * height);
}

QByteArray soundWav(const std::vector<SoundLine>& lines)
{
    std::vector<qint16> samples;
    for (const SoundLine& line : lines) {
        if (!samples.empty())
            samples.insert(samples.end(), std::size_t(kPauseSeconds * kRate), 0);
        for (const double height : line.heights)
            addTone(samples, soundPitch(height));
    }
    const auto size = quint32(samples.size() * sizeof(qint16));
    QByteArray wav("RIFF");
    append<quint32>(wav, 36 + size);
    wav += "WAVEfmt ";
    append<quint32>(wav, 16);
    append<quint16>(wav, 1); // PCM
    append<quint16>(wav, 1); // one channel
    append<quint32>(wav, kRate);
    append<quint32>(wav, kRate * sizeof(qint16));
    append<quint16>(wav, sizeof(qint16));
    append<quint16>(wav, 8 * sizeof(qint16));
    wav += "data";
    append<quint32>(wav, size);
    for (const qint16 sample : samples)
        append(wav, sample);
    return wav;
}

QString soundSentence(const std::vector<SoundLine>& lines)
{
    QStringList names;
    for (const SoundLine& line : lines)
        names << (line.name.isEmpty() ? QCoreApplication::translate("ChartSound", "a line without a name") : line.name);
    if (lines.size() == 1)
        return QCoreApplication::translate("ChartSound", "One line from left to right, higher is more: %1")
            .arg(names.constFirst());
    return QCoreApplication::translate("ChartSound",
                                       "%1 lines from left to right, one after the other, higher is more: %2")
        .arg(lines.size())
        .arg(names.join(QStringLiteral(", ")));
}

void playWav(QObject* owner, const QByteArray& wav, std::function<void(const Result<void>&)> done)
{
    static const QString kName = QStringLiteral("chartSound");
    for (QProcess* earlier : owner->findChildren<QProcess*>(kName)) {
        earlier->disconnect();
        earlier->kill();
        earlier->deleteLater();
    }
    const QString player = findPlayer();
    if (player.isEmpty())
        return done(Error{"no-player", "No player for sounds was found.", "PATH",
                          "Install pipewire-bin, pulseaudio-utils or alsa-utils, or export the chart as WAV."});
    auto* process = new QProcess(owner);
    process->setObjectName(kName);
    auto* file = new QTemporaryFile(QDir::tempPath() + QStringLiteral("/ridgepoint-chart-XXXXXX.wav"), process);
    if (!file->open() || file->write(wav) != wav.size() || !file->flush()) {
        process->deleteLater();
        return done(Error{"cannot-write", "The sound could not be written: " + file->errorString().toStdString() + ".",
                          QDir::tempPath().toStdString(), "Make room there, or export the chart as WAV."});
    }
    const auto ended = [process, player, done](bool well) {
        const QString said = QString::fromLocal8Bit(process->readAllStandardError()).simplified().left(200);
        process->disconnect();
        process->deleteLater();
        if (well)
            return done({});
        done(Error{"no-sound", "The player could not play it" + (said.isEmpty() ? "." : ": " + said.toStdString()),
                   player.toStdString(), "Look whether this machine has an audio device, or export the chart as WAV."});
    };
    QObject::connect(process, &QProcess::finished, owner, [ended](int code, QProcess::ExitStatus status) {
        ended(status == QProcess::NormalExit && code == 0);
    });
    QObject::connect(process, &QProcess::errorOccurred, owner, [ended](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            ended(false);
    });
    process->start(player, {file->fileName()});
}

} // namespace ridge::app
