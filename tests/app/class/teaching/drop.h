// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDropEvent>
#include <QMimeData>
#include <QUrl>
#include <QWidget>

namespace ridge::test {

/// Lets go of paths over a widget, as a file manager would. False: it does not take them.
inline bool drop(QWidget* over, const QStringList& paths)
{
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& path : paths)
        urls << QUrl::fromLocalFile(path);
    data.setUrls(urls);
    const QPoint at = over->rect().center();
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    enter.ignore();
    // To the widget alone: the window would ask those above it next.
    static_cast<QObject*>(over)->event(&enter);
    if (!over->acceptDrops() || !enter.isAccepted())
        return false;
    QDropEvent event(QPointF(at), Qt::CopyAction, &data, Qt::LeftButton, {});
    static_cast<QObject*>(over)->event(&event);
    return event.isAccepted();
}

} // namespace ridge::test
