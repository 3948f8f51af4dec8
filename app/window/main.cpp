// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/desktop/session_desktop.h"
#include "app/window/first_paint.h"
#include "app/window/main_window.h"
#include "app/window/pseudo_locale.h"
#include "app/window/run_notices.h"
#include "app/window/screenshot.h"
#include "app/window/settings.h"
#include "app/window/single_instance.h"
#include "base/number_text.h"
#include "base/paths.h"
#include "privacy/erase.h"

#include <QApplication>
#include <QStyleFactory>
#include <cmath>
#include <cstdio>

using namespace ridge;
using namespace ridge::app;

namespace {

void say(const Error& error)
{
    std::fprintf(stderr, "ridgepoint: %s\n", toText(error).c_str());
}

/// What must be decided before there is an application object.
void prepareEnvironment(const CommandLine& line)
{
    if (line.portable)
        usePortableHome();
    if (line.safeGraphics)
        qputenv("RIDGE_GRAPHICS", "painter");
    if (line.screenshot.isEmpty())
        return;
    // A picture has the size that was asked for, whatever the screen of this machine.
    qputenv("QT_SCALE_FACTOR", QByteArray::number(line.scale));
    qputenv("QT_FONT_DPI", "96");
    qputenv("QT_ENABLE_HIGHDPI_SCALING", "1");
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && qEnvironmentVariableIsEmpty("DISPLAY") &&
        qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
}

int runWindow(AppContext& context, MainWindow& window, SingleInstance& instance, const CommandLine& line)
{
    instance.listen();
    SessionDesktop desktop;
    RunNotices notices(window, desktop);
    QObject::connect(&instance, &SingleInstance::pageRequested, &window, [&window](const QString& page) {
        if (!page.isEmpty())
            (void)window.open(page);
        window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
        window.raise();
        window.activateWindow();
    });
    QObject::connect(&instance, &SingleInstance::fileRequested, &window, [&window](const QString& path) {
        window.openFiles({path});
        window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
        window.raise();
        window.activateWindow();
    });
    if (!line.open.isEmpty())
        if (auto opened = window.open(line.open); !opened) {
            say(opened.error());
            return ExitUnknownPage;
        }
    window.restoreSession();
    if (!line.file.isEmpty())
        window.openFiles({line.file});
    if (!line.layout.isEmpty())
        window.setLayoutName(line.layout);
    FirstPaint first(window);
    QObject::connect(&first, &FirstPaint::painted, &window, [&line](double milliseconds) {
        if (line.timing) {
            std::printf("first paint: %lld ms\n", std::llround(milliseconds));
            std::fflush(stdout);
        }
        if (line.quitAfterPaint)
            QApplication::quit();
    });
    window.show();
    if (context.lastEnd() && window.currentPage() != QLatin1String("home"))
        Q_EMIT context.notice(
            QApplication::translate("main", "Ridgepoint ended unexpectedly last time; Home says more."), false);
    return QApplication::exec();
}

/// After what was to be deleted is; where that fails, no record is made beside what is left.
Result<std::unique_ptr<record::Store>> openRecord()
{
    if (personal::erasureOrdered(homeFolder()))
        if (auto gone = personal::finishErasure(personal::placesHere()); !gone)
            return gone.error();
    return record::Store::open(homeFolder());
}

/// `afresh`: everything was to be deleted when the window closed, and is when the next one opens; or a backup was put
/// in the record's place.
int start(const CommandLine& line, const std::filesystem::path& data, bool& afresh)
{
    const bool systemIsDark = systemPaletteIsDark();
    const bool picture = !line.screenshot.isEmpty();
    Theme theme;
    theme.setTextScale(line.textScale > 0 ? line.textScale : picture ? 1.0 : textScaleSetting());
    theme.setReducedMotion(picture || reducedMotionSetting());
    const QString setting = !line.theme.isEmpty() ? line.theme : picture ? QStringLiteral("light") : themeSetting();
    if (auto loaded = theme.load(resolveTheme(setting, systemIsDark)); !loaded) {
        say(loaded.error());
        return ExitFailed;
    }
    SingleInstance instance;
    if (!picture && instance.handOver(line.open, line.file)) {
        std::puts(line.file.isEmpty() ? "Ridgepoint is already open; it was asked to show the page."
                                      : "Ridgepoint is already open; it was asked to open the file.");
        return ExitOk;
    }
    ActionRegistry actions;
    auto opened = openRecord();
    // What could not be deleted on the way in is tried again at the next start, not in a circle.
    const bool left = !opened && personal::erasureOrdered(homeFolder());
    std::optional<Error> storeError;
    if (!opened) {
        storeError = opened.error();
        say(*storeError);
    }
    AppContext context(theme, actions, opened ? std::move(opened.value()) : nullptr, data);
    if (storeError)
        context.setStoreError(*storeError);
    std::unique_ptr<RunMark> mark;
    if (!picture)
        if (auto begun = RunMark::begin(homeFolder(), QStringLiteral(RIDGE_VERSION))) { // else the store says so too
            mark = std::move(*begun);
            context.setLastEnd(mark->lastEnd());
        }
    MainWindow window(context, {systemIsDark, !picture, setting});
    if (mark)
        QObject::connect(&window, &MainWindow::pageShown, &window,
                         [&mark](const QString& page) { mark->setPlace(page); });
    bool restored = false;
    QObject::connect(&window, &MainWindow::recordRestored, &window, [&restored] { restored = true; });
    context.loadCatalogue();
    if (picture)
        return takeScreenshot(window, line);
    const int code = runWindow(context, window, instance, line);
    afresh = restored || (!left && personal::erasureOrdered(homeFolder()));
    return code;
}

} // namespace

int main(int argc, char** argv)
{
    QStringList arguments;
    for (int i = 1; i < argc; ++i)
        arguments << QString::fromLocal8Bit(argv[i]);
    const auto line = parseCommandLine(arguments);
    if (!line) {
        say(line.error());
        return ExitUsage;
    }
    if (line->help || line->version) {
        std::fputs(line->help ? qPrintable(helpText()) : "ridgepoint " RIDGE_VERSION "\n", stdout);
        return ExitOk;
    }
    prepareEnvironment(*line);
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication application(argc, argv);
    keepDecimalPoints();
    configureSettings();
    PseudoLocale pseudo;
    if (qEnvironmentVariable("RIDGE_LANGUAGE") == QLatin1String("pseudo"))
        QApplication::installTranslator(&pseudo);
    QApplication::setApplicationDisplayName(QStringLiteral("Ridgepoint"));
    QApplication::setApplicationVersion(QStringLiteral(RIDGE_VERSION));
    const auto data = dataFolder();
    if (!data) {
        say(data.error());
        return ExitFailed;
    }
    CommandLine wanted = *line;
    for (;;) {
        bool afresh = false;
        const int code = start(wanted, *data, afresh);
        if (!afresh)
            return code;
        wanted.open.clear();
        wanted.file.clear();
    }
}
