// SPDX-License-Identifier: GPL-3.0-or-later
// A program for tst_network: shows both panels of the live view with work in the record, and turns on nothing ("off"),
// the teacher's session ("session") or the learner's switch ("share").
#include "live_place.h"

#include "app/class/live/live_indicator.h"

#include <QApplication>
#include <QPushButton>
#include <QVBoxLayout>
#include <cstring>

using namespace ridge::app;

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    const QByteArray what = argc > 1 ? argv[1] : "off";
    LivePlace place;
    place.store(LivePlace::prediction("1.1", 8));
    QWidget window;
    QVBoxLayout column(&window);
    LivePanel teacher(*place.context);
    SharePanel learner(*place.context);
    LiveIndicator indicator(*place.context);
    for (QWidget* one : std::initializer_list<QWidget*>{&teacher, &learner, &indicator})
        column.addWidget(one);
    teacher.setClass(place.live);
    learner.setAssignment(place.live.assignment);
    window.show();
    place.store(LivePlace::run("1.1"));
    if (what == "session")
        teacher.findChild<QPushButton*>(QStringLiteral("live-session"))->click();
    if (what == "share") {
        const QList<QLineEdit*> fields = learner.findChildren<QLineEdit*>();
        fields[0]->setText(QStringLiteral("192.0.2.1"));
        fields[1]->setText(QStringLiteral("K7QM-3XRP"));
        learner.findChild<QPushButton*>(QStringLiteral("share-live"))->click();
    }
    // Long enough for everything that waits a moment after a row was stored.
    QTest::qWait(1500);
    const bool on = indicator.isLive();
    return on == (what != "off") ? 0 : 3;
}
