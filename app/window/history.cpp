// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/history.h"

namespace ridge::app {

void History::visit(const QString& page)
{
    if (page == this->page())
        return;
    m_places.resize(static_cast<std::size_t>(m_at + 1));
    m_places.push_back({page, 0});
    if (m_places.size() > kLongest)
        m_places.erase(m_places.begin());
    m_at = static_cast<int>(m_places.size()) - 1;
}

void History::noteScroll(double fraction)
{
    if (m_at >= 0)
        m_places[static_cast<std::size_t>(m_at)].scroll = fraction;
}

History::Place History::back()
{
    return m_places.at(static_cast<std::size_t>(--m_at));
}

History::Place History::forward()
{
    return m_places.at(static_cast<std::size_t>(++m_at));
}

} // namespace ridge::app
