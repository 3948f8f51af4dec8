// SPDX-License-Identifier: GPL-3.0-or-later
// Whole pages and what opens over them, as pictures: the small curriculum, stored rows with dates and ids of their own,
// and nothing of this machine.
#include "shell_fixture.h"

#include "app/ui/learner_choices.h"
#include "app/window/command_palette.h"
#include "app/window/settler.h"
#include "app/window/shortcut_editor.h"
#include "app/window/shortcut_sheet.h"
#include "tests/golden/golden.h"

#include <QLineEdit>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

QImage pictureOf(QWidget& widget, Theme& theme, double scale)
{
    QImage image(widget.size() * scale, QImage::Format_ARGB32_Premultiplied);
    image.fill(theme.color(Role::Window));
    image.setDevicePixelRatio(scale);
    widget.render(&image);
    return image;
}

/// Five runs of a sweep, the last of which failed.
void storeRuns(Workplace& place)
{
    int number = 0;
    for (const int stride : {1, 2, 4, 8, 16}) {
        record::RunRow run = Workplace::run(stride, stride < 8 ? "s1" : std::string(), "1.1");
        run.id = "019b0000-0000-7000-8000-00000000000" + std::to_string(++number);
        run.createdAt = "2026-01-02T03:0" + std::to_string(number) + ":05.000Z";
        if (stride == 16) {
            run.status = "failed";
            run.error =
                Error{"out-of-memory", "There is no room for 8 GiB of input.", "coalescing", "Take fewer elements."};
            run.metrics.clear();
        }
        place.store(run);
    }
}

} // namespace

class TestPagePictures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pictures_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<double>("scale");
        for (const char* theme : {"light", "dark"})
            for (const double scale : {1.0, 2.0})
                QTest::addRow("%s %.0fx", theme, scale) << s(theme) << scale;
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        QFETCH(double, scale);
        Workplace place(true, Workplace::Lessons::Small);
        noteLearnerAsked();
        QVERIFY(place.theme.load(theme).ok());
        storeRuns(place);
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        window.resize(1180, 720);
        QStringList wrong;
        const auto check = [&](const QString& name, QWidget& widget) {
            const QString found = golden::checkImage(QStringLiteral("page_%1_%2_%3x").arg(name, theme).arg(scale),
                                                     pictureOf(widget, place.theme, scale));
            if (!found.isEmpty())
                wrong << found;
        };
        const std::pair<const char*, const char*> pages[] = {
            {"learn", "learn"},
            {"lesson", "lesson/1.1"},
            {"lab", "lab/coalescing"},
            {"runs", "runs"},
            {"run", "runs/019b0000-0000-7000-8000-000000000002"},
            {"kernels", "kernel"},
        };
        for (const auto& [name, page] : pages) {
            QVERIFY2(window.open(s(page)).ok(), page);
            QTRY_VERIFY2_WITH_TIMEOUT(window.page()->ready(), page, 20000);
            if (QWidget* focused = QApplication::focusWidget())
                focused->clearFocus(); // a focus ring is no part of the picture
            Settler settler(window, false, 20000);
            QSignalSpy settled(&settler, &Settler::settled);
            settler.start();
            QVERIFY2(settled.wait(60000), page);
            check(s(name), *window.page());
        }
        window.commandPalette()->open();
        QTest::keyClicks(window.commandPalette()->findChild<QLineEdit*>(), s("warp"));
        check(s("palette"), *window.commandPalette());
        window.commandPalette()->close();
        window.shortcutSheet()->open();
        check(s("shortcuts"), *window.shortcutSheet());
        window.shortcutSheet()->close();
        window.shortcutEditor()->open();
        check(s("shortcut_editor"), *window.shortcutEditor());
        window.shortcutEditor()->close();
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }
};

QTEST_MAIN(TestPagePictures)
#include "tst_page_pictures.moc"
