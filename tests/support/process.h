// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>

namespace ridge::test {

struct Outcome {
    bool started = false;
    bool ended = false; ///< within the time
    int exitCode = -1;
    bool crashed = false;
    QByteArray out, err;
};

using Environment = QList<std::pair<QString, QString>>;

inline QString binary(const QString& name)
{
    return qEnvironmentVariable("RIDGE_BIN") + QLatin1Char('/') + name;
}

inline QProcessEnvironment environmentWith(const Environment& extra)
{
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const auto& [name, value] : extra)
        environment.insert(name, value);
    return environment;
}

/// Runs one of our programs to its end.
inline Outcome runProgram(const QString& name, const QStringList& arguments, const Environment& extra = {},
                          const QByteArray& input = {}, int timeoutMs = 60000)
{
    QProcess process;
    process.setProcessEnvironment(environmentWith(extra));
    process.start(binary(name), arguments);
    Outcome outcome;
    outcome.started = process.waitForStarted();
    if (!outcome.started)
        return outcome;
    process.write(input);
    process.closeWriteChannel();
    outcome.ended = process.waitForFinished(timeoutMs);
    if (!outcome.ended) {
        process.kill();
        process.waitForFinished();
    }
    outcome.exitCode = process.exitCode();
    outcome.crashed = process.exitStatus() == QProcess::CrashExit;
    outcome.out = process.readAllStandardOutput();
    outcome.err = process.readAllStandardError();
    return outcome;
}

} // namespace ridge::test
