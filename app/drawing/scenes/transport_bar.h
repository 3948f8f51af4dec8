// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QWidget>

class QLabel;
class QSlider;
class QSpinBox;
class QToolButton;

namespace ridge::app {

/// Scrub slider over frames: "stride = 8 ———o——— 4 of 8".
class ScrubBar : public QWidget {
    Q_OBJECT
public:
    explicit ScrubBar(Theme& theme, QWidget* parent = nullptr);
    void setFrames(const QStringList& titles);
    void setFrame(int frame);

Q_SIGNALS:
    void frameChosen(int frame);

private:
    void restyle();

    Theme& m_theme;
    QStringList m_titles;
    QLabel* m_title = nullptr;
    QSlider* m_slider = nullptr;
    QLabel* m_position = nullptr;
};

/// Step back, play, step, speed, request picker and table toggle: the same in every scene.
class TransportBar : public QWidget {
    Q_OBJECT
public:
    explicit TransportBar(Theme& theme, QWidget* parent = nullptr);
    /// "Request 3 of 8"; hidden where there is only one.
    void setTracks(int count, int current, const QString& noun);
    void setZoomable(bool on);
    void setPlaying(bool on);
    void setTable(bool on);
    void setSpeed(int stepsPerSecond);
    /// `shown`: there is a picture; `moves`: and something to step through.
    void setRunnable(bool shown, bool moves);

Q_SIGNALS:
    void stepped(int delta);
    void playToggled();
    void speedChosen(int stepsPerSecond);
    void requestChosen(int request);
    void zoomed(double factor); ///< 0: show all
    void tableToggled(bool on);

private:
    QToolButton* button(const QString& name, const QString& tip);
    void restyle();

    Theme& m_theme;
    QToolButton* m_back = nullptr;
    QToolButton* m_play = nullptr;
    QToolButton* m_forward = nullptr;
    QToolButton* m_table = nullptr;
    QToolButton* m_zoomOut = nullptr;
    QToolButton* m_zoomIn = nullptr;
    QToolButton* m_zoomFit = nullptr;
    QSlider* m_speed = nullptr;
    QLabel* m_speedText = nullptr;
    QLabel* m_requestText = nullptr;
    QSpinBox* m_request = nullptr;
    bool m_playing = false;
};

} // namespace ridge::app
