// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

class QHBoxLayout;
class QLayout;
class QLineEdit;
class QVBoxLayout;

namespace ridge::app {

/// A line of text under its label, at the end of `column`. `name` is its object name, `hint` stands in it while it is
/// empty.
QLineEdit* addField(QVBoxLayout* column, Theme& theme, const QString& name, const QString& label, const QString& hint);

/// A control behind its label, the two as one part of `row`: a setting above a view. The wheel scrolls the page, not
/// the control. More may be put behind it in the layout that is returned.
QHBoxLayout* addSetting(QLayout* row, Theme& theme, const QString& name, const QString& help, QWidget* control);

} // namespace ridge::app
