// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/remote_setup.h"

#include "base/json.h"
#include "base/protocol.h"
#include "record/worker/launcher_call.h"
#include "record/worker/shell_words.h"
#include "record/worker/when_done.h"

#include <QDateTime>
#include <QEventLoop>
#include <QPromise>
#include <QThreadPool>

namespace ridge::record {
namespace {

QString s(const char* text)
{
    return QString::fromLatin1(text);
}

/// Words that say by their form what a launcher did to them.
const char* const kProbe[] = {"a  b", "\"q\""};
constexpr const char* kProbeKept = "a  b \"q\"";
constexpr const char* kProbeJoined = "a b q";

const QStringList& awkwardWords()
{
    static const QStringList words{s("it's"),        s("$HOME"), s("a  b"),   s("*"), s("\"q\""), s("back\\slash"),
                                   s("#no;comment"), QString(),  s("`echo`"), s("~"), s("-n")};
    return words;
}

std::string framed(const QStringList& words)
{
    QString all;
    for (const QString& word : words)
        all += QLatin1Char('<') + word + QLatin1Char('>');
    return all.toStdString();
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    for (const QString& line : QString::fromStdString(text).split(QLatin1Char('\n')))
        lines.push_back(line.toStdString());
    return lines;
}

} // namespace

struct RemoteSetup::Private {
    using Next = std::function<void(const LauncherCall::Answer&)>;

    RemoteSetup& q;
    WorkerOptions local;
    RemoteTarget target;
    Extent extent;
    WorkerVersion own;
    Outcome outcome;
    bool over = false;

    void askLocal();
    void probe();
    void look();
    void judge(const LauncherCall::Answer& answer);
    void judgeNamed(const std::string& line, const LauncherCall::Answer& answer);
    void copy();
    void send(const std::string& tar);
    void judgeCopy(const LauncherCall::Answer& answer);
    void askTargets();
    void finish();
    void fail(Error error);
    double patience() const;
    void call(const QStringList& command, const QString& mark, const Next& next, const QByteArray& input = {});
    void script(const QString& text, const QStringList& arguments, const Next& next, const QByteArray& input = {});
};

RemoteSetup::RemoteSetup(WorkerOptions local, RemoteTarget target, Extent extent, QObject* parent)
    : QObject(parent), d(new Private{*this, std::move(local), std::move(target), extent, {}, {}})
{
    d->local.launcher.clear();
    if (extent == Extent::Check)
        d->target.words = LauncherWords::Unknown;
}

RemoteSetup::~RemoteSetup() = default;

void RemoteSetup::start()
{
    d->askLocal();
}

/// A queue in front of the machine takes its time.
double RemoteSetup::Private::patience() const
{
    const auto words = splitShellWords(QString::fromStdString(target.launcher));
    const bool queued = words && kindOf(*words) == LauncherKind::Slurm;
    return local.times.connect * (queued ? 10 : 1);
}

void RemoteSetup::Private::call(const QStringList& command, const QString& mark, const Next& next,
                                const QByteArray& input)
{
    auto* one = new LauncherCall(target, command, mark, patience(), &q);
    QObject::connect(one, &LauncherCall::answered, &q, next);
    QObject::connect(one, &LauncherCall::failed, &q, [this](const Error& error) { fail(error); });
    one->start(input);
}

void RemoteSetup::Private::script(const QString& text, const QStringList& arguments, const Next& next,
                                  const QByteArray& input)
{
    const QString mark = newMark();
    call(remoteScript(target, mark, text, arguments), mark, next, input);
}

void RemoteSetup::Private::askLocal()
{
    auto* query = new WorkerQuery(local, s("version"), &q);
    QObject::connect(query, &WorkerQuery::failed, &q, [this](const Error& error) { fail(error); });
    QObject::connect(query, &WorkerQuery::answered, &q, [this](const JsonValue& document) {
        auto version = WorkerVersion::from(*document, local.program.toStdString() + " version");
        if (!version)
            return fail(version.error());
        own = std::move(*version);
        if (target.words == LauncherWords::Unknown)
            probe();
        else
            look();
    });
    query->start();
}

void RemoteSetup::Private::probe()
{
    const auto launcher = splitShellWords(QString::fromStdString(target.launcher));
    if (!launcher)
        return fail(launcher.error());
    if (launcher->isEmpty())
        return fail(
            {"bad-launcher", "the launcher is empty", "target " + target.name, "give one: --launcher \"ssh HOST\""});
    Q_EMIT q.told(QStringLiteral("asking %1").arg(QString::fromStdString(target.name)));
    const QString mark = newMark();
    const QStringList command = startedWords(*launcher) + QStringList{s("echo"), mark, s(kProbe[0]), s(kProbe[1])};
    call(command, {}, [this, mark](const LauncherCall::Answer& answer) {
        const std::string sign = mark.toStdString() + ' ';
        const std::size_t at = answer.out.find(sign);
        if (at == std::string::npos)
            return fail(launcherFailure(target, {.exitCode = answer.exitCode, .errorText = answer.errorText}));
        const std::string rest = answer.out.substr(at + sign.size());
        const std::string came = rest.substr(0, rest.find_first_of("\r\n"));
        if (came == kProbeKept)
            target.words = LauncherWords::OneByOne;
        else if (came == kProbeJoined)
            target.words = LauncherWords::Joined;
        else
            return fail({"bad-launcher",
                         "the launcher changes words in a way that cannot be undone: " + std::string(kProbeKept) +
                             " came back as " + came,
                         "target " + target.name + ": " + target.launcher,
                         "use a launcher that hands its words on, as srun does, or to a shell, as ssh does"});
        look();
    });
}

void RemoteSetup::Private::look()
{
    script(s("for x in \"$@\"; do printf '<%s>' \"$x\"; done; echo; uname -sm; ") +
               findWorkerScript(target, QString::fromStdString(own.digest)) +
               s("if [ -x \"$w\" ]; then \"$w\" version || echo broken; else echo absent; fi"),
           awkwardWords(), [this](const LauncherCall::Answer& answer) { judge(answer); });
}

void RemoteSetup::Private::judge(const LauncherCall::Answer& answer)
{
    const auto lines = linesOf(answer.out);
    if (lines.size() < 3 || lines[0] != framed(awkwardWords()))
        return fail({"bad-launcher", "words do not reach the other end as they are sent: " + lines[0],
                     "target " + target.name + ": " + target.launcher,
                     "use a launcher that hands its words on, as srun does, or to a shell, as ssh does"});
    outcome.system = lines[1];
    if (!target.worker.empty())
        return judgeNamed(lines[2], answer);
    if (lines[1] != "Linux x86_64" || own.arch != "x86_64")
        return fail({"other-architecture",
                     target.name + " is " + lines[1] + ", and the worker of this machine (" + own.arch +
                         ") runs on Linux x86_64 only",
                     "target " + target.name,
                     "build ridge-worker over there (cmake -DRIDGE_BUILD_APP=OFF) and name it: ridge target add " +
                         target.name + " --launcher \"…\" --worker PATH"});
    const auto document = parseJson(lines[2], "worker of " + target.name);
    const auto there =
        document ? WorkerVersion::from(*document, "worker of " + target.name) : Result<WorkerVersion>(document.error());
    if (!there || there->digest != own.digest)
        return copy();
    outcome.worker = *there;
    askTargets();
}

/// A worker that the learner put there stays as it is; only the language must be ours.
void RemoteSetup::Private::judgeNamed(const std::string& line, const LauncherCall::Answer& answer)
{
    const std::string place = target.name + ": " + target.worker;
    if (line == "absent")
        return fail({"worker-missing", "there is no program " + target.worker + " at " + target.name, place,
                     "put it there, or add the target without --worker to have ours copied"});
    const auto document = parseJson(line, place);
    const std::int64_t protocol = document && document->is_object() && document->contains("protocol") &&
                                          (*document)["protocol"].is_number_integer()
                                      ? (*document)["protocol"].get<std::int64_t>()
                                      : 0;
    if (protocol > kProtocolVersion)
        return fail({"worker-newer",
                     "the worker there speaks protocol " + std::to_string(protocol) + ", this program " +
                         std::to_string(kProtocolVersion),
                     place, "update Ridgepoint here, or put the worker of this version there"});
    if (protocol < kProtocolVersion)
        return fail({"worker-older",
                     "the program there does not say its version as a ridge-worker of this version does" +
                         (answer.errorText.empty() ? "" : ". It says: " + answer.errorText),
                     place, "put the worker of this version there"});
    auto there = WorkerVersion::from(*document, place);
    if (!there)
        return fail(there.error());
    outcome.worker = std::move(*there);
    askTargets();
}

void RemoteSetup::Private::copy()
{
    Q_EMIT q.told(QStringLiteral("copying the worker to %1").arg(QString::fromStdString(target.name)));
    // Some 15 MB from the disk, which the event loop does not wait for.
    auto promise = std::make_shared<QPromise<Result<std::string>>>();
    auto future = promise->future();
    promise->start();
    QThreadPool::globalInstance()->start([promise, worker = own] {
        promise->addResult(packWorker(worker));
        promise->finish();
    });
    whenDone(future, &q, [this](const Result<std::string>& tar) {
        if (!tar)
            return fail(tar.error());
        send(*tar);
    });
}

void RemoteSetup::Private::send(const std::string& tar)
{
    const QString digest = QString::fromStdString(own.digest);
    // Unpacked beside its place, asked for its own digest, which it makes of every byte that came, then moved there in
    // one step.
    const QString text =
        s("set -e; umask 077; unset RIDGE_DATA; d=") + workerFolderScript(digest) +
        s("; b=$(dirname \"$d\"); mkdir -p \"$b\"; k=$(df -Pk \"$b\" | awk 'NR==2 {print $4}'); "
          "if [ \"$k\" -lt ") +
        QString::number(2 * tar.size() / 1024) +
        s(" ]; then echo room \"$k\"; exit 0; fi; t=$(mktemp -d \"$b/.worker-XXXXXX\"); trap 'rm -rf \"$t\"' EXIT; "
          "tar -xf - -C \"$t\"; \"$t/bin/ridge-worker\" version > \"$t/said\"; case $(cat \"$t/said\") in *") +
        digest + s("*) ;; *) echo damaged; exit 0;; esac; rm \"$t/said\"; rm -rf \"$d\"; mv \"$t\" \"$d\"; echo there");
    outcome.copied = true;
    script(
        text, {}, [this](const LauncherCall::Answer& answer) { judgeCopy(answer); },
        QByteArray(tar.data(), static_cast<qsizetype>(tar.size())));
}

void RemoteSetup::Private::judgeCopy(const LauncherCall::Answer& answer)
{
    const std::string line = answer.out.substr(0, answer.out.find('\n'));
    const std::string place = "target " + target.name;
    if (line == "there") {
        outcome.worker = own;
        return askTargets();
    }
    const bool full = answer.errorText.find("No space left") != std::string::npos ||
                      answer.errorText.find("quota exceeded") != std::string::npos;
    if (line.starts_with("room") || full)
        return fail({"no-room",
                     "there is no room for the worker at " + target.name +
                         (full ? "" : ": " + line.substr(5) + " KiB are free where its cache folder is"),
                     place, "make room there, or let RIDGE_CACHE in its login script name a folder on a larger disk"});
    if (answer.errorText.find("GLIBC_") != std::string::npos)
        return fail({"worker-missing",
                     "the worker of this machine does not run at " + target.name +
                         ", whose C library is older: " + answer.errorText,
                     place, "build ridge-worker over there and name it with --worker"});
    if (line == "damaged")
        return fail({"cannot-install", "what arrived at " + target.name + " is not what was sent", place,
                     "try again: ridge target check " + target.name});
    fail({"cannot-install",
          "the worker could not be put in place at " + target.name + " (exit status " +
              std::to_string(answer.exitCode) + "): " + answer.errorText,
          place, "check that mktemp, tar and df are there, and that the cache folder may be written"});
}

void RemoteSetup::Private::askTargets()
{
    if (extent == Extent::Worker)
        return finish();
    Q_EMIT q.told(QStringLiteral("asking %1 what it can run").arg(QString::fromStdString(target.name)));
    script(findWorkerScript(target, QString::fromStdString(own.digest)) + s("exec \"$w\" targets"), {},
           [this](const LauncherCall::Answer& answer) {
               const std::string place = "targets of " + target.name;
               const auto document = parseJson(answer.out, place);
               if (!document || !document->is_object() || !document->contains("targets") ||
                   !(*document)["targets"].is_array())
                   return fail({"bad-protocol", "the worker there does not list its targets: " + answer.errorText,
                                place, "use a ridge-worker of the same version"});
               target.seen = Json{{"when", QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()},
                                  {"targets", (*document)["targets"]}};
               finish();
           });
}

void RemoteSetup::Private::finish()
{
    if (over)
        return;
    over = true;
    outcome.target = target;
    Q_EMIT q.finished(outcome);
}

void RemoteSetup::Private::fail(Error error)
{
    if (over)
        return;
    over = true;
    if (error.place.empty())
        error.place = "target " + target.name;
    Q_EMIT q.failed(error);
}

Result<RemoteSetup::Outcome> setUpRemote(const WorkerOptions& local, const RemoteTarget& target,
                                         const std::function<void(const QString&)>& told)
{
    Result<RemoteSetup::Outcome> result = Error{};
    QEventLoop loop;
    RemoteSetup setup(local, target, RemoteSetup::Extent::Check);
    QObject::connect(&setup, &RemoteSetup::told, &loop, told);
    QObject::connect(&setup, &RemoteSetup::finished, &loop, [&](const RemoteSetup::Outcome& outcome) {
        result = outcome;
        loop.quit();
    });
    QObject::connect(&setup, &RemoteSetup::failed, &loop, [&](const Error& error) {
        result = error;
        loop.quit();
    });
    // Started from inside the loop, so that a failure at once finds it running.
    QMetaObject::invokeMethod(
        &setup, [&setup] { setup.start(); }, Qt::QueuedConnection);
    loop.exec();
    return result;
}

} // namespace ridge::record

#include "moc_remote_setup.cpp"
