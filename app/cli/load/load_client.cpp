// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/load/load_client.h"

#include "base/json.h"
#include "base/json_guard.h"

#include <QEventLoop>
#include <QHostAddress>
#include <QNetworkAccessManager>
#include <QNetworkProxy>
#include <QNetworkReply>
#include <QNetworkRequest>
#include <QPointer>
#include <QTimer>
#include <QUrl>
#include <algorithm>
#include <cmath>
#include <sys/resource.h>

namespace ridge::cli {
namespace {

using namespace serving;
using Clock = std::chrono::steady_clock;

constexpr int kTickMs = 20;        ///< how often times are looked at that run out
constexpr double kDrain = 1;       ///< s for the end of a connection after the end of its answer
constexpr qint64 kMostBody = 4096; ///< of an answer that is an error
constexpr qint64 kMostModels = 1 << 22;
constexpr int kJsonDepth = 32;

/// Pieces of text after which an answer is no answer to its request any more: servers send one a token, or fewer.
std::size_t mostPieces(const Request& asked)
{
    return 4 * std::size_t(asked.output) + 64;
}

/// A body that can be read once. Qt sends again by itself what a server hung up on, up to three times, unless it cannot
/// have the body from its beginning.
class OnceRead : public QIODevice {
public:
    explicit OnceRead(QByteArray bytes) : m_bytes(std::move(bytes))
    {
        open(QIODevice::ReadOnly | QIODevice::Unbuffered);
    }
    qint64 size() const override { return m_bytes.size(); }
    bool reset() override { return false; }

protected:
    qint64 readData(char* into, qint64 most) override
    {
        const qint64 count = std::min<qint64>(most, m_bytes.size() - m_read);
        std::copy_n(m_bytes.constData() + m_read, count, into);
        m_read += count;
        return count;
    }
    qint64 writeData(const char*, qint64) override { return -1; }

private:
    const QByteArray m_bytes;
    qint64 m_read = 0;
};

/// For one request at a time. Qt opens six connections to a host for one manager and lets further requests wait, and a
/// connection that fails takes one along that has just been asked for.
struct Manager {
    QNetworkAccessManager network;
    bool busy = false;
    Manager()
    {
        network.setProxy(QNetworkProxy::NoProxy);
        network.setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
    }
};

/// Systems give a program 1,024 files at first and more when it asks: a request is one, a manager three.
void allowManyFiles()
{
    constexpr rlim_t kFiles = 16384;
    rlimit limit = {};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kFiles)
        return;
    limit.rlim_cur = std::min(limit.rlim_max, kFiles);
    setrlimit(RLIMIT_NOFILE, &limit); // where it is refused, connections fail and are counted
}

QNetworkRequest requestTo(const LoadEndpoint& endpoint, const char* path)
{
    QNetworkRequest request(QUrl(QString::fromStdString(endpoint.base + path)));
    request.setHeader(QNetworkRequest::UserAgentHeader, QByteArray("ridge-load"));
    request.setRawHeader("Accept-Encoding", "identity"); // what is packed comes in larger pieces
    request.setRawHeader("Connection", "close");
    if (!endpoint.key.empty())
        request.setRawHeader("Authorization", QByteArray::fromStdString("Bearer " + endpoint.key));
    request.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    request.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    return request;
}

int statusOf(const QNetworkReply& reply)
{
    return reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
}

/// Servers repeat a wrong key in their answers.
std::string withoutKey(std::string text, const std::string& key)
{
    for (std::size_t at = 0; !key.empty() && (at = text.find(key, at)) != std::string::npos;)
        text.replace(at, key.size(), "(key)");
    return text;
}

/// What an answer that is an error says, on one line.
std::string bodyText(const QByteArray& body)
{
    const auto json = parseUntrustedJson(std::string_view(body.constData(), std::size_t(body.size())), kJsonDepth, "");
    if (json && json->is_object()) {
        const Json error = json->value("error", Json(*json));
        const Json message = error.is_object() ? error.value("message", Json()) : error;
        if (message.is_string())
            return message.get<std::string>();
    }
    return QString::fromUtf8(body.left(200)).simplified().toStdString();
}

} // namespace

struct LoadClient::Private {
    explicit Private(LoadPlan plan) : m_plan(std::move(plan)) {}
    LoadRun run(const std::function<void(std::size_t)>& progress);

    struct Flight {
        std::size_t index = 0;
        Manager* manager = nullptr;
        QNetworkReply* reply = nullptr;
        AnswerStream stream;
        QByteArray error;     ///< what an answer with another status than 200 says
        bool wentOut = false; ///< there was a connection
        bool over = false;    ///< its outcome is there; the connection still ends
    };

    double now() const { return std::chrono::duration<double>(Clock::now() - m_run.begin).count(); }
    void sendWhatIsDue();
    void send(std::size_t index);
    QByteArray bodyOf(std::size_t index) const;
    Manager& freeManager();
    int noteStatus(const Flight& flight);
    void read(Flight& flight);
    void readBody(Flight& flight);
    void connectionEnded(Flight& flight);
    std::pair<LoadError, std::string> networkError(const Flight& flight) const;
    void fail(Flight& flight, LoadError error, const std::string& message);
    void conclude(Flight& flight);
    void look();
    void cancel();
    void leaveIfOver();

    const LoadPlan m_plan;
    std::function<void(std::size_t)> m_progress;
    LoadRun m_run;
    std::vector<std::unique_ptr<Manager>> m_managers;
    std::vector<std::unique_ptr<Flight>> m_flights;
    std::size_t m_next = 0, m_ended = 0, m_underWay = 0;
    QObject m_context;
    QTimer m_due, m_tick;
    QEventLoop m_loop;
};

LoadRun LoadClient::Private::run(const std::function<void(std::size_t)>& progress)
{
    allowManyFiles();
    m_progress = progress;
    m_run.outcomes.resize(m_plan.requests.size());
    for (std::size_t i = 0; i < m_run.outcomes.size(); ++i)
        m_run.outcomes[i].asked = m_plan.requests[i];
    m_due.setSingleShot(true);
    m_due.setTimerType(Qt::PreciseTimer);
    QObject::connect(&m_due, &QTimer::timeout, &m_context, [this] { sendWhatIsDue(); });
    QObject::connect(&m_tick, &QTimer::timeout, &m_context, [this] { look(); });
    m_run.begin = Clock::now();
    m_tick.start(kTickMs);
    QTimer::singleShot(0, &m_context, [this] { sendWhatIsDue(); });
    m_loop.exec();
    m_due.stop();
    m_tick.stop();
    for (auto& flight : m_flights)
        if (flight->reply) {
            flight->reply->disconnect(&m_context);
            flight->reply->abort();
            delete flight->reply;
        }
    if (m_run.cancelled)
        std::erase_if(m_run.outcomes, [](const LoadOutcome& outcome) { return outcome.ended < 0; });
    return std::move(m_run);
}

/// Those whose time has come, however many are still under way.
void LoadClient::Private::sendWhatIsDue()
{
    while (m_next < m_plan.requests.size() && m_plan.requests[m_next].arrival <= now())
        send(m_next++);
    leaveIfOver();
    if (m_next == m_plan.requests.size())
        return;
    // A timer counts milliseconds: what is left of the last one goes by in the event loop.
    const double wait = (m_plan.requests[m_next].arrival - now()) * 1e3;
    m_due.start(static_cast<int>(std::clamp(std::floor(wait), 0.0, 1e6)));
}

Manager& LoadClient::Private::freeManager()
{
    for (auto& manager : m_managers)
        if (!manager->busy)
            return *manager;
    m_managers.push_back(std::make_unique<Manager>());
    return *m_managers.back();
}

QByteArray LoadClient::Private::bodyOf(std::size_t index) const
{
    const Request& asked = m_plan.requests[index];
    const std::string prompt = promptText(asked.prompt, Rng(m_plan.seed + index).next());
    Json body{{"model", m_plan.model}, {"max_tokens", asked.output}, {"stream", true}};
    if (m_plan.chat)
        body["messages"] = Json::array({{{"role", "user"}, {"content", prompt}}});
    else
        body["prompt"] = prompt;
    if (m_plan.usage)
        body["stream_options"] = {{"include_usage", true}};
    if (m_plan.ignoreEos)
        body["ignore_eos"] = true;
    return QByteArray::fromStdString(body.dump());
}

void LoadClient::Private::send(std::size_t index)
{
    LoadOutcome& outcome = m_run.outcomes[index];
    if (m_underWay >= m_plan.limit) {
        outcome.error = LoadError::NotSent;
        outcome.message =
            std::to_string(m_underWay) + " requests were under way, as many as --concurrency-limit allows";
        outcome.ended = now();
        m_progress(++m_ended);
        return;
    }
    auto flight = std::make_unique<Flight>();
    Flight& f = *flight;
    m_flights.push_back(std::move(flight));
    f.index = index;
    f.manager = &freeManager();
    f.manager->busy = true;
    ++m_underWay;
    QNetworkRequest request = requestTo(m_plan.endpoint, m_plan.chat ? "/chat/completions" : "/completions");
    request.setHeader(QNetworkRequest::ContentTypeHeader, QByteArray("application/json"));
    request.setRawHeader("Accept", "text/event-stream");
    auto* body = new OnceRead(bodyOf(index));
    outcome.sent = now();
    f.reply = f.manager->network.post(request, body);
    body->setParent(f.reply);
    QObject::connect(f.reply, &QNetworkReply::readyRead, &m_context, [this, &f] { read(f); });
    QObject::connect(f.reply, &QNetworkReply::finished, &m_context, [this, &f] { connectionEnded(f); });
    QObject::connect(f.reply, &QNetworkReply::requestSent, &m_context, [&f] { f.wentOut = true; });
}

/// Once it is known: Qt forgets it where a connection ends in the midst of an answer.
int LoadClient::Private::noteStatus(const Flight& f)
{
    int& status = m_run.outcomes[f.index].status;
    if (status == 0)
        status = statusOf(*f.reply);
    return status;
}

void LoadClient::Private::read(Flight& f)
{
    const double at = now();
    if (f.over) {
        f.reply->readAll();
        return;
    }
    if (noteStatus(f) != 200)
        return readBody(f);
    const QString type = f.reply->header(QNetworkRequest::ContentTypeHeader).toString();
    if (!type.isEmpty() && !type.startsWith(QLatin1String("text/event-stream"), Qt::CaseInsensitive))
        return fail(f, LoadError::Malformed,
                    "the answer is of type " + type.left(80).toStdString() + " and no stream of events");
    const QByteArray bytes = f.reply->readAll();
    const auto read = f.stream.feed(std::string_view(bytes.constData(), std::size_t(bytes.size())), at);
    if (!read)
        return fail(f, read.error().code == "server-error" ? LoadError::Status : LoadError::Malformed,
                    read.error().message);
    if (f.stream.answer().at.size() > mostPieces(m_plan.requests[f.index]))
        return fail(f, LoadError::Malformed,
                    std::to_string(f.stream.answer().at.size()) + " pieces of text came for " +
                        std::to_string(m_plan.requests[f.index].output) + " tokens asked for");
    if (f.stream.answer().done)
        conclude(f);
}

void LoadClient::Private::readBody(Flight& f)
{
    const QByteArray bytes = f.reply->readAll();
    f.error += bytes.left(std::max<qint64>(0, kMostBody - f.error.size()));
    if (f.error.size() >= kMostBody) // whatever else it says
        fail(f, LoadError::Status,
             "HTTP status " + std::to_string(m_run.outcomes[f.index].status) + ": " + bodyText(f.error));
}

/// The answer is whole, or as whole as it will be.
void LoadClient::Private::conclude(Flight& f)
{
    const auto finished = f.stream.finish();
    if (!finished)
        return fail(f, finished.error().code == "malformed" ? LoadError::Malformed : LoadError::ClosedEarly,
                    finished.error().message);
    LoadOutcome& outcome = m_run.outcomes[f.index];
    outcome.answer = f.stream.answer();
    outcome.ended = now();
    f.over = true;
    --m_underWay;
    m_progress(++m_ended);
}

void LoadClient::Private::fail(Flight& f, LoadError error, const std::string& message)
{
    if (f.over)
        return;
    LoadOutcome& outcome = m_run.outcomes[f.index];
    outcome.answer = f.stream.answer();
    outcome.error = error;
    outcome.message = withoutKey(message, m_plan.endpoint.key);
    outcome.ended = now();
    f.over = true;
    --m_underWay;
    m_progress(++m_ended);
    // Not from within a signal of the reply.
    QTimer::singleShot(0, &m_context, [reply = QPointer(f.reply)] {
        if (reply)
            reply->abort();
    });
}

std::pair<LoadError, std::string> LoadClient::Private::networkError(const Flight& f) const
{
    const std::string text = f.reply->errorString().toStdString();
    switch (f.reply->error()) {
    case QNetworkReply::RemoteHostClosedError:
    case QNetworkReply::ContentReSendError: // see OnceRead
        return {LoadError::ClosedEarly, "the server closed the connection, or what it sent is no HTTP: " + text};
    case QNetworkReply::ProtocolFailure:
    case QNetworkReply::ProtocolUnknownError:
        return {LoadError::Malformed, "the answer is no HTTP: " + text};
    default:
        return {f.wentOut ? LoadError::ClosedEarly : LoadError::Connect, text};
    }
}

void LoadClient::Private::connectionEnded(Flight& f)
{
    if (!f.over && f.reply->bytesAvailable() > 0)
        read(f);
    if (!f.over) {
        const int status = noteStatus(f);
        if (status != 0 && status != 200) {
            f.error += f.reply->readAll();
            fail(f, LoadError::Status, "HTTP status " + std::to_string(status) + ": " + bodyText(f.error));
        } else if (status == 0 && f.reply->error() != QNetworkReply::NoError) {
            const auto [error, message] = networkError(f);
            fail(f, error, message);
        } else {
            conclude(f);
        }
    }
    f.manager->busy = false;
    f.reply->disconnect(&m_context);
    f.reply->deleteLater();
    f.reply = nullptr;
    leaveIfOver();
}

void LoadClient::Private::look()
{
    const double at = now();
    for (auto& flight : m_flights) {
        Flight& f = *flight;
        const LoadOutcome& outcome = m_run.outcomes[f.index];
        const auto& pieces = f.stream.answer().at;
        if (f.over) {
            if (f.reply && at - outcome.ended > kDrain)
                f.reply->abort();
        } else if (!pieces.empty() && at - pieces.back() > m_plan.stall) {
            fail(f, LoadError::Stalled,
                 "no text came for " + std::to_string(int(std::ceil(m_plan.stall))) + " s after " +
                     std::to_string(pieces.size()) + " pieces");
        } else if (at - outcome.sent > m_plan.timeout) {
            fail(f, LoadError::Timeout, pieces.empty() ? "no text came in time" : "the answer took too long");
        }
    }
    std::erase_if(m_flights, [](const auto& flight) { return flight->over && !flight->reply; });
    leaveIfOver();
}

void LoadClient::Private::cancel()
{
    m_run.cancelled = true;
    m_loop.quit();
}

void LoadClient::Private::leaveIfOver()
{
    const bool anyReply = std::ranges::any_of(m_flights, [](const auto& flight) { return flight->reply != nullptr; });
    if (m_ended == m_plan.requests.size() && !anyReply)
        m_loop.quit();
}

Result<std::string> loadBase(const std::string& text)
{
    const auto bad = [&](const std::string& message, const std::string& fix) {
        return Error{"bad-argument", message, "URL", fix};
    };
    const QUrl url(QString::fromStdString(text), QUrl::StrictMode);
    const std::string example = "write it as http://localhost:8000";
    if (!url.isValid() || (url.scheme() != QLatin1String("http") && url.scheme() != QLatin1String("https")) ||
        url.host().isEmpty())
        return bad("that is no address of a server over http or https", example);
    if (!url.userInfo().isEmpty())
        return bad("the address holds a name or password", "put the key into OPENAI_API_KEY");
    if (url.hasQuery() || url.hasFragment())
        return bad("the address holds more than a path", example);
    QString base = url.toString(QUrl::FullyEncoded);
    while (base.endsWith(QLatin1Char('/')))
        base.chop(1);
    if (!base.endsWith(QLatin1String("/v1")))
        base += QLatin1String("/v1");
    return base.toStdString();
}

bool keyGoesOpen(const LoadEndpoint& endpoint)
{
    const QUrl url(QString::fromStdString(endpoint.base));
    const bool here = url.host() == QLatin1String("localhost") || QHostAddress(url.host()).isLoopback();
    return !endpoint.key.empty() && url.scheme() == QLatin1String("http") && !here;
}

Result<std::string> firstModel(const LoadEndpoint& endpoint, double seconds)
{
    const auto unreachable = [&](const std::string& message, const std::string& fix) {
        return Error{"endpoint-unreachable", withoutKey(message, endpoint.key), endpoint.base + "/models", fix};
    };
    Manager manager;
    QEventLoop loop;
    bool late = false;
    const std::unique_ptr<QNetworkReply> reply(manager.network.get(requestTo(endpoint, "/models")));
    QObject::connect(reply.get(), &QNetworkReply::finished, &loop, &QEventLoop::quit);
    QByteArray body;
    QObject::connect(reply.get(), &QNetworkReply::readyRead, &loop, [&] {
        body += reply->readAll();
        if (body.size() > kMostModels)
            loop.quit();
    });
    QTimer::singleShot(std::chrono::milliseconds(std::int64_t(seconds * 1e3)), &loop, [&] {
        late = true;
        loop.quit();
    });
    loop.exec();
    reply->disconnect(&loop);
    const int status = statusOf(*reply);
    const QString trouble = reply->error() == QNetworkReply::NoError ? QString() : reply->errorString();
    reply->abort();
    const std::string fix = "start the server, check address and port, or name a model with --model";
    if (late)
        return unreachable("no answer came in time", fix);
    if (status == 0)
        return unreachable(trouble.isEmpty() ? "there is no answer" : trouble.toStdString(), fix);
    if (status != 200)
        return unreachable("HTTP status " + std::to_string(status) + ": " + bodyText(body),
                           status == 401 || status == 403 ? "put a key of this server into OPENAI_API_KEY" : fix);
    const auto json = parseUntrustedJson(std::string_view(body.constData(), std::size_t(body.size())), kJsonDepth, "");
    const Json none;
    const Json& list = json && json->is_object() && json->contains("data") ? (*json)["data"] : none;
    if (!list.is_array() || list.empty() || !list[0].is_object() || !list[0].contains("id") ||
        !list[0]["id"].is_string())
        return unreachable("the answer is no list of models", "name one with --model");
    return list[0]["id"].get<std::string>();
}

LoadClient::LoadClient(LoadPlan plan) : d(std::make_unique<Private>(std::move(plan))) {}

LoadClient::~LoadClient() = default;

LoadRun LoadClient::run(const std::function<void(std::size_t)>& progress)
{
    return d->run(progress);
}

void LoadClient::cancel()
{
    d->cancel();
}

} // namespace ridge::cli
