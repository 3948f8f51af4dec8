// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QIcon>
#include <QPixmap>
#include <QStringList>

class QAbstractButton;

namespace ridge::app {

/// Drawings of assets/icons, stroked in `currentColor`, coloured here from the theme. Empty for a name that has no
/// file; a test holds every name the program uses against the folder.
QPixmap iconPixmap(const QString& name, const QColor& color, int size, double devicePixelRatio = 1.0);

/// Normal and disabled, in every size a control asks for.
QIcon themedIcon(const Theme& theme, const QString& name, Role role = Role::Text2);

/// Keeps the button's icon in the theme's colours for as long as the button lives.
void setThemedIcon(Theme& theme, QAbstractButton* button, const QString& name, Role role = Role::Text2);

/// The signature mark as window icon: readable on light and dark panels.
QIcon programIcon(const Theme& theme);

QStringList iconNames(); ///< what the program uses

} // namespace ridge::app
