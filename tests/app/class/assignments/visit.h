// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "assignment_support.h"

#include "app/ui/panels.h"
#include "app/window/opened_files.h"

#include <QDropEvent>
#include <QMimeData>

namespace ridge::app {

/// A learner at a window with a file of the teacher's on the desk.
struct Visit {
    Workplace place{true, Workplace::Lessons::Small};
    Teacher teacher{place.context->curriculum()};
    QTemporaryDir desk;
    int clicks = 0;

    MainWindow& open()
    {
        MainWindow& window = place.makeWindow();
        (void)QTest::qWaitForWindowExposed(&window);
        QApplication::setActiveWindow(&window);
        (void)window.open(s("home"));
        return window;
    }
    MainWindow& window() { return *place.window; }
    AssignmentPage* page() { return qobject_cast<AssignmentPage*>(window().page()); }
    QString file(const std::string& bytes, const char* name = "week-1.ridgeclass")
    {
        return writeTo(desk.path(), name, bytes);
    }
    bool click(const char* name)
    {
        for (QPushButton* each : window().findChildren<QPushButton*>(s(name)))
            if (each->isVisible() && each->isEnabled()) {
                ++clicks;
                QTest::mouseClick(each, Qt::LeftButton);
                return true;
            }
        return false;
    }
    QString banner() { return window().files().banner().isVisible() ? window().files().banner().text() : QString(); }
    classroom::AcceptedAssignments accepted() { return classroom::acceptedAssignments(place.home().toStdString()); }
    void drop(const QStringList& paths)
    {
        QMimeData mime;
        QList<QUrl> urls;
        for (const QString& path : paths)
            urls << QUrl::fromLocalFile(path);
        mime.setUrls(urls);
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent dropped(QPointF(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window(), &dropped);
    }
};

} // namespace ridge::app
