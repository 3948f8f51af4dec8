// SPDX-License-Identifier: GPL-3.0-or-later
// Work beside the event loop: told where it was asked for, stopped and waited for when its owner goes.
#include "app/session/background.h"
#include "record/store.h"
#include "tests/support/many_runs.h"

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>

using namespace ridge;
using namespace ridge::app;

class TestBackground : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsDoneIsToldInTheEventLoop()
    {
        Background background;
        QThread* there = nullptr;
        int told = 0;
        background.run(
            this,
            [&there]() {
                there = QThread::currentThread();
                return QThread::currentThread()->isInterruptionRequested() ? 0 : 7;
            },
            [&told](int value) {
                QCOMPARE(QThread::currentThread(), QCoreApplication::instance()->thread());
                told = value;
            });
        QVERIFY(background.busy());
        background.wait();
        QCOMPARE(told, 0);
        QVERIFY(background.busy()); // done, but not told
        QTRY_COMPARE(told, 7);
        QVERIFY(!background.busy());
        QVERIFY(there && there != QThread::currentThread());
    }

    void itsEndStopsAndWaits()
    {
        std::atomic<bool> begun = false, ended = false;
        bool told = false;
        auto background = std::make_unique<Background>();
        background->run(
            this,
            [&]() {
                begun = true;
                while (!QThread::currentThread()->isInterruptionRequested())
                    QThread::yieldCurrentThread();
                QThread::msleep(20); // what a row or a file takes
                ended = true;
                return 1;
            },
            [&told](int) { told = true; });
        QTRY_VERIFY(begun.load());
        background.reset();
        QVERIFY(ended.load());
        QCoreApplication::processEvents();
        QVERIFY(!told);
    }

    void whatHasNotBegunIsLeftOut()
    {
        constexpr int kMany = 500;
        std::atomic<int> begun = 0, ended = 0;
        auto background = std::make_unique<Background>();
        for (int i = 0; i < kMany; ++i)
            background->run(
                this,
                [&]() {
                    ++begun;
                    while (!QThread::currentThread()->isInterruptionRequested())
                        QThread::yieldCurrentThread();
                    return ++ended > 0;
                },
                [](bool) { QFAIL("told after its end"); });
        QTRY_VERIFY(begun > 0);
        background.reset();
        QCOMPARE(ended.load(), begun.load());
        QVERIFY(begun < kMany);
        QCoreApplication::processEvents();
    }

    void whoIsGoneIsToldNothing()
    {
        Background background;
        auto receiver = std::make_unique<QObject>();
        bool told = false;
        background.run(
            receiver.get(), [] { return 1; }, [&told](int) { told = true; });
        background.wait();
        receiver.reset();
        QTRY_VERIFY(!background.busy());
        QVERIFY(!told);
    }

    void aStoppedOneWorksAgain()
    {
        QObject owner;
        Background& background = Background::of(owner);
        QCOMPARE(&Background::of(owner), &background);
        std::atomic<bool> begun = false;
        background.run(
            this,
            [&begun] {
                begun = true;
                while (!QThread::currentThread()->isInterruptionRequested())
                    QThread::yieldCurrentThread();
                return 1;
            },
            [](int) {});
        QTRY_VERIFY(begun.load());
        background.stop();
        bool interrupted = true;
        background.run(
            this, [] { return QThread::currentThread()->isInterruptionRequested(); },
            [&interrupted](bool was) { interrupted = was; });
        QTRY_VERIFY(!interrupted);
        QVERIFY(!background.busy());
    }

    void readsOfManyRowsStop()
    {
        QTemporaryDir home;
        const std::filesystem::path folder = home.path().toStdString();
        const std::string fault = test::addManyRuns(folder, 2000);
        QVERIFY2(fault.empty(), fault.c_str());
        record::RunFilter ofLesson;
        ofLesson.lesson = "2.4";
        struct Read {
            std::size_t heads = 0, runs = 0;
            std::vector<std::string> stopped;
        };
        Read read;
        Background background;
        std::atomic<bool> first = false;
        background.begin([&] {
            auto store = record::Store::openReadOnly(folder);
            const auto sizeOf = [](const auto& rows) { return rows ? rows->size() : std::size_t(0); };
            read.heads = sizeOf((*store)->runHeads({}));
            read.runs = sizeOf((*store)->runs(ofLesson));
            first = true;
            while (!QThread::currentThread()->isInterruptionRequested())
                QThread::yieldCurrentThread();
            const auto told = [&read](const auto& rows) {
                read.stopped.push_back(rows ? std::string("ok") : rows.error().code);
            };
            told((*store)->runHeads({}));
            told((*store)->runs(ofLesson));
            told((*store)->texts(QStringLiteral("run"), 0, 100));
        });
        QTRY_VERIFY(first.load());
        background.stop();
        QCOMPARE(read.heads, std::size_t(2001));
        QCOMPARE(read.runs, std::size_t(250));
        QCOMPARE(read.stopped, std::vector<std::string>(3, "stopped"));
    }
};

QTEST_MAIN(TestBackground)
#include "tst_background.moc"
