// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/announce.h"
#include "app/theme/focus_ring.h"
#include "app/theme/theme.h"
#include "app/ui/panels.h"

#include <QtTest>
#include <QtWidgets>

using namespace ridge::app;

class ThemeTest : public QObject {
    Q_OBJECT
    static QByteArray lightFile()
    {
        QFile file(QString::fromLocal8Bit(qgetenv("RIDGE_SOURCE")) + QStringLiteral("/assets/themes/light.json"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static QString written(QTemporaryDir& folder, const QByteArray& bytes)
    {
        QFile file(folder.filePath(QStringLiteral("mine.json")));
        if (file.open(QIODevice::WriteOnly))
            file.write(bytes);
        return file.fileName();
    }

private Q_SLOTS:
    void everyRoleOfEveryTheme()
    {
        Theme theme(nullptr, Theme::Scope::Detached);
        for (const QString& name : Theme::names()) {
            const auto loaded = theme.load(name);
            QVERIFY2(loaded.ok(), loaded.ok() ? "" : ridge::toText(loaded.error()).c_str());
            QCOMPARE(theme.name(), name);
            for (const Role role : Theme::roles())
                QVERIFY2(theme.color(role).isValid() && theme.color(role).alpha() == 255, qPrintable(Theme::key(role)));
        }
        QCOMPARE(static_cast<int>(Theme::roles().size()), static_cast<int>(Role::InkLight) + 1);
        QVERIFY(theme.isDark());
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        QVERIFY(!theme.isDark());
        QCOMPARE(theme.series(8), theme.series(0));
    }

    void badFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("named");
        QByteArray missing = lightFile();
        missing.replace("    \"syntaxKeyword\": \"#8A1C7C\",\n", "");
        QByteArray misspelt = lightFile();
        misspelt.replace("\"heat5\"", "\"heat5\": \"#000000\", \"heat6\"");
        QByteArray wrong = lightFile();
        wrong.replace("\"#0B62C4\"", "\"blue\"");
        QTest::newRow("missing role") << missing << QStringLiteral("syntaxKeyword");
        QTest::newRow("unknown role") << misspelt << QStringLiteral("heat6");
        QTest::newRow("no colour") << wrong << QStringLiteral("accent");
        QTest::newRow("no roles") << QByteArray("{}") << QStringLiteral("roles");
        QTest::newRow("no JSON") << QByteArray("{") << QStringLiteral("mine.json");
    }
    void badFilesAreRefused()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, named);
        QVERIFY(bytes != lightFile());
        Theme theme(nullptr, Theme::Scope::Detached);
        QVERIFY(theme.load(QStringLiteral("dark")).ok());
        const QColor before = theme.color(Role::Window);
        QTemporaryDir folder;
        const QString path = written(folder, bytes);
        const auto result = theme.loadFile(path, QStringLiteral("mine"));
        QVERIFY(!result.ok());
        QCOMPARE(result.error().code, std::string("bad-theme"));
        QCOMPARE(QString::fromStdString(result.error().place), path);
        QVERIFY2(QString::fromStdString(ridge::toText(result.error())).contains(named),
                 ridge::toText(result.error()).c_str());
        QVERIFY(!result.error().fix.empty());
        QCOMPARE(theme.name(), QStringLiteral("dark"));
        QCOMPARE(theme.color(Role::Window), before);
    }

    void unknownNameIsRefused()
    {
        Theme theme(nullptr, Theme::Scope::Detached);
        const auto result = theme.load(QStringLiteral("sepia"));
        QVERIFY(!result.ok());
        QVERIFY(result.error().message.find("sepia") != std::string::npos);
        QVERIFY(result.error().fix.find("contrast") != std::string::npos);
    }

    void paletteIsLiveWhenChangedIsSent()
    {
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        QColor seen;
        connect(&theme, &Theme::changed, this, [&] { seen = QApplication::palette().color(QPalette::Window); });
        QVERIFY(theme.load(QStringLiteral("dark")).ok());
        QCOMPARE(seen, theme.color(Role::Window));
        QVERIFY(qApp->styleSheet().contains(theme.color(Role::Accent).name()));
    }

    void detachedThemeLeavesTheApplicationAlone()
    {
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("dark")).ok());
        Theme other(nullptr, Theme::Scope::Detached);
        QVERIFY(other.load(QStringLiteral("light")).ok());
        QCOMPARE(QApplication::palette().color(QPalette::Window), theme.color(Role::Window));
    }

    void styleSheetIsResolved()
    {
        Theme theme(nullptr, Theme::Scope::Detached);
        for (const QString& name : Theme::names()) {
            QVERIFY(theme.load(name).ok());
            QVERIFY2(!theme.styleSheet().contains(QLatin1Char('$')),
                     qPrintable(theme.styleSheet().section(QLatin1Char('$'), 1).left(40)));
            static const QRegularExpression url(QStringLiteral("url\\(\"([^\"]+)\"\\)"));
            auto each = url.globalMatch(theme.styleSheet());
            int glyphs = 0;
            for (; each.hasNext(); ++glyphs) {
                const QString path = each.next().captured(1);
                QVERIFY2(QFile::exists(path), qPrintable(path));
            }
            QVERIFY(glyphs >= 4);
        }
    }

    void typeScale()
    {
        Theme theme(nullptr, Theme::Scope::Detached);
        const auto pixels = [&](TextStyle style) { return QFontInfo(theme.font(style)).pixelSize(); };
        QCOMPARE(pixels(TextStyle::Caption), 12);
        QCOMPARE(pixels(TextStyle::ReadBody), 17);
        QCOMPARE(theme.lineHeight(TextStyle::ReadBody), 27);
        QCOMPARE(theme.font(TextStyle::ReadH1).weight(), QFont::DemiBold);
        QCOMPARE(theme.font(TextStyle::Body).pointSizeF(), 13.5 * 72 / 96);
        QVERIFY(QFontInfo(theme.font(TextStyle::Code)).fixedPitch());
        QSignalSpy changed(&theme, &Theme::changed);
        theme.setTextScale(2.0);
        QCOMPARE(pixels(TextStyle::Caption), 24);
        QCOMPARE(theme.lineHeight(TextStyle::ReadBody), 54);
        theme.setTextScale(5);
        QCOMPARE(theme.textScale(), 2.0);
        theme.setTextScale(0.1);
        QCOMPARE(theme.textScale(), 0.8);
        QCOMPARE(changed.count(), 2);
    }

    void controlsAreLargeEnough()
    {
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        QPushButton button(QStringLiteral("Run"));
        QLineEdit field;
        QComboBox combo;
        QToolButton tool;
        tool.setText(QStringLiteral("Table"));
        for (QWidget* widget : {static_cast<QWidget*>(&button), static_cast<QWidget*>(&field),
                                static_cast<QWidget*>(&combo), static_cast<QWidget*>(&tool)}) {
            widget->ensurePolished();
            QVERIFY2(widget->sizeHint().height() >= kControlHeight, widget->metaObject()->className());
        }
        theme.setTextScale(2);
        button.ensurePolished();
        QVERIFY(button.sizeHint().height() >= 2 * 28);
    }

    void ringFollowsTheKeyboardOnly()
    {
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        auto* ring = theme.findChild<FocusRing*>();
        QVERIFY(ring);
        QWidget window;
        auto* layout = new QVBoxLayout(&window);
        auto* first = new QPushButton(QStringLiteral("first"));
        auto* second = new QPushButton(QStringLiteral("second"));
        layout->addWidget(first);
        layout->addWidget(second);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        first->setFocus(Qt::MouseFocusReason);
        QVERIFY(!ring->frame() || ring->frame()->isHidden());
        QTest::keyClick(first, Qt::Key_Tab);
        QTRY_COMPARE(QApplication::focusWidget(), second);
        QVERIFY(ring->frame() && ring->frame()->isVisible());
        QCOMPARE(ring->frame()->geometry(), second->geometry().adjusted(-4, -4, 4, 4));
        window.resize(400, 300);
        QTRY_COMPARE(ring->frame()->geometry(), second->geometry().adjusted(-4, -4, 4, 4));
        const QImage shot = window.grab().toImage();
        const QPoint edge(ring->frame()->geometry().center().x(), ring->frame()->geometry().top());
        QCOMPARE(shot.pixelColor(edge), theme.color(Role::Link));
        second->hide();
        QVERIFY(ring->frame()->isHidden() || ring->frame()->geometry() != second->geometry().adjusted(-4, -4, 4, 4));
    }

    /// At the edge of its parent a control has its ring in what lies around it; where nothing does, over its own edge.
    void ringIsNeverCutOff()
    {
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        QCOMPARE(theme.findChildren<FocusRing*>().size(), 1);
        auto* ring = theme.findChild<FocusRing*>();
        QWidget window;
        auto* outer = new QVBoxLayout(&window);
        outer->setContentsMargins(24, 24, 24, 24);
        auto* bar = new QWidget;
        auto* inner = new QVBoxLayout(bar);
        inner->setContentsMargins(0, 0, 0, 0);
        auto* flush = new QPushButton(QStringLiteral("flush"));
        inner->addWidget(flush);
        outer->addWidget(bar);
        auto* scroll = new QScrollArea;
        scroll->setWidgetResizable(true);
        auto* page = new QWidget;
        auto* column = new QVBoxLayout(page);
        column->setContentsMargins(0, 0, 0, 0);
        auto* scrolled = new QPushButton(QStringLiteral("scrolled"));
        column->addWidget(scrolled);
        scroll->setWidget(page);
        outer->addWidget(scroll);
        window.resize(320, 200);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        scrolled->setFocus(Qt::MouseFocusReason); // the window gave its focus to the first control
        flush->setFocus(Qt::TabFocusReason);
        QVERIFY(ring->frame() && ring->frame()->isVisible());
        const auto inWindow = [&window](const QWidget* widget) {
            return QRect(widget->mapTo(&window, QPoint()), widget->size());
        };
        QCOMPARE(inWindow(ring->frame()), inWindow(flush).adjusted(-4, -4, 4, 4));
        QVERIFY(ring->frame()->parentWidget()->rect().contains(ring->frame()->geometry()));
        bar->layout()->setContentsMargins(40, 0, 0, 0); // the ring goes where the control goes
        QTRY_COMPARE(inWindow(ring->frame()), inWindow(flush).adjusted(-4, -4, 4, 4));
        outer->setContentsMargins(24, 40, 24, 24); // also where only what is around it moves
        QTRY_COMPARE(inWindow(ring->frame()), inWindow(flush).adjusted(-4, -4, 4, 4));
        // What scrolls takes its ring along and cannot lend it room.
        scrolled->setFocus(Qt::TabFocusReason);
        QCOMPARE(ring->frame()->parentWidget(), page);
        QVERIFY(page->rect().contains(ring->frame()->geometry()));
    }

    /// Whoever looks at a list sees which row is chosen, also while the focus is elsewhere.
    void chosenRowsArePainted_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<bool>("highRows");
        QTest::addColumn<QString>("own");
        for (const char* kind : {"table", "tree", "list"})
            for (const bool high : {false, true})
                for (const char* own : {"", "QListView::item { border: none; padding: 0 5px; }"})
                    QTest::addRow("%s%s%s", kind, high ? ", high rows" : "", *own ? ", a sheet of its own" : "")
                        << kind << high << own;
    }
    void chosenRowsArePainted()
    {
        QFETCH(QString, kind);
        QFETCH(bool, highRows);
        QFETCH(QString, own);
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")));
        QWidget window;
        auto* column = new QVBoxLayout(&window);
        auto* elsewhere = new QLineEdit;
        column->addWidget(elsewhere);
        QAbstractItemView* view = nullptr;
        if (kind == QStringLiteral("table"))
            view = new QTableView;
        else if (kind == QStringLiteral("tree"))
            view = new QTreeView;
        else
            view = new QListView;
        column->addWidget(view);
        QStandardItemModel model(4, 2);
        for (int row = 0; row < 4; ++row)
            model.setItem(row, 0, new QStandardItem(QStringLiteral("a")));
        view->setModel(&model);
        view->setSelectionBehavior(QAbstractItemView::SelectRows);
        if (highRows)
            useRowHeight(theme, view);
        if (!own.isEmpty())
            view->setStyleSheet(own);
        window.resize(400, 300);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        elsewhere->setFocus();
        view->setCurrentIndex(model.index(2, 0));
        const auto colour = [view, &model](int row) {
            const QRect cell = view->visualRect(model.index(row, 0));
            return view->viewport()->grab().toImage().pixelColor(cell.right() - 4, cell.center().y());
        };
        for (const char* name : {"light", "dark"}) {
            QVERIFY(theme.load(QString::fromLatin1(name)));
            QTRY_COMPARE(colour(2), theme.color(Role::Selection));
            QVERIFY(colour(1) != theme.color(Role::Selection));
        }
    }

    void announcementsReachStatusBarAndDescription()
    {
        QMainWindow window;
        auto* label = new QLabel(QStringLiteral("x"));
        window.setCentralWidget(label);
        window.statusBar();
        announce(label, QStringLiteral("run finished"));
        QCOMPARE(window.statusBar()->currentMessage(), QStringLiteral("run finished"));
        QCOMPARE(label->property("announcement").toString(), QStringLiteral("run finished"));
    }
};

QTEST_MAIN(ThemeTest)
#include "tst_theme.moc"
