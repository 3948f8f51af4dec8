// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/kept_units.h"

#include <QRegularExpression>
#include <algorithm>

namespace ridge::app {

namespace {

QRegularExpression expression(const QString& form)
{
    // What something is counted in, and what it may be divided by.
    const QString counted =
        QStringLiteral("(?:[kKMGTPmnpuµμ]i?)?(?:B|bits?|bps|FLOPS?|OPS?|op|Hz|Wh|W|J|s)|cycles?|clocks?|bytes?|tok|"
                       "tokens?|reads?|requests?|sectors?|images?|frames?|min|h|dB|°C|%");
    const QString divisor = QStringLiteral("s|sec|second|clk|clock|cycle|B|byte|W|J|h|hour|SM|thread|lane|warp|element|"
                                           "token|request|user|GPU");
    QString pattern = form;
    pattern.replace(QStringLiteral("COUNTED"), QStringLiteral("(?:") + counted + QLatin1Char(')'));
    pattern.replace(QStringLiteral("DIVISOR"), QStringLiteral("(?:") + divisor + QLatin1Char(')'));
    return QRegularExpression(pattern, QRegularExpression::UseUnicodePropertiesOption);
}

} // namespace

std::vector<UnitJoint> unitJoints(const QString& text)
{
    static const QRegularExpression blank =
        expression(QStringLiteral("(?<=\\d)[ \\n](?=COUNTED(?:/DIVISOR)?(?![\\w/]))"));
    // Not in a path: "a/b/s", "x.op/s".
    static const QRegularExpression slash = expression(QStringLiteral("(?<![\\w/.:-])COUNTED/(?=DIVISOR(?![\\w/]))"));
    std::vector<UnitJoint> joints;
    for (auto found = blank.globalMatch(text); found.hasNext();)
        joints.push_back({int(found.next().capturedStart()), true});
    for (auto found = slash.globalMatch(text); found.hasNext();)
        joints.push_back({int(found.next().capturedEnd()) - 1, false});
    std::ranges::sort(joints, {}, &UnitJoint::position);
    return joints;
}

QString keptUnits(const QString& text)
{
    QString kept = text;
    const std::vector<UnitJoint> joints = unitJoints(text);
    for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) // from the end: positions before stay
        if (joint->isBlank)
            kept[joint->position] = kNoBreakSpace;
        else
            kept.insert(joint->position + 1, kWordJoiner);
    return kept;
}

QString withoutJoiners(QString text)
{
    return text.remove(kWordJoiner).replace(kNoBreakSpace, QLatin1Char(' '));
}

} // namespace ridge::app
