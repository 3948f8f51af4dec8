// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_fixture.h"

#include "app/ui/learner_choices.h"
#include "app/window/command_palette.h"
#include "app/window/search_overlay.h"
#include "app/window/shortcut_sheet.h"
#include "app/window/status_strip.h"

#include <QApplication>
#include <QToolButton>
#include <QWhatsThis>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

} // namespace

/// The keys that the program is known by, in the registry and under the fingers.
class TestShortcuts : public QObject {
    Q_OBJECT

    static void press(Qt::Key key, Qt::KeyboardModifiers with = {})
    {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : QApplication::activeWindow(), key,
                        with);
    }

private Q_SLOTS:
    void everyKeyBelongsToItsCommand()
    {
        const std::pair<const char*, const char*> keys[] = {{"Ctrl+K", "edit.palette"},
                                                            {"Ctrl+Shift+P", "edit.palette"},
                                                            {"Ctrl+1", "go.home"},
                                                            {"Ctrl+2", "go.learn"},
                                                            {"Ctrl+3", "go.lab"},
                                                            {"Ctrl+4", "go.runs"},
                                                            {"Ctrl+5", "go.portfolio"},
                                                            {"Ctrl+6", "go.class"},
                                                            {"Alt+Left", "go.back"},
                                                            {"Alt+Right", "go.forward"},
                                                            {"Ctrl+F", "edit.find"},
                                                            {"Ctrl+Shift+F", "edit.search"},
                                                            {"J", "go.nextBlock"},
                                                            {"K", "go.previousBlock"},
                                                            {"P", "go.prediction"},
                                                            {"Ctrl+D", "run.pin"},
                                                            {"Ctrl+Shift+C", "run.compare"},
                                                            {"Ctrl+E", "file.export"},
                                                            {"F1", "help.terms"},
                                                            {"F6", "view.nextPane"},
                                                            {"Shift+F6", "view.previousPane"},
                                                            {"Ctrl++", "view.larger"},
                                                            {"Ctrl+-", "view.smaller"},
                                                            {"Ctrl+0", "view.normalText"},
                                                            {"F5", "run.run"},
                                                            {"Shift+F5", "run.stop"},
                                                            {"Ctrl+Return", "run.commit"},
                                                            {"F8", "debug.over"},
                                                            {"F7", "debug.into"},
                                                            {"Shift+F8", "debug.out"},
                                                            {"Shift+F9", "debug.barrier"},
                                                            {"Ctrl+F7", "debug.intoLine"},
                                                            {"Shift+F7", "debug.back"},
                                                            {",", "debug.scrubBack"},
                                                            {".", "debug.scrubOn"},
                                                            {"Shift+,", "debug.scrubFarBack"},
                                                            {"Shift+.", "debug.scrubFarOn"},
                                                            {"[", "debug.previousWarp"},
                                                            {"]", "debug.nextWarp"},
                                                            {"F9", "debug.breakpoint"},
                                                            {"Ctrl+Shift+H", "go.hottest"},
                                                            {"Ctrl+Shift+A", "run.ship"},
                                                            {"?", "help.shortcuts"},
                                                            {"F11", "view.fullScreen"}};
        Workplace place;
        place.makeWindow();
        for (const auto& [name, command] : keys) {
            const QKeySequence key(s(name));
            QStringList found;
            bool plain = false;
            for (const ActionSpec& spec : place.actions->specs())
                if (spec.shortcuts.contains(key)) {
                    found << spec.id;
                    plain = spec.plainKey;
                }
            QVERIFY2(found == QStringList{s(command)}, name);
            // A key that also writes leaves text fields alone.
            const QString text = s(name);
            const bool writes = text.size() == 1 || (text.startsWith(s("Shift+")) && text.size() == 7);
            QVERIFY2(plain == writes, name);
        }
    }

    void menuBarAndContextMenuKeepTheirKeys()
    {
        Workplace place;
        place.makeWindow();
        for (const ActionSpec& spec : place.actions->specs())
            for (const char* key : {"F10", "Shift+F10"})
                QVERIFY2(!spec.shortcuts.contains(QKeySequence(s(key))), qPrintable(spec.id));
    }

    void keysOfTheWindow()
    {
        Workplace place;
        noteLearnerAsked();

        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("class")).ok()); // from its first use on it stands in the rail
        QVERIFY(window.open(s("home")).ok());
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const std::pair<Qt::Key, const char*> places[] = {{Qt::Key_2, "learn"}, {Qt::Key_3, "lab"},
                                                          {Qt::Key_4, "runs"},  {Qt::Key_5, "portfolio"},
                                                          {Qt::Key_6, "class"}, {Qt::Key_1, "home"}};
        for (const auto& [key, page] : places) {
            press(key, Qt::ControlModifier);
            QVERIFY2(window.currentPage().startsWith(s(page)), page);
        }
        press(Qt::Key_Left, Qt::AltModifier);
        QVERIFY(window.currentPage().startsWith(s("class")));
        press(Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(window.currentPage(), s("home"));

        SearchOverlay* search = window.searchOverlay();
        ShortcutSheet* sheet = window.shortcutSheet();
        for (const Qt::Key key : {Qt::Key_K, Qt::Key_P}) {
            press(key, key == Qt::Key_P ? Qt::ControlModifier | Qt::ShiftModifier : Qt::ControlModifier);
            QVERIFY(window.commandPalette()->isOpen());
            press(Qt::Key_Escape);
            QVERIFY(!window.commandPalette()->isOpen());
        }
        press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(search->isOpen());
        press(Qt::Key_Escape);
        QTest::keyClick(QApplication::focusWidget(), '?'); // as keyboards have it, with or without Shift
        QVERIFY(sheet->isOpen());
        press(Qt::Key_Escape);
        QVERIFY(!sheet->isOpen());

        const double before = place.theme.textScale();
        press(Qt::Key_Plus, Qt::ControlModifier);
        QVERIFY(place.theme.textScale() > before);
        press(Qt::Key_Minus, Qt::ControlModifier);
        press(Qt::Key_Minus, Qt::ControlModifier);
        QVERIFY(place.theme.textScale() < before);
        press(Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(place.theme.textScale(), before);

        press(Qt::Key_F11);
        QVERIFY(window.isFullScreen());
        press(Qt::Key_F11);
        QVERIFY(!window.isFullScreen());

        press(Qt::Key_3, Qt::ControlModifier);
        const QWidget* first = QApplication::focusWidget();
        press(Qt::Key_F6);
        const QWidget* second = QApplication::focusWidget();
        QVERIFY(second != first);
        press(Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(QApplication::focusWidget() != second);
    }

    void whatHasTheFocusIsExplained()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("runs")).ok());
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QWidget* told = window.status()->targetButton();
        QVERIFY(!told->toolTip().isEmpty());
        told->setFocusPolicy(Qt::StrongFocus);
        told->setFocus(Qt::OtherFocusReason);
        QCOMPARE(QApplication::focusWidget(), told);
        press(Qt::Key_F1);
        QVERIFY(!window.commandPalette()->isOpen());
        const auto explained = [] {
            const auto all = QApplication::topLevelWidgets();
            return std::any_of(all.begin(), all.end(),
                               [](QWidget* each) { return each->isVisible() && each->inherits("QWhatsThat"); });
        };
        QVERIFY(explained());
        QWhatsThis::hideText();
        // Where there is nothing to say, the glossary.
        told->setToolTip({});
        press(Qt::Key_F1);
        QVERIFY(window.commandPalette()->isOpen());
    }
};

QTEST_MAIN(TestShortcuts)
#include "tst_shortcuts.moc"
