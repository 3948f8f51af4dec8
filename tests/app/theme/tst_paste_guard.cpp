// SPDX-License-Identifier: GPL-3.0-or-later
// An empty clipboard reaches no view of text; what it holds does, and other keys do, too.
#include "app/theme/paste_guard.h"

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QTest>
#include <QTextEdit>

using namespace ridge::app;

namespace {

/// Counts the keys that come, but for Ctrl and Shift, and does nothing else with them.
template<class View>
struct Counting : View {
    int keys = 0;

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        keys += event->key() != Qt::Key_Control && event->key() != Qt::Key_Shift;
    }
};

template<class View>
int pastes(View& view)
{
    view.keys = 0;
    QTest::keySequence(&view, QKeySequence(QKeySequence::Paste));
    QTest::keyClick(&view, Qt::Key_Insert, Qt::ShiftModifier);
    return view.keys;
}

} // namespace

class TestPasteGuard : public QObject {
    Q_OBJECT
    QObject m_owner;

private Q_SLOTS:
    void initTestCase() { new PasteGuard(m_owner); }
    void cleanup() { QGuiApplication::clipboard()->clear(); }

    void nothingIsPastedOfNothing()
    {
        Counting<QPlainTextEdit> plain;
        Counting<QTextEdit> rich;
        Counting<QLineEdit> line;
        QGuiApplication::clipboard()->setMimeData(new QMimeData);
        QCOMPARE(pastes(plain), 0);
        QCOMPARE(pastes(rich), 0);
        QVERIFY(pastes(line) > 0); // asks by itself
        QTest::keyClick(&plain, Qt::Key_X);
        QCOMPARE(plain.keys, 1);
        QGuiApplication::clipboard()->setText(QStringLiteral("x"));
        QVERIFY(pastes(plain) > 0 && pastes(rich) > 0);
    }
};

QTEST_MAIN(TestPasteGuard)
#include "tst_paste_guard.moc"
