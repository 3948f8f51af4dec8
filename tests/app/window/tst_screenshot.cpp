// SPDX-License-Identifier: GPL-3.0-or-later
// The real program as scripts and documentation use it.
#include <QDirIterator>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

class TestScreenshot : public QObject {
    Q_OBJECT

    struct Outcome {
        int code = -1;
        QString out, err;
    };

    Outcome run(const QStringList& arguments) const
    {
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("RIDGE_HOME"), m_home.path() + QStringLiteral("/home"));
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        program.setProcessEnvironment(environment);
        program.start(qEnvironmentVariable("RIDGE_BIN") + QStringLiteral("/ridgepoint"), arguments);
        if (!program.waitForFinished(60000))
            program.kill();
        return {program.exitStatus() == QProcess::NormalExit ? program.exitCode() : -2,
                QString::fromUtf8(program.readAllStandardOutput()), QString::fromUtf8(program.readAllStandardError())};
    }

    QTemporaryDir m_home;

private Q_SLOTS:
    void picturesOfEveryDestination_data()
    {
        QTest::addColumn<QString>("page");
        QTest::addColumn<QString>("theme");
        for (const char* page : {"home", "learn", "lesson/2.4", "lab", "runs", "portfolio"})
            for (const char* theme : {"light", "dark"})
                QTest::addRow("%s %s", page, theme) << QString::fromLatin1(page) << QString::fromLatin1(theme);
    }
    void picturesOfEveryDestination()
    {
        QFETCH(QString, page);
        QFETCH(QString, theme);
        const QString file = m_home.filePath(QStringLiteral("a.png"));
        const Outcome done =
            run({QStringLiteral("--screenshot"), file, QStringLiteral("--open"), page, QStringLiteral("--theme"), theme,
                 QStringLiteral("--size"), QStringLiteral("1000x700")});
        QVERIFY2(done.code == 0, qPrintable(done.err));
        const QImage image(file);
        QCOMPARE(image.size(), QSize(1000, 700));
        // The corner of the rail shows the window colour of the theme that was asked for.
        QCOMPARE(image.pixelColor(4, 560).lightness() < 128, theme == QLatin1String("dark"));
    }

    void scaleMultipliesPixels()
    {
        const QString file = m_home.filePath(QStringLiteral("b.png"));
        const Outcome done =
            run({QStringLiteral("--screenshot"), file, QStringLiteral("--open"), QStringLiteral("home"),
                 QStringLiteral("--scale"), QStringLiteral("2"), QStringLiteral("--size"), QStringLiteral("900x600")});
        QVERIFY2(done.code == 0, qPrintable(done.err));
        QCOMPARE(QImage(file).size(), QSize(1800, 1200));
    }

    void samePictureTwice()
    {
        const QString one = m_home.filePath(QStringLiteral("c.png"));
        const QString two = m_home.filePath(QStringLiteral("d.png"));
        for (const QString& file : {one, two})
            QCOMPARE(
                run({QStringLiteral("--screenshot"), file, QStringLiteral("--open"), QStringLiteral("learn")}).code, 0);
        QCOMPARE(QImage(one), QImage(two));
    }

    void mistakesHaveTheirOwnStatus_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        const QString shot = QStringLiteral("--screenshot");
        const QString open = QStringLiteral("--open");
        const QString good = m_home.filePath(QStringLiteral("x.png"));
        QTest::newRow("usage") << QStringList{QStringLiteral("--nonsense"), QStringLiteral("1")} << 2;
        QTest::newRow("page") << QStringList{shot, good, open, QStringLiteral("lesson/9.9")} << 3;
        QTest::newRow("block") << QStringList{shot,
                                              good,
                                              open,
                                              QStringLiteral("lesson/2.4"),
                                              QStringLiteral("--block"),
                                              QStringLiteral("nope")}
                               << 3;
        QTest::newRow("folder") << QStringList{shot, QStringLiteral("/no/such/folder/x.png"), open,
                                               QStringLiteral("home")}
                                << 4;
    }
    void mistakesHaveTheirOwnStatus()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        const Outcome done = run(arguments);
        QCOMPARE(done.code, code);
        // Qt may say something of its own first, on a machine without XDG_RUNTIME_DIR for one.
        QVERIFY2((QLatin1Char('\n') + done.err).contains(QLatin1String("\nridgepoint: ")), qPrintable(done.err));
    }

    void helpNamesEveryStatus()
    {
        const Outcome done = run({QStringLiteral("--help")});
        QCOMPARE(done.code, 0);
        for (const char* text : {"--screenshot", "--wait-runs", "--timing", "Exit status", "RIDGE_HOME"})
            QVERIFY2(done.out.contains(QLatin1String(text)), text);
        QVERIFY(run({QStringLiteral("--version")}).out.startsWith(QLatin1String("ridgepoint ")));
    }

    /// A stick that is carried from one computer to the next: everything lies beside the program, nothing elsewhere.
    void portableKeepsEverythingBesideTheProgram()
    {
        const QTemporaryDir stick, own;
        const QString program = stick.filePath(QStringLiteral("ridgepoint"));
        QVERIFY(QFile::copy(qEnvironmentVariable("RIDGE_BIN") + QStringLiteral("/ridgepoint"), program));
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove(QStringLiteral("RIDGE_HOME"));
        for (const char* folder : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
            environment.insert(QLatin1String(folder), own.path());
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        process.setProcessEnvironment(environment);
        process.start(program,
                      {QStringLiteral("--portable"), QStringLiteral("--timing"), QStringLiteral("--quit-after-paint")});
        QVERIFY(process.waitForFinished(60000));
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        QVERIFY(QFile::exists(stick.filePath(QStringLiteral("ridgepoint-data/ridgepoint.db"))));
        QStringList elsewhere;
        QDirIterator files(own.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (files.hasNext())
            if (const QString file = files.next(); file.contains(QLatin1String("idgepoint")))
                elsewhere << file;
        QVERIFY2(elsewhere.isEmpty(), qPrintable(elsewhere.join(QLatin1Char('\n'))));
    }

    void firstPaintIsTimed()
    {
        const Outcome done = run({QStringLiteral("--timing"), QStringLiteral("--quit-after-paint")});
        QVERIFY2(done.code == 0, qPrintable(done.err));
        QVERIFY2(done.out.startsWith(QLatin1String("first paint: ")), qPrintable(done.out));
        const double milliseconds = done.out.section(QLatin1Char(' '), 2, 2).toDouble();
        QVERIFY2(milliseconds > 1 && milliseconds < 60000, qPrintable(done.out)); // docs/benchmarks.md has the target
    }
};

QTEST_GUILESS_MAIN(TestScreenshot)
#include "tst_screenshot.moc"
