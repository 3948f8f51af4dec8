// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

class QLineEdit;
class QVBoxLayout;

namespace ridge::app {

/// A line of text under its label, at the end of `column`. `name` is its object name, `hint` stands in it while it is
/// empty.
QLineEdit* addField(QVBoxLayout* column, Theme& theme, const QString& name, const QString& label, const QString& hint);

} // namespace ridge::app
