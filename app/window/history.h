// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace ridge::app {

/// Where the learner was: back and forward as in a browser. A value; the window asks it where to go.
class History {
public:
    struct Place {
        QString page;
        double scroll = 0;
    };

    /// Goes to a new place and forgets what lay ahead. Going where one already is changes nothing.
    void visit(const QString& page);
    /// Keeps how far the present place was scrolled, for coming back.
    void noteScroll(double fraction);
    bool canGoBack() const { return m_at > 0; }
    bool canGoForward() const { return m_at + 1 < static_cast<int>(m_places.size()); }
    Place back();    ///< needs canGoBack
    Place forward(); ///< needs canGoForward
    QString page() const { return m_at < 0 ? QString() : m_places[static_cast<std::size_t>(m_at)].page; }

    static constexpr std::size_t kLongest = 200;

private:
    std::vector<Place> m_places;
    int m_at = -1;
};

} // namespace ridge::app
