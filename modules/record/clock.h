// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>

namespace ridge::record {

/// Now, as rows carry it: ISO 8601, UTC, milliseconds.
inline QString timeStamp()
{
    return QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs);
}

/// Now, as file names carry it: sorts by time and holds no character that a file system refuses.
inline QString fileTimeStamp(const QDateTime& time = QDateTime::currentDateTimeUtc())
{
    return time.toUTC().toString(QStringLiteral("yyyyMMdd'T'HHmmsszzz'Z'"));
}

} // namespace ridge::record
