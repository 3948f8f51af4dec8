// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>

namespace ridge::app {

/// Items in reading order, as many in a row as fit; the height follows the width.
class FlowLayout : public QLayout {
    Q_OBJECT
public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return place({0, 0, width, 0}, false); }
    QSize sizeHint() const override { return minimumSize(); }
    QSize minimumSize() const override;
    Qt::Orientations expandingDirections() const override { return {}; }
    void setGeometry(const QRect& area) override;

private:
    int place(const QRect& area, bool move) const; ///< gives the height it takes

    QList<QLayoutItem*> m_items;
};

} // namespace ridge::app
