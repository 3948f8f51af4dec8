// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/assignments/open_file.h"
#include "app/session/app_context.h"

#include <QObject>
#include <functional>

class QVBoxLayout;

namespace ridge::app {

class Banner;
class FileBar;
class FileReader;
class MainWindow;
class OutcomeBar;

/// Files that come to the window: dropped, double-clicked, or chosen in a dialog. They are read in the background, one
/// after the other; each is shown when it is there, if the window is where it was, else offered. GUI thread.
class OpenedFiles : public QObject {
    Q_OBJECT
public:
    /// Puts its bars into `column`, below what is there.
    OpenedFiles(AppContext& context, MainWindow& window, Banner& banner, QVBoxLayout& column);

    void read(const QStringList& paths, OpenAs as = OpenAs::Any);
    void choose(bool import);
    void chooseRuns(); ///< exported on another machine
    bool stop();       ///< false: nothing is read that could be given up

    Banner& banner() const { return m_banner; }       ///< what was wrong with a file
    FileBar* bar() const { return m_bar; }            ///< which file is being read
    OutcomeBar* outcome() const { return m_outcome; } ///< a file that was read while another page was opened

Q_SIGNALS:
    void kernelCame(const QString& path); ///< a CUDA or PTX file, which needs no reader

private:
    void show(const QString& path, std::function<void()> act);
    void tellError(const Error& error);
    void chooseAs(const QString& title, const QString& filters, OpenAs as);

    MainWindow& m_window;
    Banner& m_banner;
    FileReader* m_reader;
    FileBar* m_bar;
    OutcomeBar* m_outcome;
    QString m_from; ///< the page that was shown when files were handed in, or after one of them was shown
};

} // namespace ridge::app
