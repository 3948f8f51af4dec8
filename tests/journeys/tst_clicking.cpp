// SPDX-License-Identifier: GPL-3.0-or-later
// Somebody who clicks, types and drags at random over every page, changes theme, text size, layout and window, makes
// notes, and closes and opens the window in between: it may not crash. RIDGE_CLICK_SECONDS says how long,
// RIDGE_CLICK_SEED which clicks; they and the last actions are printed when it falls over. Runs end when they end, so
// the same seed does not always lead to the same crash. The longest stalls of the event loop are listed;
// RIDGE_CLICK_STALL_MS makes one above it a failure.
#include "clicker.h"

#include <QDesktopServices>
#include <QFile>

using namespace ridge;
using namespace ridge::app;
using namespace ridge::app::clicking;

namespace {

/// A folder of programs that do nothing, in front of all others: no sound, no browser, no other machine.
void takeProgramsAway(const QString& folder)
{
    for (const char* name :
         {"pw-play", "paplay", "aplay", "xdg-open", "ssh", "scp", "srun", "firefox", "chromium", "www-browser"}) {
        QFile file(folder + s("/") + s(name));
        if (!file.open(QIODevice::WriteOnly) || file.write("#!/bin/sh\nexit 1\n") < 0 ||
            !file.setPermissions(QFile::ReadOwner | QFile::ExeOwner))
            qFatal("%s cannot be written", name);
    }
    qputenv("PATH", folder.toLocal8Bit() + ':' + qgetenv("PATH"));
}

} // namespace

class TestClicking : public QObject {
    Q_OBJECT
    QTemporaryDir m_sandbox, m_programs;

public Q_SLOTS:
    void opened(const QUrl&) {} // where a browser or a file manager would have come

private Q_SLOTS:
    void nothingBringsItDown()
    {
        const int seconds =
            qEnvironmentVariableIsSet("RIDGE_CLICK_SECONDS") ? qEnvironmentVariableIntValue("RIDGE_CLICK_SECONDS") : 20;
        const quint32 seed = qEnvironmentVariableIsSet("RIDGE_CLICK_SEED")
                                 ? quint32(qEnvironmentVariableIntValue("RIDGE_CLICK_SEED"))
                                 : 1;
        // What is written without a place of its own comes here.
        qputenv("HOME", m_sandbox.path().toLocal8Bit());
        qputenv("TMPDIR", m_sandbox.path().toLocal8Bit());
        QVERIFY(QDir::setCurrent(m_sandbox.path()));
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        takeProgramsAway(m_programs.path());
        for (const char* scheme : {"http", "https", "file", "mailto"})
            QDesktopServices::setUrlHandler(s(scheme), this, "opened");
        for (const char* file : {"ncu.csv", "llama.csv"})
            QVERIFY(QFile::copy(qEnvironmentVariable("RIDGE_SOURCE") + s("/tests/imports/data/") + s(file), s(file)));
        Workplace place;
        place.storeArtifact();
        QVERIFY(place.loadCatalogue());
        place.makeWindow().restoreSession();
        place.window->activateWindow();

        std::snprintf(g_head, sizeof g_head, "clicking: RIDGE_CLICK_SEED=%u; the last actions:\n", seed);
        watchForCrashes();
        Clicker clicker(place, seed, seconds);
        clicker.run();
        for (const char* scheme : {"http", "https", "file", "mailto"})
            QDesktopServices::unsetUrlHandler(s(scheme));
        keep(s("close at the end"));
        place.window->close();
        place.window.reset();
        place.context.reset();
        qInfo("seed %u: %d actions in %d s; the longest stalls:", seed, int(g_count), seconds);
        for (const Clicker::Stall& stall : clicker.stalls())
            qInfo("%6lld ms (%.0f ms computed): %s", stall.ms, stall.busyMs, qPrintable(stall.during));
        if (const int most = qEnvironmentVariableIntValue("RIDGE_CLICK_STALL_MS"); most > 0) {
            const qint64 worst = clicker.stalls().empty() ? 0 : clicker.stalls().front().ms;
            QVERIFY2(worst <= most, qPrintable(s("%1 ms").arg(worst)));
        }
    }
};

QTEST_MAIN(TestClicking)
#include "tst_clicking.moc"
