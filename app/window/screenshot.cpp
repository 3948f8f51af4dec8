// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/screenshot.h"

#include "app/window/main_window.h"
#include "app/window/settler.h"

#include <QApplication>
#include <QFileInfo>
#include <QSaveFile>
#include <cstdio>

namespace ridge::app {
namespace {

constexpr int kLimitMs = 60000;

void say(const QString& text)
{
    std::fprintf(stderr, "ridgepoint: %s\n", qPrintable(text));
}

int write(MainWindow& window, const QString& path)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || !window.grab().toImage().save(&file, "PNG") || !file.flush() ||
        !file.commit()) {
        say(QStringLiteral("%1: the picture cannot be written: %2. Choose a folder you may write to.")
                .arg(path, file.errorString()));
        return ExitCannotWrite;
    }
    return ExitOk;
}

} // namespace

int takeScreenshot(MainWindow& window, const CommandLine& line)
{
    // Cheap to find out, and better known before a minute of waiting.
    if (const QFileInfo folder(QFileInfo(line.screenshot).absolutePath()); !folder.isDir() || !folder.isWritable()) {
        say(QStringLiteral("%1: the folder does not exist or cannot be written to.").arg(line.screenshot));
        return ExitCannotWrite;
    }
    window.setMinimumSize(1, 1);
    window.resize(line.size);
    window.show();
    if (!line.layout.isEmpty())
        window.setLayoutName(line.layout);
    window.setWindowState(Qt::WindowNoState); // a picture has the size that was asked for
    window.resize(line.size);
    if (auto opened = window.open(line.open.isEmpty() ? QStringLiteral("home") : line.open); !opened) {
        say(QString::fromStdString(toText(opened.error())));
        return ExitUnknownPage;
    }

    int status = ExitOk;
    const auto leave = [&status](int code) {
        status = code;
        QApplication::exit(code);
    };
    Settler first(window, line.waitRuns, kLimitMs);
    Settler second(window, line.waitRuns, kLimitMs);
    const auto gaveUp = [&](const QString& why) {
        say(QStringLiteral("%1: %2 within %3 seconds.").arg(line.open, why).arg(kLimitMs / 1000));
        leave(ExitTimeout);
    };
    QObject::connect(&first, &Settler::gaveUp, &window, gaveUp);
    QObject::connect(&second, &Settler::gaveUp, &window, gaveUp);
    QObject::connect(&first, &Settler::settled, &window, [&] {
        if (!line.block.isEmpty() && !window.page()->scrollToBlock(line.block)) {
            say(QStringLiteral("%1 has no block %2.").arg(line.open, line.block));
            return leave(ExitUnknownPage);
        }
        if (line.scroll >= 0)
            window.page()->setScrollFraction(line.scroll);
        second.start(); // scrolling brings parts into view that are laid out only then
    });
    QObject::connect(&second, &Settler::settled, &window, [&] { leave(write(window, line.screenshot)); });
    first.start();
    QApplication::exec();
    return status;
}

} // namespace ridge::app
