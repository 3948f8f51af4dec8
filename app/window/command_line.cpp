// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/command_line.h"

#include "app/window/layouts.h"

#include <QFileInfo>
#include <algorithm>

namespace ridge::app {
namespace {

Error bad(const QString& argument, const std::string& fix)
{
    return Error{"bad-argument", "The argument " + argument.toStdString() + " is not understood.", "command line", fix};
}

Result<double> number(const QString& option, const QString& text, double low, double high)
{
    bool ok = false;
    const double value = text.toDouble(&ok);
    if (!ok || value < low || value > high)
        return bad(option + QLatin1Char(' ') + text, "It takes a number from " + QString::number(low).toStdString() +
                                                         " to " + QString::number(high).toStdString() + ".");
    return value;
}

Result<QSize> sizeOf(const QString& text)
{
    const QStringList sides = text.toLower().split(QLatin1Char('x'));
    bool wide = false;
    bool high = false;
    const QSize size(sides.value(0).toInt(&wide), sides.value(1).toInt(&high));
    if (sides.size() != 2 || !wide || !high || size.width() < 320 || size.height() < 240 || size.width() > 8192 ||
        size.height() > 8192)
        return bad(QStringLiteral("--size ") + text, "It takes WxH between 320x240 and 8192x8192, as in 1280x800.");
    return size;
}

Result<void> setFlag(CommandLine& line, const QString& name, bool& known)
{
    known = true;
    if (name == QLatin1String("--portable"))
        line.portable = true;
    else if (name == QLatin1String("--safe-graphics"))
        line.safeGraphics = true;
    else if (name == QLatin1String("--timing"))
        line.timing = true;
    else if (name == QLatin1String("--quit-after-paint"))
        line.quitAfterPaint = true;
    else if (name == QLatin1String("--wait-runs"))
        line.waitRuns = true;
    else if (name == QLatin1String("--help") || name == QLatin1String("-h"))
        line.help = true;
    else if (name == QLatin1String("--version"))
        line.version = true;
    else
        known = false;
    return {};
}

template<class T>
Result<void> take(Result<T> parsed, T& place)
{
    if (!parsed)
        return parsed.error();
    place = std::move(parsed.value());
    return {};
}

Result<void> setValue(CommandLine& line, const QString& name, const QString& value)
{
    if (name == QLatin1String("--open"))
        line.open = value;
    else if (name == QLatin1String("--screenshot"))
        line.screenshot = value;
    else if (name == QLatin1String("--block"))
        line.block = value;
    else if (name == QLatin1String("--scale"))
        return take(number(name, value, 0.5, 4), line.scale);
    else if (name == QLatin1String("--scroll"))
        return take(number(name, value, 0, 1), line.scroll);
    else if (name == QLatin1String("--text-scale"))
        return take(number(name, value, 0.8, 2), line.textScale);
    else if (name == QLatin1String("--size"))
        return take(sizeOf(value), line.size);
    else if (name == QLatin1String("--theme")) {
        const QStringList names = {QStringLiteral("light"), QStringLiteral("dark"), QStringLiteral("contrast"),
                                   QStringLiteral("system")};
        if (!names.contains(value))
            return bad(name + QLatin1Char(' ') + value, "Themes are light, dark, contrast and system.");
        line.theme = value;
    } else if (name == QLatin1String("--layout")) {
        const auto& known = windowLayouts();
        if (std::none_of(known.begin(), known.end(), [&](const WindowLayout& each) { return each.id == value; }))
            return bad(name + QLatin1Char(' ') + value, "Layouts are read, lab, debug and present.");
        line.layout = value;
    } else
        return bad(name, "See ridgepoint --help.");
    return {};
}

} // namespace

Result<CommandLine> parseCommandLine(const QStringList& arguments)
{
    CommandLine line;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        QString name = arguments[i];
        bool known = false;
        if (auto set = setFlag(line, name, known); !set)
            return set.error();
        if (known)
            continue;
        QString value;
        if (const qsizetype equals = name.indexOf(QLatin1Char('='));
            name.startsWith(QLatin1String("--")) && equals > 0) {
            value = name.mid(equals + 1);
            name.truncate(equals);
        } else if (name.startsWith(QLatin1String("--")) && i + 1 < arguments.size()) {
            value = arguments[++i];
        } else if (name.startsWith(QLatin1Char('-')) || name.isEmpty()) {
            return bad(name, "See ridgepoint --help.");
        } else if (line.file.isEmpty()) {
            // The instance that opens it may have been started in another folder.
            if (!QFileInfo::exists(name))
                return bad(name, "There is no such file; pages are opened with --open PAGE.");
            line.file = QFileInfo(name).absoluteFilePath();
            continue;
        } else {
            return bad(name, "One file is opened at a time; pages are opened with --open PAGE.");
        }
        if (auto set = setValue(line, name, value); !set)
            return set.error();
    }
    const bool picture = line.scroll >= 0 || !line.block.isEmpty() || line.waitRuns;
    if (picture && line.screenshot.isEmpty())
        return bad(QStringLiteral("--scroll, --block or --wait-runs"), "They go with --screenshot FILE.");
    if (!line.file.isEmpty() && (!line.open.isEmpty() || !line.screenshot.isEmpty()))
        return bad(QStringLiteral("FILE with --open or --screenshot"), "Give one of the two.");
    if (line.scroll >= 0 && !line.block.isEmpty())
        return bad(QStringLiteral("--scroll with --block"), "Give one of the two.");
    return line;
}

QStringList pageNames()
{
    return QStringLiteral(
               "home learn module/<number> lesson/<id> catalogue catalogue/<chip>,<chip> parity parity/<set>,<set> "
               "explorer explorer/<model> stack stack/<stop> gallery lab lab/<experiment> "
               "kernel kernel/<name> runs runs/<run> compare compare/<key>,<key> portfolio portfolio/new journal "
               "assemble/<template> assemble/sample artifact/<id> assignment/<id> review review/<set> insight "
               "placement paths "
               "paths/<part> data doctor class class/new class/sample class/<name> class/<name>#live")
        .split(QLatin1Char(' '));
}

QString helpText()
{
    constexpr qsizetype kWidth = 57;
    QString pages, line;
    for (const QString& page : pageNames()) {
        const QString next = line.isEmpty() ? page : line + QStringLiteral(", ") + page;
        if (next.size() < kWidth) {
            line = next;
            continue;
        }
        pages += line + QStringLiteral(",\n") + QString(21, QLatin1Char(' '));
        line = page;
    }
    return QStringLiteral(R"(ridgepoint: a desktop learning lab for AI hardware

Usage: ridgepoint [FILE] [--theme NAME] [--portable] [--safe-graphics]
       ridgepoint --open PAGE [--theme NAME] [--portable] [--safe-graphics]
       ridgepoint --screenshot FILE --open PAGE [picture options]

  FILE               an assignment (.ridgeclass), exported runs (.json), a model
                     (config.json, .onnx, .yaml), or what a profiler or
                     benchmark wrote
  --open PAGE        %1;
                     <key> is sweep:<id>, run:<id> or file:<path>
  --theme NAME       light, dark, contrast or system, for this start
  --layout NAME      read, lab, debug or present
  --text-scale N     0.8 to 2, for this start
  --portable         keep everything in ridgepoint-data beside the program
  --safe-graphics    draw scenes without OpenGL
  --timing           print the milliseconds from process start to first paint
  --quit-after-paint leave after the first paint (for benchmarks)
  --version, --help

A picture of a page without a person (needs no window manager; set
QT_QPA_PLATFORM=offscreen where there is no display):
  --screenshot FILE  PNG; waits until the page is ready and at rest
  --size WxH         of the window in logical pixels, 1280x800
  --scale N          pixels for each logical one, 0.5 to 4
  --scroll F         0 is the top, 1 the end
  --block ID         scroll to a block of the lesson
  --wait-runs        wait until nothing runs

Environment: RIDGE_HOME is the folder of store and settings, RIDGE_DATA that
of lessons, kernels and assets, RIDGE_WORKER the ridge-worker to use.

Exit status: 0 done, 1 failed to start, 2 the command line is wrong,
3 no such page or block, 4 the picture cannot be written, 5 the page did not
come to rest within 60 seconds.
)")
        .arg(pages + line);
}

} // namespace ridge::app
