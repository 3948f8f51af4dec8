// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtTest>

/// A header of the CUDA toolkit ($RIDGE_CUDA_INCLUDE, else where the toolkit installs itself) without comments, white
/// space made one space; empty where it is not there.
inline QString vendorHeader(const char* name)
{
    const QString chosen = qEnvironmentVariable("RIDGE_CUDA_INCLUDE");
    const QString folder = chosen.isEmpty() ? QStringLiteral("/usr/local/cuda/include") : chosen;
    QFile file(folder + QLatin1Char('/') + QLatin1String(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QString text = QString::fromUtf8(file.readAll());
    text.remove(QRegularExpression(QStringLiteral("/\\*.*?\\*/"), QRegularExpression::DotMatchesEverythingOption));
    text.remove(QRegularExpression(QStringLiteral("//[^\\n]*")));
    return text.simplified();
}

/// What an enumerator is set to there; empty where it is not.
inline std::optional<long long> enumeratorOf(const QString& text, const char* name)
{
    const auto found =
        QRegularExpression(QStringLiteral("\\b%1(?: \\w+_DEPRECATED_ENUM)? ?= ?(-?\\d+)").arg(QLatin1String(name)))
            .match(text);
    return found.hasMatch() ? std::optional<long long>(found.captured(1).toLongLong()) : std::nullopt;
}

/// Types of a function's parameters as the header gives them, names left out. `before` is what stands before its name.
inline QString parametersOf(const QString& text, const char* before, const char* function)
{
    const auto found =
        QRegularExpression(QStringLiteral("%1 ?%2 ?\\(([^)]*)\\)").arg(QLatin1String(before), QLatin1String(function)))
            .match(text);
    QStringList types;
    for (const QString& each : found.captured(1).split(QLatin1Char(',')))
        types += QString(each.simplified()).remove(QRegularExpression(QStringLiteral(" ?\\w+(\\[\\])?$")));
    return types.join(QStringLiteral(", ")).replace(QStringLiteral(" *"), QStringLiteral("*"));
}
