// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/gallery/gallery_model.h"

#include <QStyledItemDelegate>

namespace ridge::app {

/// A card of the gallery: picture, title, sentence, kind and module, state.
class CardDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    CardDelegate(Theme& theme, const GalleryModel& model, QObject* parent = nullptr);

    void setWidth(int width) { m_width = width; } ///< of a card with its margin
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Theme& m_theme;
    const GalleryModel& m_model;
    int m_width = 320;
};

} // namespace ridge::app
