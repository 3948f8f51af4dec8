// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QByteArray>
#include <QString>
#include <filesystem>

namespace ridge::app {

/// Preferences of the window (never anything learned): an INI file at <home folder>/ridgepoint/ridgepoint.ini when
/// RIDGE_HOME is set or --portable is given, else where the system keeps such files. Call once, before any QSettings.
/// Keys: window/geometry, window/page, window/outline, window/pins,
/// shortcuts/<action>, shortcuts/plainKeys, theme/name, theme/scale, theme/reducedMotion,
/// runs/notify, recent/lessons, recent/places, class/used, class/teacher, folders/<title>, folders/last,
/// class/sampleHidden.
void configureSettings();

/// --portable: store and settings in `ridgepoint-data` beside the program, whatever the account.
void usePortableHome();

struct WindowState {
    QByteArray geometry;
    QString page;
    bool outline = true;
    QStringList pins; ///< keys of what was pinned
};
WindowState loadWindowState();
void saveWindowState(const WindowState& state);

class ActionRegistry;
/// Only what differs from the defaults is kept; keys that have been taken by a newer command are left out.
void loadShortcuts(ActionRegistry& actions);
void saveShortcuts(const ActionRegistry& actions);

/// "light", "dark", "contrast" or "system".
QString themeSetting();
void saveThemeSetting(const QString& name);
double textScaleSetting();
void saveTextScale(double scale);
bool reducedMotionSetting();
void saveReducedMotion(bool on);
/// Whether the desktop is told of runs while another program is in front.
bool notifySetting();
void saveNotify(bool on);

/// Whether Class was ever opened on this computer.
bool savedClassUsed();
void saveClassUsed();

/// Whether the platform came up with a dark palette (Qt 6.4 cannot be asked for the scheme). Only true before the
/// first theme is applied.
bool systemPaletteIsDark();
/// The theme file that a setting stands for.
QString resolveTheme(const QString& setting, bool systemIsDark);

} // namespace ridge::app
