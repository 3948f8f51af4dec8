// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/process.h"

#include <QTemporaryDir>

namespace ridge::test {

/// A locale with decimal commas, made for the test: few machines have one beside their own. `missing` says why where it
/// cannot be made (Debian: the package locales, which tools/setup.sh --tests installs).
class German {
public:
    German()
    {
        QProcess localedef;
        localedef.start(QStringLiteral("localedef"),
                        {QStringLiteral("-i"), QStringLiteral("de_DE"), QStringLiteral("-f"), QStringLiteral("UTF-8"),
                         m_folder.filePath(QString::fromLatin1(kName))});
        if (!localedef.waitForStarted() || !localedef.waitForFinished(60000))
            missing = "localedef is not there";
        else if (!QFile::exists(m_folder.filePath(QString::fromLatin1(kName)) + QStringLiteral("/LC_NUMERIC")))
            missing = "localedef makes no de_DE.UTF-8: " + localedef.readAllStandardError();
    }
    /// For a program of ours.
    Environment environment() const
    {
        return {{QStringLiteral("LOCPATH"), m_folder.path()},
                {QStringLiteral("LC_ALL"), QString::fromLatin1(kName)},
                {QStringLiteral("LANG"), QString::fromLatin1(kName)}};
    }
    QString folder() const { return m_folder.path(); }
    static constexpr const char* kName = "de_DE.UTF-8";
    QByteArray missing;

private:
    QTemporaryDir m_folder;
};

} // namespace ridge::test
