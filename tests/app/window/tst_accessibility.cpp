// SPDX-License-Identifier: GPL-3.0-or-later
// Every widget of every page, overlay, menu and card of the window has a name that can be spoken.
#include "every_page.h"

#include "app/lesson/reader/find_bar.h"
#include "app/lesson/reader/info_card.h"
#include "app/lesson/reader/lesson_page.h"
#include "app/lesson/reader/lesson_places.h"
#include "app/portfolio/run_picker.h"
#include "app/ui/learner_choices.h"
#include "app/window/command_palette.h"
#include "app/window/learn/learn_page.h"
#include "app/window/search_overlay.h"
#include "app/window/shortcut_editor.h"
#include "app/window/shortcut_sheet.h"
#include "app/window/status_strip.h"

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QScrollBar>
#include <QTextBrowser>
#include <QToolButton>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// Parts of one control that assistive technology is shown as the control itself.
bool isPartOfAnother(const QWidget* widget)
{
    const QWidget* parent = widget->parentWidget();
    // The field within a spin box or an editable combo box; the list a combo box opens, whose name is the box's.
    for (const QWidget* above = parent; above; above = above->parentWidget())
        if (qobject_cast<const QAbstractSpinBox*>(above) || qobject_cast<const QComboBox*>(above))
            return true;
    // The viewport of a scroll area takes its events and is never reported.
    const auto* area = qobject_cast<const QAbstractScrollArea*>(parent);
    if (area && area->viewport() == widget)
        return true;
    // A scroll bar is never focused here, and Qt's own bridge leaves it out of the tree of a scroll area.
    if (qobject_cast<const QScrollBar*>(widget))
        return true;
    // A label is called what it says; an empty one shows nothing yet.
    const auto* label = qobject_cast<const QLabel*>(widget);
    if (label && label->text().isEmpty() && label->pixmap(Qt::ReturnByValue).isNull())
        return true;
    // Qt's own menu behind that button: no entry of ours leads to it, and it is filled from menus that have names.
    const auto* menu = qobject_cast<const QMenu*>(widget);
    const auto* bar = qobject_cast<const QMenuBar*>(parent);
    if (menu && bar && !bar->actions().contains(menu->menuAction()))
        return true;
    // The cross that clears a field: Qt makes it, nothing can focus it, and Ctrl+A, Delete does what it does.
    if (widget->inherits("QLineEditIconButton"))
        return true;
    // The empty corner between the headers of a table: Qt makes it, nothing can focus it, and Ctrl+A does what it does.
    if (widget->inherits("QTableCornerButton"))
        return true;
    // The button that appears in a tool bar or menu bar with too little room belongs to Qt and has a name of its own.
    return widget->objectName() == s("qt_menubar_ext_button");
}

const QSet<QAccessible::Role>& spokenRoles()
{
    static const QSet<QAccessible::Role> roles = {
        QAccessible::Button,       QAccessible::CheckBox,    QAccessible::ComboBox,    QAccessible::Slider,
        QAccessible::Tree,         QAccessible::Table,       QAccessible::List,        QAccessible::Graphic,
        QAccessible::EditableText, QAccessible::ProgressBar, QAccessible::RadioButton, QAccessible::Chart,
        QAccessible::PopupMenu,    QAccessible::MenuBar,     QAccessible::ButtonMenu,  QAccessible::ToolBar};
    return roles;
}

struct Walk {
    QStringList wrong;
    int seen = 0;
};

void look(Walk& walk, QWidget* widget)
{
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
    const bool focusable = widget->focusPolicy() != Qt::NoFocus;
    if (isPartOfAnother(widget) || (widget->focusProxy() && !face))
        return;
    if (!face) {
        if (focusable)
            walk.wrong << s("%1 %2 has no accessible interface")
                              .arg(QLatin1String(widget->metaObject()->className()), widget->objectName());
        return;
    }
    if (!focusable && !spokenRoles().contains(face->role()))
        return;
    ++walk.seen;
    QStringList path;
    for (QWidget* above = widget; above && path.size() < 5; above = above->parentWidget())
        path << QLatin1String(above->metaObject()->className()) + QLatin1Char('#') + above->objectName();
    const QString where = path.join(s(" in "));
    if (face->text(QAccessible::Name).trimmed().isEmpty())
        walk.wrong << s("no name: ") + where;
    if (focusable && (face->role() == QAccessible::NoRole))
        walk.wrong << s("no role: ") + where;
}

/// Also what is hidden: it is shown sooner or later.
Walk walkAll(QWidget* root)
{
    Walk walk;
    look(walk, root);
    for (QWidget* widget : root->findChildren<QWidget*>())
        look(walk, widget);
    return walk;
}

} // namespace

class TestAccessibility : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyWidgetOfEveryPageAndOverlayHasAName()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        // The first screen, before anything is stored.
        QVERIFY(window.open(s("home")).ok());
        Walk walk = walkAll(&window);
        QVERIFY2(walk.wrong.isEmpty(), qPrintable(walk.wrong.join(QLatin1Char('\n'))));
        QVERIFY(walk.seen > 30);
        noteLearnerAsked();

        record::NoteRow note;
        note.lesson = "2.4";
        note.section = "Why it matters";
        note.quote = "Nothing warns you";
        place.store(note);
        note.quote = "words that this lesson never had";
        place.store(note);
        QStringList pages = everyPage(place).values();
        for (const lessons::ModuleInfo& module : place.context->curriculum().modules)
            pages << s("module/%1").arg(module.number);
        for (const lessons::Lesson& head : place.context->curriculum().heads)
            pages << s("lesson/") + QString::fromStdString(head.id);
        for (const ExperimentInfo& info : place.context->experiments())
            pages << s("lab/") + QString::fromStdString(info.id);
        for (const QString& page : pages) {
            const auto opened = window.open(page);
            QVERIFY2(opened.ok(), qPrintable(page));
            QTRY_VERIFY_WITH_TIMEOUT(window.page()->ready(), 60000);
            walk = walkAll(&window);
            QVERIFY2(walk.wrong.isEmpty(), qPrintable(page + QLatin1Char('\n') + walk.wrong.join(QLatin1Char('\n'))));
        }
        // What opens over the pages.
        QVERIFY(window.open(s("lesson/2.4")).ok());
        auto* lesson = qobject_cast<LearnPage*>(window.page())->lesson();
        lesson->places()->find();
        QTest::keyClicks(lesson->places()->findBar().field(), s("warp"));
        window.commandPalette()->open();
        window.commandPalette()->close();
        window.searchOverlay()->openWith(s("bank"));
        QTRY_VERIFY_WITH_TIMEOUT(window.searchOverlay()->settled(), 10000);
        window.searchOverlay()->close();
        window.shortcutEditor()->open();
        window.shortcutEditor()->close();
        window.shortcutSheet()->open();
        RunPicker picker(*place.context, s("Runs of the entry"), &window);
        walk = walkAll(&window);
        QVERIFY2(walk.wrong.isEmpty(), qPrintable(walk.wrong.join(QLatin1Char('\n'))));
        QVERIFY(walk.seen > 150);
        // Windows of their own: menus that were opened, dialogs.
        for (QWidget* top : QApplication::topLevelWidgets()) {
            if (top == &window || !top->parentWidget())
                continue; // popups of Qt's own that belong to nobody, as tool tips
            walk = walkAll(top);
            QVERIFY2(walk.wrong.isEmpty(), qPrintable(walk.wrong.join(QLatin1Char('\n'))));
        }
    }

    /// Tab leaves whatever it is in, on every page; in an editor, where it is a letter, after Esc (WCAG 2.2, 2.1.2).
    void noPageIsATrap()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.loadCatalogue());
        const QMap<QString, QString> pages = everyPage(place);
        MainWindow& window = place.makeWindow();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QApplication::setActiveWindow(&window);
        const auto focus = [&window] {
            QWidget* at = QApplication::focusWidget();
            return at ? at : &window;
        };
        for (const QString& page : pages) {
            QVERIFY2(window.open(page).ok(), qPrintable(page));
            QTRY_VERIFY_WITH_TIMEOUT(window.page()->ready(), 60000);
            QApplication::setActiveWindow(&window);
            QSet<QWidget*> seen;
            for (int i = 0; i < 150; ++i) {
                QWidget* before = focus();
                const auto* text = qobject_cast<QTextBrowser*>(before);
                const auto links = text ? text->toHtml().count(s("<a href")) : 0;
                for (qsizetype link = 0; link <= links && focus() == before; ++link)
                    QTest::keyClick(before, Qt::Key_Tab); // a paragraph has a stop for each of its links
                if (focus() == before) {
                    QTest::keyClick(focus(), Qt::Key_Escape);
                    QTest::keyClick(focus(), Qt::Key_Tab);
                }
                QVERIFY2(focus() != before,
                         qPrintable(page + s(": ") + QLatin1String(before->metaObject()->className()) + s(" ") +
                                    before->accessibleName()));
                seen << focus();
            }
            QVERIFY2(seen.size() > 3, qPrintable(page));
        }
    }

    void everyMenuEntryHasTextAndHelp()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        for (const QMenu* menu : window.menuBar()->findChildren<QMenu*>())
            for (const QAction* action : menu->actions())
                if (!action->isSeparator())
                    QVERIFY2(!action->text().trimmed().isEmpty(), qPrintable(menu->title()));
        for (const ActionSpec& spec : place.actions->specs())
            QVERIFY2(!spec.help.isEmpty(), qPrintable(spec.id));
    }

    void everyBoldTermOfTheLessonsHasACard()
    {
        Workplace place;
        const auto& curriculum = place.context->curriculum();
        int terms = 0;
        for (const lessons::Lesson& head : curriculum.heads) {
            const auto lesson = lessons::loadLesson(curriculum, head.id);
            QVERIFY2(lesson.ok(), head.id.c_str());
            static const QRegularExpression bold(s("\\*\\*([^*]+)\\*\\*"));
            for (const lessons::Section& section : lesson->sections)
                for (const lessons::Segment& segment : section.segments)
                    if (const auto* prose = std::get_if<lessons::Prose>(&segment)) {
                        auto found = bold.globalMatch(QString::fromStdString(prose->markdown));
                        while (found.hasNext()) {
                            const QString term = found.next().captured(1).simplified();
                            QVERIFY2(cardFor(curriculum, QUrl(s("term:") + term)), qPrintable(term));
                            ++terms;
                        }
                    }
        }
        QVERIFY(terms > 5);
    }
};

QTEST_MAIN(TestAccessibility)
#include "tst_accessibility.moc"
