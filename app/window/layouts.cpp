// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/layouts.h"

#include <QCoreApplication>
#include <QSettings>
#include <algorithm>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("WindowLayouts", text);
}

QString stateKey(const QString& id)
{
    return QStringLiteral("layouts/%1").arg(id);
}

const QString kCurrent = QStringLiteral("layouts/current");

} // namespace

const std::vector<WindowLayout>& windowLayouts()
{
    static const std::vector<WindowLayout> layouts = {
        {QStringLiteral("read"), tr("&Read"), tr("The lesson, with the outline beside it"), true, true, false, false,
         false, 1.0},
        {QStringLiteral("lab"), tr("&Lab"),
         tr("The experiment of the block in view beside the text, and what is pinned"), false, true, true, true, false,
         1.0},
        {QStringLiteral("debug"), tr("&Debug"), tr("The experiment beside the text, and what the runs say below"),
         false, true, true, false, true, 1.0},
        {QStringLiteral("present"), tr("&Present"), tr("Nothing but the page, in larger text, for a room"), false,
         false, false, false, false, 1.25},
    };
    return layouts;
}

const WindowLayout& windowLayout(const QString& id)
{
    const auto& all = windowLayouts();
    const auto found = std::find_if(all.begin(), all.end(), [&](const WindowLayout& each) { return each.id == id; });
    return found == all.end() ? all.front() : *found;
}

QByteArray savedLayoutState(const QString& id)
{
    return QSettings().value(stateKey(id)).toByteArray();
}

void saveLayoutState(const QString& id, const QByteArray& state)
{
    QSettings().setValue(stateKey(id), state);
}

void forgetLayoutState(const QString& id)
{
    QSettings().remove(stateKey(id));
}

QString savedLayout()
{
    return QSettings().value(kCurrent).toString();
}

void saveLayout(const QString& id)
{
    QSettings().setValue(kCurrent, id);
}

} // namespace ridge::app
