// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/run_mark.h"

#include "base/json.h"
#include "base/json_read.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QSaveFile>
#include <array>
#include <csignal>
#include <cstring>
#include <execinfo.h>
#include <fcntl.h>
#include <unistd.h>

namespace ridge::app {
namespace {

// A handler may call little and allocate nothing: all it needs lies here.
constexpr std::size_t kTextBytes = 512;
struct Crash {
    int file = -1;               ///< open from the begin, so that nothing has to be opened when memory is broken
    char fatal[kTextBytes] = {}; ///< what Qt said last before it aborted
    char mark[4096] = {};        ///< path of the file that a good end takes away
};
Crash g_crash;
alignas(16) char g_stack[64 * 1024]; ///< a stack of its own: the other one may have overflowed

struct Signal {
    int number;
    const char* name;
};
constexpr std::array<Signal, 5> kCrashes{
    {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"}, {SIGILL, "SIGILL"}, {SIGFPE, "SIGFPE"}}};
constexpr std::array<int, 3> kEnds{SIGTERM, SIGHUP, SIGINT};

void put(const char* text)
{
    std::size_t left = std::strlen(text);
    while (left > 0) {
        const ssize_t written = ::write(g_crash.file, text, left);
        if (written <= 0)
            return;
        text += written;
        left -= static_cast<std::size_t>(written);
    }
}

void onCrash(int number)
{
    for (const Signal& each : kCrashes)
        if (each.number == number)
            put(each.name);
    put("\n");
    if (g_crash.fatal[0] != 0) {
        put(g_crash.fatal);
        put("\n");
    }
    void* frames[64];
    ::backtrace_symbols_fd(frames, ::backtrace(frames, 64), g_crash.file);
    ::fsync(g_crash.file);
    ::raise(number); // SA_RESETHAND: now it ends the program, with a core file where those are wanted
}

void onEnd(int number)
{
    ::unlink(g_crash.mark);
    ::raise(number);
}

void copyInto(char (&to)[kTextBytes], const QByteArray& text)
{
    const auto length = std::min<std::size_t>(kTextBytes - 1, static_cast<std::size_t>(text.size()));
    std::memcpy(to, text.constData(), length);
    to[length] = 0;
}

QtMessageHandler g_before = nullptr;

void onMessage(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    if (type == QtFatalMsg)
        copyInto(g_crash.fatal, text.toUtf8());
    if (g_before)
        g_before(type, context, text);
}

void handle(int number, void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK);
    sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
}

void catchSignals()
{
    void* frame[1];
    ::backtrace(frame, 1); // loads what it needs while that is still allowed
    stack_t stack = {};
    stack.ss_sp = g_stack;
    stack.ss_size = sizeof g_stack;
    ::sigaltstack(&stack, nullptr);
    for (const Signal& each : kCrashes)
        handle(each.number, onCrash);
    for (const int number : kEnds)
        handle(number, onEnd);
    g_before = qInstallMessageHandler(onMessage);
}

void letGoOfSignals()
{
    for (const Signal& each : kCrashes)
        ::signal(each.number, SIG_DFL);
    for (const int number : kEnds)
        ::signal(number, SIG_DFL);
    qInstallMessageHandler(g_before);
    g_before = nullptr;
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.read(1 << 20) : QByteArray();
}

/// Started with this id, and still there. Process ids come again: it must be a program of our name.
bool stillRuns(qint64 pid)
{
    if (pid <= 0 || pid == QCoreApplication::applicationPid())
        return false;
    const QByteArray name = contentOf(QStringLiteral("/proc/%1/comm").arg(pid)).trimmed();
    return !name.isEmpty() && name == contentOf(QStringLiteral("/proc/self/comm")).trimmed();
}

void keepNewest(const QString& folder)
{
    // Their names begin with the time, so that the newest come last.
    const QStringList all = QDir(folder).entryList({QStringLiteral("ridgepoint-*.txt")}, QDir::Files, QDir::Name);
    for (int i = 0; i + RunMark::kKeptReports < all.size(); ++i)
        QFile::remove(folder + QLatin1Char('/') + all[i]);
}

} // namespace

struct RunMark::Private {
    QString session, mark, crash; ///< folder, the file in it, what a crash writes
    QString version, started;
    bool mine = false;
    std::optional<LastEnd> last;

    bool write(const QString& place) const
    {
        const Json json{{"pid", QCoreApplication::applicationPid()},
                        {"started", started.toStdString()},
                        {"version", version.toStdString()},
                        {"place", place.toStdString()}};
        QFile file(mark);
        const QByteArray bytes = QByteArray::fromStdString(json.dump());
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.flush();
    }
    void report(const Json& before, const QString& home);
};

/// What is left of the run before becomes one file that a person can read and send.
void RunMark::Private::report(const Json& before, const QString& home)
{
    const auto word = [&](const char* key) {
        const auto found = before.is_object() ? before.find(key) : before.end();
        return found != before.end() && found->is_string() ? QString::fromStdString(found->get<std::string>())
                                                           : QString();
    };
    const QByteArray crashed = contentOf(crash);
    LastEnd end;
    end.started = word("started");
    end.place = word("place");
    end.cause = QString::fromUtf8(crashed.left(crashed.indexOf('\n')));
    const QString folder = home + QStringLiteral("/reports");
    QDir().mkpath(folder);
    const QString stamp = QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz"));
    QString path = folder + QStringLiteral("/ridgepoint-%1.txt").arg(stamp);
    for (int i = 1; QFile::exists(path); ++i)
        path = folder + QStringLiteral("/ridgepoint-%1-%2.txt").arg(stamp).arg(i);
    QByteArray text = "Ridgepoint " + word("version").toUtf8() + ", started " + end.started.toUtf8() +
                      ", ended unexpectedly.\nOpen at the end: " +
                      (end.place.isEmpty() ? QByteArray("unknown") : end.place.toUtf8()) + "\nCause: " +
                      (end.cause.isEmpty() ? QByteArray("killed, or the machine went down") : end.cause.toUtf8()) +
                      "\n";
    const auto rest = crashed.indexOf('\n');
    if (rest >= 0)
        text += "\n" + crashed.mid(rest + 1);
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.flush() && file.commit())
        end.report = path;
    keepNewest(folder);
    last = std::move(end);
}

RunMark::RunMark() : d(std::make_unique<Private>()) {}

Result<std::unique_ptr<RunMark>> RunMark::begin(const std::filesystem::path& home, const QString& version)
{
    std::unique_ptr<RunMark> mark(new RunMark);
    Private& d = *mark->d;
    const QString root = QString::fromStdString(home.string());
    d.session = root + QStringLiteral("/session");
    d.mark = d.session + QStringLiteral("/running.json");
    d.crash = d.session + QStringLiteral("/crash.txt");
    d.version = version;
    d.started = QDateTime::currentDateTimeUtc().toString(Qt::ISODate);
    const Error cannot{"cannot-write", "What the program leaves for its next start cannot be written",
                       d.session.toStdString(), "Make room there, or make the folder writable"};
    if (!QDir().mkpath(d.session))
        return cannot;
    if (QFile::exists(d.mark)) {
        // Cut off by the end that it tells of, it still tells of it.
        const auto before = parseJson(contentOf(d.mark).toStdString(), "running.json");
        const Json json = before ? *before : Json();
        if (json.is_object() && json.contains("pid") && json["pid"].is_number_integer() &&
            stillRuns(json["pid"].get<qint64>()))
            return mark;
        d.report(json, root);
    }
    g_crash = {};
    const QByteArray path = d.mark.toLocal8Bit();
    if (path.size() >= qsizetype(sizeof g_crash.mark))
        return cannot;
    std::memcpy(g_crash.mark, path.constData(), static_cast<std::size_t>(path.size()));
    g_crash.file = ::open(d.crash.toLocal8Bit().constData(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (g_crash.file < 0 || !d.write({}))
        return cannot;
    d.mine = true;
    catchSignals();
    return mark;
}

RunMark::~RunMark()
{
    if (!d->mine)
        return;
    letGoOfSignals();
    ::close(g_crash.file);
    QFile::remove(d->crash);
    QFile::remove(d->mark);
}

const std::optional<LastEnd>& RunMark::lastEnd() const
{
    return d->last;
}

void RunMark::setPlace(const QString& page)
{
    if (d->mine)
        d->write(page);
}

} // namespace ridge::app
