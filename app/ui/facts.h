// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QWidget>

class QGridLayout;
class QLabel;

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
    /// Room for names at 100 % text where there is enough beside them, in px, so that short ones stand on one line.
    void setNameRoom(int width) { m_nameRoom = width; }
    int rows() const { return int(m_rows.size()); }
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    Theme& m_theme;
    QGridLayout* m_grid;
    struct Row {
        QLabel *title, *value, *note; ///< note may be null
        QWidget* badge;
    };
    void place(const Row& row, int index);

    std::vector<Row> m_rows;
    enum class Room { Enough, Some, Little };
    Room m_room = Room::Enough;
    int m_nameRoom = 124;
};

} // namespace ridge::app
