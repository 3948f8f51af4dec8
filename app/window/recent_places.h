// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>

namespace ridge::app {

/// What was opened last, of what one comes back to: lessons, kernels of one's own, artifacts, assignments.
struct RecentPlace {
    QString page, title;
    bool operator==(const RecentPlace&) const = default;
};

/// Newest first, twelve at most; kept with the window's preferences ("recent/places").
QList<RecentPlace> recentPlaces();
/// Puts a page at the front, if it is of a kind that is listed.
void noteRecentPlace(const QString& page, const QString& title);
void forgetRecentPlace(const QString& page);
void clearRecentPlaces();

/// They as a menu, the first nine with their number as letter.
class RecentMenu : public QMenu {
    Q_OBJECT
public:
    explicit RecentMenu(QWidget* parent = nullptr);

Q_SIGNALS:
    void chosen(const QString& page);

private:
    void fill();
};

} // namespace ridge::app
