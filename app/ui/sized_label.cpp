// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/sized_label.h"

namespace ridge::app {

SizedLabel::Look SizedLabel::look() const
{
    return {
        text(),   font(),   contentsMargins(), alignment(),    textInteractionFlags(), textFormat(), layoutDirection(),
        margin(), indent(), frameWidth(),      minimumWidth(), logicalDpiY(),          wordWrap()};
}

int SizedLabel::heightForWidth(int width) const
{
    if (text().isEmpty()) // a picture, or nothing
        return workOut(width);
    if (Look now = look(); now != m_of) {
        m_of = std::move(now);
        m_heights.clear();
    }
    const auto known = m_heights.constFind(width);
    return known != m_heights.constEnd() ? *known : *m_heights.insert(width, workOut(width));
}

} // namespace ridge::app
