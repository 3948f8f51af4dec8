// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QLabel>

namespace ridge::app {

/// A label that works its height out once for each width. QLabel lays its text out at every question, and a layout asks
/// each label the same few ones a dozen times before a page is shown.
class SizedLabel : public QLabel {
public:
    using QLabel::QLabel;
    int heightForWidth(int width) const override;

protected:
    virtual int workOut(int width) const { return QLabel::heightForWidth(width); }

private:
    /// What a height depends on beside the width.
    struct Look {
        QString text;
        QFont font;
        QMargins margins;
        Qt::Alignment alignment;
        Qt::TextInteractionFlags interaction;
        Qt::TextFormat format = Qt::AutoText;
        Qt::LayoutDirection direction = Qt::LeftToRight;
        int margin = 0, indent = 0, frame = 0, least = 0, dpi = 0;
        bool wraps = false;
        bool operator==(const Look&) const = default;
    };
    Look look() const;

    mutable Look m_of; ///< what the heights are of
    mutable QHash<int, int> m_heights;
};

} // namespace ridge::app
