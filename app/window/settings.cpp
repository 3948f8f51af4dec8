// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings.h"

#include "app/session/actions.h"
#include "base/paths.h"

#include <QCoreApplication>
#include <QGuiApplication>
#include <QPalette>
#include <QSettings>
#include <algorithm>

namespace ridge::app {
namespace {

const QString kGeometry = QStringLiteral("window/geometry");
const QString kPage = QStringLiteral("window/page");
const QString kOutline = QStringLiteral("window/outline");
const QString kPins = QStringLiteral("window/pins");
const QString kShortcuts = QStringLiteral("shortcuts");
const QString kPlainKeys = QStringLiteral("plainKeys");
const QString kTheme = QStringLiteral("theme/name");
const QString kScale = QStringLiteral("theme/scale");
const QString kClassUsed = QStringLiteral("class/used");
const QString kNotify = QStringLiteral("runs/notify");
const QString kReducedMotion = QStringLiteral("theme/reducedMotion");

} // namespace

void configureSettings()
{
    QCoreApplication::setOrganizationName(QStringLiteral("ridgepoint"));
    QCoreApplication::setApplicationName(QStringLiteral("ridgepoint"));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    if (qEnvironmentVariableIsSet("RIDGE_HOME"))
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, QString::fromStdString(homeFolder().string()));
}

void usePortableHome()
{
    const std::filesystem::path home = executableFolder() / "ridgepoint-data";
    qputenv("RIDGE_HOME", QByteArray::fromStdString(home.string()));
}

WindowState loadWindowState()
{
    const QSettings settings;
    return {settings.value(kGeometry).toByteArray(), settings.value(kPage, QStringLiteral("home")).toString(),
            settings.value(kOutline, true).toBool(), settings.value(kPins).toStringList()};
}

void saveWindowState(const WindowState& state)
{
    QSettings settings;
    settings.setValue(kGeometry, state.geometry);
    settings.setValue(kPage, state.page);
    settings.setValue(kOutline, state.outline);
    settings.setValue(kPins, state.pins);
}

void loadShortcuts(ActionRegistry& actions)
{
    QSettings settings;
    settings.beginGroup(kShortcuts);
    actions.setPlainKeys(settings.value(kPlainKeys, true).toBool());
    for (const QString& id : settings.childKeys()) {
        if (id == kPlainKeys)
            continue;
        QList<QKeySequence> shortcuts;
        for (const QString& keys : settings.value(id).toStringList())
            if (!keys.isEmpty())
                shortcuts << QKeySequence(keys, QKeySequence::PortableText);
        (void)actions.setShortcuts(id, shortcuts);
    }
}

void saveShortcuts(const ActionRegistry& actions)
{
    QSettings settings;
    settings.remove(kShortcuts);
    settings.beginGroup(kShortcuts);
    if (!actions.plainKeys())
        settings.setValue(kPlainKeys, false);
    for (const ActionSpec& spec : actions.specs()) {
        if (spec.shortcuts == actions.defaultShortcuts(spec.id))
            continue;
        QStringList keys;
        for (const QKeySequence& each : spec.shortcuts)
            keys << each.toString(QKeySequence::PortableText);
        settings.setValue(spec.id, keys.isEmpty() ? QStringList{QString()} : keys);
    }
}

QString themeSetting()
{
    return QSettings().value(kTheme, QStringLiteral("system")).toString();
}

void saveThemeSetting(const QString& name)
{
    QSettings().setValue(kTheme, name);
}

double textScaleSetting()
{
    return std::clamp(QSettings().value(kScale, 1.0).toDouble(), 0.8, 2.0);
}

void saveTextScale(double scale)
{
    QSettings().setValue(kScale, scale);
}

bool reducedMotionSetting()
{
    return QSettings().value(kReducedMotion, false).toBool();
}

void saveReducedMotion(bool on)
{
    QSettings().setValue(kReducedMotion, on);
}

bool notifySetting()
{
    return QSettings().value(kNotify, true).toBool();
}

void saveNotify(bool on)
{
    QSettings().setValue(kNotify, on);
}

bool savedClassUsed()
{
    return QSettings().value(kClassUsed, false).toBool();
}

void saveClassUsed()
{
    QSettings().setValue(kClassUsed, true);
}

bool systemPaletteIsDark()
{
    const QPalette palette = QGuiApplication::palette();
    return palette.color(QPalette::Window).lightnessF() < palette.color(QPalette::WindowText).lightnessF();
}

QString resolveTheme(const QString& setting, bool systemIsDark)
{
    if (setting == QLatin1String("dark") || setting == QLatin1String("contrast") || setting == QLatin1String("light"))
        return setting;
    return systemIsDark ? QStringLiteral("dark") : QStringLiteral("light");
}

} // namespace ridge::app
