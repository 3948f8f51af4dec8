// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QByteArray>
#include <QString>
#include <functional>
#include <vector>

class QObject;

namespace ridge::app {

class Plot;

/// A line of a chart as it is heard: from left to right, each point where it stands on the value axis.
struct SoundLine {
    QString name;
    std::vector<double> heights; ///< 0 at the bottom of the axis, 1 at its top
};

/// The lines of a plot over an x axis, in the order of its series; points that the axes cannot show are left out, and
/// of very many an even choice is taken. Empty where the plot is none of lines.
std::vector<SoundLine> soundLines(const Plot& plot);

/// Frequency of a height, in Hz: two octaves from 220 to 880, equal steps of the axis being equal intervals.
double soundPitch(double height);

/// The lines one after the other, a tone for each point and a pause between two lines: a WAV file, one channel of 16
/// bits at 44,100 samples a second. Made of sines by ourselves, so it has nobody else's licence.
QByteArray soundWav(const std::vector<SoundLine>& lines);

/// What is heard, in words: "2 lines, one after the other: …".
QString soundSentence(const std::vector<SoundLine>& lines);

/// Plays a WAV through a player of the system (pw-play, paplay or aplay, whichever is found first in PATH), and calls
/// `done` when it has ended. A sound that still plays for the same `owner` is stopped first; it also ends with the
/// owner. Errors: "no-player" (none is installed), "cannot-write", "no-sound" (the player says why: no device, for
/// one).
void playWav(QObject* owner, const QByteArray& wav, std::function<void(const Result<void>&)> done);

} // namespace ridge::app
