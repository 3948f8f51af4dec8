// SPDX-License-Identifier: GPL-3.0-or-later
// What the shell is made of, without a window: search, history, command line, shortcuts, icons.
#include "app/runs/lab/sweep_editor.h"
#include "app/session/actions.h"
#include "app/ui/icons.h"
#include "app/ui/panels.h"
#include "app/ui/sized_label.h"
#include "app/window/command_line.h"
#include "app/window/fuzzy.h"
#include "app/window/history.h"
#include "app/window/page_places.h"
#include "app/window/single_instance.h"
#include "base/paths.h"

#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>
#include <functional>
#include <set>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

ParamSpec stride()
{
    ParamSpec spec;
    spec.name = "stride";
    spec.title = "Stride";
    spec.min = 1;
    spec.max = 128;
    spec.scale = ParamScale::Log2;
    spec.defaultValue = std::int64_t{1};
    return spec;
}

} // namespace

class TestShellParts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A layout asks for the same heights many times: each is worked out once, and anew when the label looks different.
    void aLabelWorksItsHeightOutOnce()
    {
        class Counting : public SizedLabel {
        public:
            mutable int worked = 0;

        protected:
            int workOut(int width) const override
            {
                ++worked;
                return SizedLabel::workOut(width);
            }
        };
        Counting label;
        QLabel plain;
        QFont large = plain.font();
        large.setPixelSize(31);
        const std::vector<std::function<void(QLabel&)>> changes = {
            [](QLabel& one) { one.setWordWrap(true); },
            [](QLabel& one) { one.setText(s("A warp of 32 threads reads 4 bytes each, from 1 to 32 sectors.")); },
            [&](QLabel& one) { one.setFont(large); },
            [](QLabel& one) { one.setMargin(7); },
            [](QLabel& one) { one.setIndent(40); },
            [](QLabel& one) { one.setFrameStyle(int(QFrame::Box) | int(QFrame::Plain)); },
            [](QLabel& one) { one.setContentsMargins(20, 3, 20, 3); },
            [](QLabel& one) { one.setTextInteractionFlags(Qt::TextSelectableByMouse); },
            [](QLabel& one) { one.setMinimumWidth(200); },
            [](QLabel& one) { one.setAlignment(Qt::AlignRight); },
            [](QLabel& one) { one.setText(s("Two<br>lines<br>and a <b>third</b>")); },
            [](QLabel& one) { one.setTextFormat(Qt::PlainText); },
            [](QLabel& one) { one.setWordWrap(false); },
        };
        std::set<int> heights;
        for (std::size_t at = 0; at < changes.size(); ++at) {
            changes[at](label);
            changes[at](plain);
            const int before = label.worked;
            for (int again = 0; again < 3; ++again)
                for (const int width : {120, 260}) {
                    QVERIFY2(label.heightForWidth(width) == plain.heightForWidth(width),
                             qPrintable(QString::number(at)));
                    heights.insert(plain.heightForWidth(width));
                }
            if (at > 0) // before there are no words
                QCOMPARE(label.worked, before + 2);
        }
        QVERIFY(heights.size() > 6);
        for (QLabel* one : {static_cast<QLabel*>(&label), &plain})
            one->setStyleSheet(s("padding: 9px;"));
        QCOMPARE(label.heightForWidth(120), plain.heightForWidth(120));
    }

    void fuzzyFindsLettersInOrder()
    {
        QVERIFY(fuzzyScore(s("clsc"), s("Coalescing")) >= 0);
        QCOMPARE(fuzzyScore(s("xyz"), s("Coalescing")), -1);
        QCOMPARE(fuzzyScore(s("gnic"), s("Coalescing")), -1);
        QVERIFY(fuzzyScore(s("bank co"), s("Coalescing and bank conflicts")) >= 0); // words in any order
        QVERIFY(fuzzyScore({}, s("anything")) >= 0);
    }

    void fuzzyFindsWhatIsMeantAndNothingElse()
    {
        QVERIFY(fuzzyScore(s("rofline"), s("1.6  Roofline model")) >= 0);
        QVERIFY(fuzzyScore(s("gtp"), s("Go to page")) >= 0);
        QVERIFY(fuzzyScore(s("gotopa"), s("Go to page")) >= 0);
        QVERIFY(fuzzyScore(s("flict"), s("Bank conflicts")) >= 0); // inside a word, as it is
        QCOMPARE(fuzzyScore(s("warp"), s("Show what a run reports")), -1);
        QCOMPARE(fuzzyScore(s("lat"), s("Measured roofline of the machine at rest")), -1);
        QCOMPARE(fuzzyScore(s("dram"), s("Discard the changes and return to the map")), -1);
        QCOMPARE(fuzzyScore(s("ab"), s("Tables")), -1); // two letters stand inside everything
        QVERIFY(containsWords(s("sim STRIDE"), s("stride 8 · sim:h100-sxm")));
        QVERIFY(!containsWords(s("sim warp"), s("stride 8 · sim:h100-sxm")));
        // A long pattern in a long text is answered at once.
        const QString words = s("a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b");
        QCOMPARE(fuzzyScore(QString(12, u'a') + u'c', words), -1);
    }

    void fuzzyPrefersWholeWordsAndStarts()
    {
        QVERIFY(fuzzyScore(s("run"), s("Run")) > fuzzyScore(s("run"), s("Return to the first unit")));
        QVERIFY(fuzzyScore(s("bc"), s("Bank conflicts")) > fuzzyScore(s("bc"), s("Subscript")));
        QVERIFY(fuzzyScore(s("lab"), s("Lab")) > fuzzyScore(s("lab"), s("Labels of the laboratory")));
    }

    void historyGoesBackAndForgetsTheFuture()
    {
        History history;
        QVERIFY(!history.canGoBack());
        for (const char* page : {"home", "learn", "lesson/2.4"})
            history.visit(s(page));
        history.visit(s("lesson/2.4")); // where one is already
        history.noteScroll(0.5);
        QCOMPARE(history.back().page, s("learn"));
        QVERIFY(history.canGoForward());
        const History::Place ahead = history.forward();
        QCOMPARE(ahead.page, s("lesson/2.4"));
        QCOMPARE(ahead.scroll, 0.5);
        history.back();
        history.visit(s("lab"));
        QVERIFY(!history.canGoForward());
        QCOMPARE(history.back().page, s("learn"));
        QCOMPARE(history.back().page, s("home"));
        QVERIFY(!history.canGoBack());
    }

    void commandLineIsRead()
    {
        const auto line = parseCommandLine({s("--screenshot"), s("a.png"), s("--open=lesson/2.4"), s("--theme"),
                                            s("dark"), s("--scale"), s("2"), s("--size"), s("1600x1000"), s("--scroll"),
                                            s("0.5"), s("--wait-runs")});
        QVERIFY(line.ok());
        QCOMPARE(line->open, s("lesson/2.4"));
        QCOMPARE(line->theme, s("dark"));
        QCOMPARE(line->scale, 2.0);
        QCOMPARE(line->size, QSize(1600, 1000));
        QCOMPARE(line->scroll, 0.5);
        QVERIFY(line->waitRuns);
    }

    void helpNamesEveryPage()
    {
        const QString help = helpText(), flat = help.simplified();
        for (const QString& page : pageNames()) {
            QVERIFY2(flat.contains(page), qPrintable(page));
            const QString destination = destinationOf(page);
            QVERIFY2(pageNames().join(QLatin1Char(' ')).contains(destination),
                     qPrintable(page + s(" leads to ") + destination));
        }
        for (const QString& line : help.split(QLatin1Char('\n')))
            QVERIFY2(line.size() <= 80, qPrintable(line));
        QVERIFY(!help.contains(s("%1")));
    }

    void badCommandLineIsRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("named");
        QTest::newRow("unknown") << QStringList{s("--frobnicate"), s("1")} << s("--frobnicate");
        QTest::newRow("theme") << QStringList{s("--theme"), s("pink")} << s("pink");
        QTest::newRow("size") << QStringList{s("--size"), s("12")} << s("12");
        QTest::newRow("huge") << QStringList{s("--size"), s("99999x99999")} << s("99999");
        QTest::newRow("scale") << QStringList{s("--scale"), s("nine")} << s("nine");
        QTest::newRow("bare") << QStringList{s("lesson/2.4")} << s("lesson/2.4");
        QTest::newRow("no such file") << QStringList{s("gone.ridgeclass")} << s("gone.ridgeclass");
        QTest::newRow("two files") << QStringList{s("/"), s("/")} << s("/");
        QTest::newRow("scroll alone") << QStringList{s("--scroll"), s("1")} << s("--scroll");
        QTest::newRow("missing value") << QStringList{s("--open")} << s("--open");
    }
    void badCommandLineIsRefused()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, named);
        const auto line = parseCommandLine(arguments);
        QVERIFY(!line.ok());
        QCOMPARE(line.error().code, std::string("bad-argument"));
        QVERIFY2(QString::fromStdString(line.error().message).contains(named), line.error().message.c_str());
        QVERIFY(!line.error().fix.empty());
    }

    void registryFindsConflicts()
    {
        ActionRegistry registry;
        registry.add({s("a"), s("File"), s("A"), s("Does A"), {QKeySequence(s("Ctrl+A"))}}, [] {});
        QVERIFY(registry.conflicts().isEmpty());
        registry.add({s("b"), s("File"), s("B"), s("Does B"), {QKeySequence(s("Ctrl+A"))}}, [] {});
        QCOMPARE(registry.conflicts().size(), 1);
        QVERIFY_THROWS_EXCEPTION(std::logic_error, registry.add({s("a"), s("File"), s("A"), {}, {}}, [] {}));
    }

    void plainKeysSpareTextFields()
    {
        ActionRegistry registry;
        int pressed = 0;
        QWidget window;
        auto* layout = new QVBoxLayout(&window);
        auto* field = new QLineEdit;
        auto* editor = new QPlainTextEdit;
        auto* button = new QWidget;
        button->setFocusPolicy(Qt::StrongFocus);
        for (QWidget* widget : {static_cast<QWidget*>(field), static_cast<QWidget*>(editor), button})
            layout->addWidget(widget);
        window.addAction(registry.add({s("j"), s("Go"), s("J"), {}, {QKeySequence(s("J"))}, true}, [&] { ++pressed; }));
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        field->setFocus();
        QTest::keyClick(field, Qt::Key_J);
        editor->setFocus();
        QTest::keyClick(editor, Qt::Key_J);
        QCOMPARE(pressed, 0);
        QCOMPARE(field->text(), s("j"));
        QCOMPARE(editor->toPlainText(), s("j"));
        button->setFocus();
        QTest::keyClick(button, Qt::Key_J);
        QCOMPARE(pressed, 1);
    }

    void secondStartHandsItsPageOver()
    {
        QTemporaryDir home;
        QTemporaryDir other;
        qputenv("RIDGE_HOME", home.path().toLocal8Bit());
        SingleInstance first;
        QVERIFY(!first.handOver(s("lesson/2.4"))); // nobody there yet
        first.listen();
        QSignalSpy asked(&first, &SingleInstance::pageRequested);
        QVERIFY(SingleInstance().handOver(s("lesson/2.4")));
        QVERIFY(asked.count() > 0 || asked.wait(60000));
        QCOMPARE(asked.first().first().toString(), s("lesson/2.4"));
        QSignalSpy files(&first, &SingleInstance::fileRequested);
        const QString path = s("/tmp/") + QString(2000, QLatin1Char('k')) + s("/Woche 1 #2, ü%.ridgeclass");
        QVERIFY(SingleInstance().handOver({}, path));
        QVERIFY(files.count() > 0 || files.wait(60000));
        QCOMPARE(files.first().first().toString(), path);
        QCOMPARE(asked.count(), 1);
        qputenv("RIDGE_HOME", other.path().toLocal8Bit());
        QVERIFY(!SingleInstance().handOver(s("home"))); // another store is another program
        qunsetenv("RIDGE_HOME");
    }

    /// A line holds as many letters whatever the size of the text.
    void columnsGrowWithTheText()
    {
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        ColumnScroll scroll(600, QStringLiteral("Column"));
        scroll.resize(2000, 400);
        scroll.show();
        QVERIFY(QTest::qWaitForWindowExposed(&scroll));
        const QWidget* column = scroll.column()->parentWidget();
        QTRY_COMPARE(column->width(), 600);
        theme.setTextScale(2);
        QTRY_COMPARE(column->width(), 1200);
        scroll.resize(900, 400); // and never leaves the window
        QTRY_VERIFY(column->width() < 900);
        theme.setTextScale(1);
        QTRY_COMPARE(column->width(), 600);
    }

    void everyIconIsDrawnInTheAskedColour()
    {
        for (const QString& name : iconNames()) {
            const QImage image = iconPixmap(name, QColor(Qt::red), 20, 2.0).toImage();
            QVERIFY2(!image.isNull(), qPrintable(name));
            QCOMPARE(image.size(), QSize(40, 40));
            int painted = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    if (const QColor at = image.pixelColor(x, y); at.alpha() > 200) {
                        ++painted;
                        QVERIFY2(at.red() > 200 && at.blue() < 60, qPrintable(name));
                    }
            QVERIFY2(painted > 20, qPrintable(name));
        }
        QVERIFY(iconPixmap(s("no-such-icon"), QColor(Qt::red), 20).isNull());
    }

    void iconFilesAreUsedAndUncoloured()
    {
        const QDir folder(QString::fromStdString((*dataFolder() / "assets" / "icons").string()));
        const QStringList files = folder.entryList({s("*.svg")});
        for (const QString& file : files) {
            QVERIFY2(iconNames().contains(file.chopped(4)), qPrintable(file));
            QFile svg(folder.filePath(file));
            QVERIFY(svg.open(QIODevice::ReadOnly));
            const QString text = QString::fromUtf8(svg.readAll());
            QVERIFY2(!text.contains(QRegularExpression(s("#[0-9a-fA-F]{3,6}"))), qPrintable(file));
            QVERIFY2(text.contains(s("currentColor")), qPrintable(file));
        }
        QCOMPARE(files.size(), iconNames().size());
    }

    void sweepEditorOffersAndChecks()
    {
        Theme theme;
        QVERIFY(theme.load(s("light")).ok());
        SweepEditor editor(theme);
        ParamSpec other = stride();
        other.name = "offset";
        other.title = "Offset";
        other.scale = ParamScale::Linear;
        other.min = 0;
        other.max = 31;
        ParamSpec own = other;
        own.sweepFor = {{"sim", "1..4"}};
        QCOMPARE(SweepEditor::defaultRange(own, "sim"), s("1..4"));
        editor.setParameters({stride(), other}, "stride", "sim");
        QCOMPARE(SweepEditor::defaultRange(stride(), "sim"), s("1..128:log2"));
        auto axes = editor.axes();
        QVERIFY(axes.ok());
        QCOMPARE(axes->size(), std::size_t{1});
        QCOMPARE(axes->front().values.size(), std::size_t{8});
        editor.setAxis(1, s("offset"), s("0,1,2"));
        QCOMPARE(editor.axes()->size(), std::size_t{2});
        editor.setAxis(1, s("stride"), s("1,2"));
        QVERIFY(!editor.axes().ok()); // twice
        editor.setAxis(1, s("offset"), s("0..1000"));
        const auto bad = editor.axes();
        QVERIFY(!bad.ok());
        QVERIFY2(bad.error().message.find("offset") != std::string::npos ||
                     bad.error().place.find("offset") != std::string::npos,
                 toText(bad.error()).c_str());
    }
};

QTEST_MAIN(TestShellParts)
#include "tst_shell_parts.moc"
