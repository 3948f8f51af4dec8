// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/traces_of_person.h"

#include <QDir>
#include <QRegularExpression>
#include <QSet>
#include <QSysInfo>

namespace ridge::classroom {
namespace {

/// Names that many computers have tell nothing, and shorter ones stand in anything.
std::string unlessCommon(const QString& name)
{
    static const QSet<QString> common{QStringLiteral("root"),   QStringLiteral("user"),    QStringLiteral("admin"),
                                      QStringLiteral("home"),   QStringLiteral("student"), QStringLiteral("localhost"),
                                      QStringLiteral("debian"), QStringLiteral("ubuntu")};
    return name.size() < 3 || common.contains(name.toLower()) ? std::string() : name.toStdString();
}

QRegularExpression asWord(const std::string& name)
{
    return QRegularExpression(
        QStringLiteral("(?<![\\p{L}\\p{N}])") + QRegularExpression::escape(QString::fromStdString(name)) +
            QStringLiteral("(?![\\p{L}\\p{N}])"),
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::UseUnicodePropertiesOption);
}

} // namespace

Tells tellsHere()
{
    const QString home = QDir::homePath();
    return {home == QLatin1String("/") || home == QLatin1String("/root") ? std::string() : home.toStdString(),
            unlessCommon(qEnvironmentVariable("USER", qEnvironmentVariable("USERNAME"))),
            unlessCommon(QSysInfo::machineHostName())};
}

std::vector<std::string> traceSentences(const Tells& tells, std::string_view rows,
                                        const std::map<std::string, std::string>& files)
{
    std::vector<std::string> sentences;
    for (const auto& [what, name] : {std::pair("Your home folder", &tells.home),
                                     {"The name of your account", &tells.account},
                                     {"The name of this computer", &tells.host}}) {
        if (name->empty())
            continue;
        const QRegularExpression word = asWord(*name);
        std::size_t lines = 0, texts = 0;
        for (std::string_view left = rows; !left.empty();) {
            const auto end = std::min(left.find('\n'), left.size());
            lines += word.match(QString::fromUtf8(left.data(), static_cast<qsizetype>(end))).hasMatch() ? 1 : 0;
            left.remove_prefix(std::min(end + 1, left.size()));
        }
        for (const auto& [sha256, bytes] : files)
            texts += word.match(QString::fromStdString(bytes)).hasMatch() ? 1 : 0;
        if (lines + texts > 0)
            sentences.push_back(
                std::string(what) + " (" + *name + ") stands in " +
                (lines > 0 ? std::to_string(lines) + (lines == 1 ? " row" : " rows") : std::string()) +
                (lines > 0 && texts > 0 ? " and " : "") +
                (texts > 0 ? std::to_string(texts) + (texts == 1 ? " file" : " files") : std::string()) +
                ": a text of yours, or the message of a run that failed.");
    }
    return sentences;
}

} // namespace ridge::classroom
