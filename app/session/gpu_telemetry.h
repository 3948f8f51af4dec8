// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <memory>
#include <optional>

class QProcess;

namespace ridge::app {

/// What a GPU draws, how warm it is and how fast it runs, once a second from a `ridge-worker telemetry` of its own. No
/// process runs for other targets, nor while nobody looks. GUI thread.
class Telemetry : public QObject {
    Q_OBJECT
public:
    struct Reading {
        std::optional<double> watts, limitWatts, celsius, smClockHz;
        QStringList loweredBy; ///< what keeps the clock down: "power limit", "temperature" …
        bool operator==(const Reading&) const = default;
    };

    explicit Telemetry(QObject* parent = nullptr);
    ~Telemetry() override;

    /// A GPU that is available ("gpu:0"); anything else: nothing is watched.
    void watch(const QString& target);
    /// False while nobody can see it; what was read last is forgotten.
    void setSeen(bool seen);
    /// The newest; none before the first, for other targets, and where NVML is missing.
    const std::optional<Reading>& reading() const { return m_reading; }
    bool running() const { return m_process != nullptr; }
    bool ended() const { return m_ended; } ///< by itself: this GPU tells nothing

    /// Of one line of the worker; none for anything else.
    static std::optional<Reading> parse(const QByteArray& line);

Q_SIGNALS:
    void changed(); ///< only when a reading differs from the one before

private:
    void restart();
    void stop();
    void take(std::optional<Reading> reading);

    QString m_target;
    bool m_seen = false, m_ended = false;
    std::unique_ptr<QProcess> m_process;
    std::optional<Reading> m_reading;
};

} // namespace ridge::app
