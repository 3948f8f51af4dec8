// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/slurm_source.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"
#include "record/worker/shell_words.h"

#include <QPointer>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ridge::record {
namespace {

using State = ProcessPipe::State;

constexpr int kPollMs = 250;
constexpr int kBeatMs = 60000;
/// Slurm's own default for MaxArraySize is 1001; a longer sweep gives each task several points.
constexpr std::size_t kMostTasks = 1000;
constexpr std::size_t kSlice = 256 << 10;
/// Events that wait for a reader; more stay in the files.
constexpr std::size_t kBacklog = 1 << 20;
/// A task that Slurm calls over has had so many looks' time for its last word to cross a network file system.
constexpr int kSilentLooks = 3;
constexpr int kToolMs = 60000;

QString s(const char* text)
{
    return QString::fromLatin1(text);
}

QString q(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

std::filesystem::path spoolOf(const RemoteTarget& target)
{
    return target.spool.empty() ? cacheFolder() / "runs" : std::filesystem::path(target.spool);
}

std::vector<std::vector<std::size_t>> tasksOf(std::size_t points)
{
    std::vector<std::vector<std::size_t>> tasks(std::min(points, kMostTasks));
    for (std::size_t point = 0; point < points; ++point)
        tasks[point % tasks.size()].push_back(point);
    return tasks;
}

/// Options of srun that sbatch does not know or that would move what the tasks write; with whether a value follows as a
/// word of its own.
struct SrunOnly {
    const char* name;
    bool value;
};
constexpr std::array kSrunOnly = {SrunOnly{"--pty", false},
                                  SrunOnly{"--label", false},
                                  SrunOnly{"-l", false},
                                  SrunOnly{"--unbuffered", false},
                                  SrunOnly{"-u", false},
                                  SrunOnly{"--kill-on-bad-exit", false},
                                  SrunOnly{"-K", false},
                                  SrunOnly{"--overlap", false},
                                  SrunOnly{"--immediate", false},
                                  SrunOnly{"-I", false},
                                  SrunOnly{"--preserve-env", false},
                                  SrunOnly{"--disable-status", false},
                                  SrunOnly{"--quit-on-interrupt", false},
                                  SrunOnly{"--mpi", true},
                                  SrunOnly{"--input", true},
                                  SrunOnly{"-i", true},
                                  SrunOnly{"--output", true},
                                  SrunOnly{"-o", true},
                                  SrunOnly{"--error", true},
                                  SrunOnly{"-e", true},
                                  SrunOnly{"--array", true},
                                  SrunOnly{"-a", true}};

} // namespace

QStringList sbatchWords(const QStringList& launcher)
{
    QStringList words = slurmTool(launcher, s("sbatch"));
    for (qsizetype at = srunIndex(launcher) + 1; at < launcher.size(); ++at) {
        const QString name = launcher[at].section(QLatin1Char('='), 0, 0);
        const auto only = std::find_if(kSrunOnly.begin(), kSrunOnly.end(),
                                       [&](const SrunOnly& each) { return name == s(each.name); });
        if (only == kSrunOnly.end())
            words << launcher[at];
        else if (only->value && !launcher[at].contains(QLatin1Char('=')))
            ++at;
    }
    return words;
}

QStringList slurmTool(const QStringList& launcher, const QString& tool)
{
    const qsizetype srun = srunIndex(launcher);
    QStringList words = launcher.mid(0, srun);
    const QString path = launcher[srun];
    words << path.left(path.lastIndexOf(QLatin1Char('/')) + 1) + tool;
    return words;
}

bool SlurmTask::over() const
{
    constexpr std::array<std::string_view, 10> kOver = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE",
                                                        "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
                                                        "REVOKED",   "TIMEOUT"};
    return std::ranges::find(kOver, state) != kOver.end();
}

std::vector<SlurmTask> slurmTasks(const std::string& text)
{
    static const QRegularExpression field(s("(?:^|\\s)(ArrayTaskId|JobState|Reason)=(\\S+)"));
    static const QRegularExpression number(s("(\\d+)(?:-(\\d+))?"));
    std::vector<SlurmTask> tasks;
    for (const QString& line : QString::fromStdString(text).split(QLatin1Char('\n'))) {
        QString ids;
        SlurmTask task;
        for (auto it = field.globalMatch(line); it.hasNext();) {
            const auto match = it.next();
            if (match.captured(1) == s("ArrayTaskId"))
                ids = match.captured(2).section(QLatin1Char('%'), 0, 0);
            else
                (match.captured(1) == s("JobState") ? task.state : task.reason) = match.captured(2).toStdString();
        }
        for (auto it = number.globalMatch(ids); it.hasNext();) {
            const auto match = it.next();
            task.first = match.captured(1).toULongLong();
            task.last = match.captured(2).isEmpty() ? task.first : match.captured(2).toULongLong();
            tasks.push_back(task);
        }
    }
    return tasks;
}

SlurmSource::SlurmSource(const WorkerOptions& options, RemoteTarget target, QString digest, RunRequest request)
    : m_target(std::move(target)), m_times(options.times), m_request(std::move(request)),
      m_points(tasksOf(m_request.points.size())), m_folder(spoolOf(m_target) / newUuid7()),
      m_worker(m_target.worker.empty()
                   ? cacheFolder() / ("worker-" + digest.left(16).toStdString()) / "bin" / "ridge-worker"
                   : std::filesystem::path(m_target.worker)),
      m_merge(m_request, m_points), m_files(m_points.size())
{
    if (const auto words = splitShellWords(QString::fromStdString(m_target.launcher)))
        m_launcher = *words;
    m_patience.setSingleShot(true);
    connect(&m_poll, &QTimer::timeout, this, [this] { poll(); });
    connect(&m_lookTimer, &QTimer::timeout, this, [this] { look(); });
    connect(&m_beat, &QTimer::timeout, this,
            [this] { ::utimensat(AT_FDCWD, (m_folder / "beat").c_str(), nullptr, 0); });
    connect(&m_patience, &QTimer::timeout, this, [this] {
        breakWith({"target-unreachable", "Slurm did not take the job within 60 s", place(),
                   "check that slurmctld answers: scontrol ping"});
    });
}

SlurmSource::~SlurmSource()
{
    if (!m_over && !m_job.isEmpty())
        endJob();
    for (auto* process : {&m_submit, &m_look})
        if (*process)
            killAndForget(std::move(*process));
}

void SlurmSource::start(const QByteArray&)
{
    std::error_code ignored;
    if (!std::filesystem::exists(m_worker, ignored)) {
        QMetaObject::invokeMethod(
            this, [this] { Q_EMIT absent(); }, Qt::QueuedConnection);
        return;
    }
    if (makeFolder())
        submit();
}

std::filesystem::path SlurmSource::file(const char* name, std::size_t task) const
{
    return m_folder / (std::string(name) + '.' + std::to_string(task));
}

bool SlurmSource::makeFolder()
{
    std::error_code code;
    std::filesystem::create_directories(m_folder, code);
    auto written = code ? Result<void>(Error{"cannot-write", code.message(), m_folder.string(), {}})
                        : writeFile(m_folder / "beat", "");
    for (std::size_t task = 0; written && task < m_points.size(); ++task) {
        RunRequest part = m_request;
        part.points.clear();
        for (const std::size_t point : m_points[task])
            part.points.push_back(m_request.points[point]);
        written = writeFile(file("request", task), toJson(part).dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    if (!written)
        breakWith(
            {"cannot-write", "the folder for the results of the job cannot be written: " + written.error().message,
             m_folder.string(), "add the target again with --spool FOLDER, one that login and compute nodes share"});
    return written.ok();
}

void SlurmSource::submit()
{
    // A task that starts when nobody waits for it any more does nothing.
    const QString script = s("#!/bin/sh\ncd ") + shellQuoted(q(m_folder)) +
                           s(" || exit 66\nt=$SLURM_ARRAY_TASK_ID\n"
                             "[ -n \"$(find beat -mmin -15)\" ] || exit 0\n") +
                           (m_target.worker.empty() ? s("unset RIDGE_DATA\n") : QString()) + shellQuoted(q(m_worker)) +
                           s(" run < request.$t > events.$t 2> errors.$t\n"
                             "echo $? > exit.$t.new && mv exit.$t.new exit.$t\n");
    QStringList words = sbatchWords(m_launcher);
    words << s("--parsable") << s("--array=0-%1").arg(m_points.size() - 1) << s("--job-name=ridgepoint")
          << s("--ntasks=1") << s("--output=/dev/null") << s("--error=/dev/null");
    m_submit = std::make_unique<QProcess>();
    dieWithParent(*m_submit);
    m_submit->setProgram(words.front());
    m_submit->setArguments(words.mid(1));
    connect(
        m_submit.get(), &QProcess::finished, this, [this] { submitted(); }, Qt::QueuedConnection);
    connect(
        m_submit.get(), &QProcess::errorOccurred, this,
        [this](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart)
                breakWith({"target-unreachable", m_target.name + " is not reachable: " + cannotStart(*m_submit).message,
                           place(), "install Slurm's sbatch beside its srun, or take another launcher"});
        },
        Qt::QueuedConnection);
    m_patience.start(kToolMs);
    m_submit->start();
    m_submit->write(script.toUtf8());
    m_submit->closeWriteChannel();
}

void SlurmSource::submitted()
{
    m_patience.stop();
    // "17", or "17;cluster"
    m_job = QString::fromUtf8(m_submit->readAllStandardOutput()).trimmed().section(QLatin1Char(';'), 0, 0);
    if (m_over) { // ended while Slurm was taking it
        if (!m_job.isEmpty())
            endJob();
        return;
    }
    const std::string errors = QString::fromUtf8(m_submit->readAllStandardError()).trimmed().toStdString();
    if (m_submit->exitStatus() != QProcess::NormalExit || m_submit->exitCode() != 0 || m_job.isEmpty()) {
        Error error = launcherFailure(m_target, {.exitCode = m_submit->exitCode(), .errorText = errors});
        error.message = "Slurm does not take the sweep as an array job. " + error.message;
        return breakWith(error);
    }
    m_poll.start(kPollMs);
    m_beat.start(kBeatMs);
    m_lookTimer.start(static_cast<int>(m_times.queueLook * 1000));
    const QString told = tr("%1: Slurm job %2, an array of %3 tasks")
                             .arg(QString::fromStdString(m_target.name), m_job)
                             .arg(m_points.size());
    if (m_cancelled)
        cancel();
    Q_EMIT link(told);
}

void SlurmSource::poll()
{
    for (std::size_t task = 0; task < m_files.size() && m_merge.waiting() < kBacklog; ++task)
        if (!m_files[task].over)
            readTask(task);
    if (m_merge.over())
        finish();
    tellFailures();
}

void SlurmSource::tellFailures()
{
    const QPointer<SlurmSource> alive(this);
    for (const auto& [index, error] : m_merge.takeFailures()) {
        Q_EMIT pointFailed(index, error);
        if (!alive)
            return;
    }
    if (m_listening && (m_merge.waiting() > 0 || !m_ready.empty()))
        Q_EMIT readable();
}

void SlurmSource::readTask(std::size_t index)
{
    TaskFile& task = m_files[index];
    // Asked before reading: a task that has left its status writes no more.
    const auto exit = readFile(file("exit", index));
    const int in = ::open(file("events", index).c_str(), O_RDONLY | O_CLOEXEC);
    if (in >= 0) {
        std::string bytes(kSlice, '\0');
        const ssize_t got = ::pread(in, bytes.data(), bytes.size(), static_cast<off_t>(task.offset));
        ::close(in);
        if (got > 0) {
            task.offset += static_cast<std::uint64_t>(got);
            m_merge.feed(index, std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
            return;
        }
    }
    if (!exit)
        return;
    task.over = true;
    m_merge.ended(index, taskError(index, *exit));
}

Error SlurmSource::taskError(std::size_t index, const std::string& exit) const
{
    const auto errors = readFile(file("errors", index));
    const std::string tail = errors ? errors->substr(errors->size() > 1000 ? errors->size() - 1000 : 0) : "";
    return record::endedEarly(false, std::atoi(exit.c_str()), QString::fromStdString(tail).trimmed().toStdString(),
                              place(), true);
}

void SlurmSource::look()
{
    if (m_look || m_over)
        return;
    const QStringList words = slurmTool(m_launcher, s("scontrol")) << s("-o") << s("show") << s("job") << m_job;
    m_look = std::make_unique<QProcess>();
    dieWithParent(*m_look);
    m_look->setProgram(words.front());
    m_look->setArguments(words.mid(1));
    connect(
        m_look.get(), &QProcess::finished, this, [this] { looked(); }, Qt::QueuedConnection);
    m_look->start();
    m_look->closeWriteChannel();
}

void SlurmSource::looked()
{
    const std::string out = QString::fromUtf8(m_look->readAllStandardOutput()).toStdString();
    const QByteArray errors = m_look->readAllStandardError();
    const bool forgotten = errors.contains("Invalid job id");
    const bool answered = m_look->exitStatus() == QProcess::NormalExit && m_look->exitCode() == 0;
    m_look->disconnect(this);
    m_look.release()->deleteLater(); // it is the one that tells
    if (m_over || (!answered && !forgotten))
        return;
    const auto tasks = slurmTasks(out);
    QString waiting;
    for (std::size_t index = 0; index < m_files.size(); ++index) {
        const auto at = std::ranges::find_if(
            tasks, [index](const SlurmTask& each) { return each.first <= index && index <= each.last; });
        if (at != tasks.end() && at->state == "PENDING")
            waiting = QString::fromStdString(at->reason);
        const bool over = at == tasks.end() ? forgotten : at->over();
        if (m_files[index].over || !over || ++m_files[index].silentLooks < kSilentLooks)
            continue;
        m_files[index].over = true;
        const std::string state = at == tasks.end() ? "forgotten" : at->state;
        m_merge.ended(index,
                      {"worker-ended", "Slurm ended the task before it could say how it went (" + state + ")", place(),
                       state == "TIMEOUT"         ? "ask for more time in the launcher: --time"
                       : state == "OUT_OF_MEMORY" ? "ask for more memory in the launcher: --mem"
                                                  : "look it up: sacct -j " + m_job.toStdString()});
    }
    if (m_merge.over())
        finish();
    const QPointer<SlurmSource> alive(this);
    if (!waiting.isEmpty() && waiting != m_said)
        Q_EMIT link(tr("%1: tasks wait in the queue (%2)").arg(QString::fromStdString(m_target.name), waiting));
    if (!alive)
        return;
    m_said = waiting;
    tellFailures();
}

State SlurmSource::read(std::string& buffer, std::size_t most)
{
    if (m_ready.empty())
        m_ready = m_merge.take();
    buffer = m_ready.substr(0, most);
    m_ready.erase(0, buffer.size());
    if (!buffer.empty())
        return State::Data;
    return m_over ? State::End : State::Empty;
}

void SlurmSource::setListening(bool on)
{
    m_listening = on;
}

void SlurmSource::cancel()
{
    m_cancelled = true;
    if (m_over || m_job.isEmpty())
        return; // done as soon as the job has a number
    endJob();
    poll(); // what is there by now is kept
    if (m_over)
        return;
    m_ready += m_merge.take() +
               encodeEvent(FailedEvent{
                   {"cancelled", "The run was cancelled, and its job " + m_job.toStdString() + " too", place(), {}}});
    finish();
}

void SlurmSource::endJob() const
{
    const QStringList words = slurmTool(m_launcher, s("scancel")) << m_job;
    QProcess::startDetached(words.front(), words.mid(1));
}

void SlurmSource::kill()
{
    if (!m_cancelled)
        cancel();
    finish();
}

void SlurmSource::finish()
{
    if (m_over)
        return;
    m_over = true;
    for (QTimer* timer : {&m_poll, &m_lookTimer, &m_patience, &m_beat})
        timer->stop();
    std::error_code ignored;
    if (!m_cancelled) // tasks that are being ended may still write
        std::filesystem::remove_all(m_folder, ignored);
    QMetaObject::invokeMethod(
        this, [this] { Q_EMIT ended(); }, Qt::QueuedConnection);
}

void SlurmSource::breakWith(Error error)
{
    if (m_over)
        return;
    m_over = true;
    for (QTimer* timer : {&m_poll, &m_lookTimer, &m_patience, &m_beat})
        timer->stop();
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
    if (error.place.empty())
        error.place = place();
    QMetaObject::invokeMethod(
        this, [this, error] { Q_EMIT broken(error); }, Qt::QueuedConnection);
}

std::string SlurmSource::place() const
{
    return "target " + m_target.name + (m_job.isEmpty() ? "" : ", Slurm job " + m_job.toStdString()) + ": " +
           m_target.launcher;
}

Error SlurmSource::endedEarly() const
{
    return {"worker-ended", "The array job ended without a last word", place(), "Run it again"};
}

} // namespace ridge::record

#include "moc_slurm_source.cpp"
