// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/recent_places.h"

#include <QSettings>

namespace ridge::app {
namespace {

const QString kPlaces = QStringLiteral("recent/places");
constexpr int kMost = 12;

bool isListed(const QString& page)
{
    static const QStringList kinds{QStringLiteral("lesson"), QStringLiteral("kernel"), QStringLiteral("artifact"),
                                   QStringLiteral("assignment")};
    const QString part = page.section(QLatin1Char('/'), 1);
    return kinds.contains(page.section(QLatin1Char('/'), 0, 0)) && !part.isEmpty() && part != QLatin1String("new") &&
           !part.startsWith(QLatin1String("task/"));
}

void save(const QList<RecentPlace>& places)
{
    QStringList lines; // page and title in turn
    for (const RecentPlace& place : places)
        lines << place.page << place.title;
    QSettings().setValue(kPlaces, lines);
}

} // namespace

QList<RecentPlace> recentPlaces()
{
    const QStringList lines = QSettings().value(kPlaces).toStringList();
    QList<RecentPlace> places;
    for (qsizetype i = 0; i + 1 < lines.size() && places.size() < kMost; i += 2)
        if (isListed(lines[i]))
            places.append({lines[i], lines[i + 1]});
    return places;
}

void noteRecentPlace(const QString& shown, const QString& title)
{
    const QString page = shown.section(QLatin1Char('#'), 0, 0); // a place that was searched for is not looked for again
    if (!isListed(page))
        return;
    QList<RecentPlace> places = recentPlaces();
    places.removeIf([&page](const RecentPlace& place) { return place.page == page; });
    places.prepend({page, title});
    save(places.mid(0, kMost));
}

void forgetRecentPlace(const QString& page)
{
    QList<RecentPlace> places = recentPlaces();
    if (places.removeIf([&page](const RecentPlace& place) { return place.page == page; }) > 0)
        save(places);
}

void clearRecentPlaces()
{
    QSettings().remove(kPlaces);
}

RecentMenu::RecentMenu(QWidget* parent) : QMenu(tr("Recentl&y opened"), parent)
{
    setAccessibleName(tr("Recently opened"));
    connect(this, &QMenu::aboutToShow, this, &RecentMenu::fill);
}

void RecentMenu::fill()
{
    clear();
    int number = 0;
    for (const RecentPlace& place : recentPlaces()) {
        const QString title = QString(place.title).replace(QLatin1Char('&'), QStringLiteral("&&"));
        addAction(++number < 10 ? QStringLiteral("&%1  %2").arg(number).arg(title) : title, this,
                  [this, page = place.page] { Q_EMIT chosen(page); });
    }
    if (number == 0) {
        addAction(tr("Nothing yet: lessons, kernels and artifacts stand here once opened"))->setEnabled(false);
        return;
    }
    addSeparator();
    addAction(tr("&Clear this list"), this, [] { clearRecentPlaces(); });
}

} // namespace ridge::app

#include "moc_recent_places.cpp"
