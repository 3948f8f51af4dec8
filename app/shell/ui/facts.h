// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QWidget>

class QGridLayout;

namespace ridge::app {

/// Name, value, note and a badge in aligned columns, a hairline between rows. For a handful of facts; longer lists
/// are models.
class FactTable : public QWidget {
    Q_OBJECT
public:
    FactTable(Theme& theme, const QString& accessibleName, QWidget* parent = nullptr);
    /// Takes the badge. `help` becomes the tool tip of the row.
    void addRow(const QString& name, const QString& value, const QString& note = {}, QWidget* badge = nullptr,
                const QString& help = {});
    int rows() const { return m_rows; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    QGridLayout* m_grid;
    int m_rows = 0;
};

} // namespace ridge::app
