// SPDX-License-Identifier: GPL-3.0-or-later
// A server on loopback that streams tokens as it was told to, and notes when it did.
#pragma once

#include "base/json.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>
#include <QtTest>

#include <chrono>
#include <memory>
#include <vector>

namespace ridge::test {

enum class Mishap {
    None,
    Stall,         ///< after some tokens nothing more
    Drop,          ///< the connection ends after some tokens
    Malformed,     ///< an event that is no JSON after some tokens
    ErrorEvent,    ///< the server says that it failed, after some tokens
    Endless,       ///< after some tokens thousands at once, and no end
    Status,        ///< an HTTP status with a JSON error
    Redirect,      ///< to another server
    Silent,        ///< takes the request and never answers
    CloseAtOnce,   ///< takes the request and hangs up
    Garbage,       ///< bytes that are no HTTP
    WholeDocument, ///< no stream
    NoText,        ///< marks the end of an answer without text
    FalseUsage,    ///< counts fewer tokens than it sent
    StaysOpen      ///< never closes after the mark of the end
};

struct Manner {
    Mishap mishap = Mishap::None;
    int headersMs = 0; ///< from the request to the headers
    int firstMs = 10;  ///< from the headers to the first token
    int intervalMs = 10;
    int after = 2; ///< tokens before the mishap
    int status = 500;
    QByteArray error = R"({"error":{"message":"the model fell over"}})";
    QByteArray location;
    bool usage = true;
};

/// What one request looked like here.
struct Seen {
    QByteArray head;
    Json body;
    double at = 0;            ///< s of the steady clock, when it was whole
    std::vector<double> sent; ///< before each token was written
};

inline double steadySeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class StandinServer : public QObject {
public:
    explicit StandinServer(Manner manner = {}) : m_manner(std::move(manner))
    {
        m_server.listen(QHostAddress::LocalHost, 0);
        connect(&m_server, &QTcpServer::newConnection, this, [this] {
            while (QTcpSocket* socket = m_server.nextPendingConnection()) {
                ++connections;
                auto bytes = std::make_shared<QByteArray>();
                connect(socket, &QTcpSocket::readyRead, this, [this, socket, bytes] { take(socket, *bytes); });
                connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
            }
        });
    }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(m_server.serverPort()); }

    std::vector<std::unique_ptr<Seen>> seen; ///< completions, in the order in which they came
    int connections = 0;
    int asksForModels = 0;
    std::size_t seenAtFirstToken = 0; ///< how many requests were here when the first token left

private:
    void take(QTcpSocket* socket, QByteArray& bytes)
    {
        bytes += socket->readAll();
        const auto end = bytes.indexOf("\r\n\r\n");
        if (end < 0)
            return;
        const QByteArray head = bytes.left(end);
        qsizetype length = 0;
        for (const QByteArray& line : head.split('\n'))
            if (line.toLower().startsWith("content-length:"))
                length = line.mid(15).trimmed().toLongLong();
        if (bytes.size() < end + 4 + length)
            return;
        const QByteArray body = bytes.mid(end + 4, length);
        bytes.clear();
        if (head.startsWith("GET /v1/models ")) {
            ++asksForModels;
            return document(socket, 200, R"({"object":"list","data":[{"id":"stand-in","object":"model"}]})");
        }
        auto seenNow = std::make_unique<Seen>();
        seenNow->at = steadySeconds();
        seenNow->head = head;
        if (const auto json = parseJson(body.toStdString(), "request"))
            seenNow->body = *json;
        seen.push_back(std::move(seenNow));
        Seen* one = seen.back().get();
        QTimer::singleShot(m_manner.headersMs, socket, [this, socket, one] { answer(socket, one); });
    }

    static void document(QTcpSocket* socket, int status, const QByteArray& body, const QByteArray& more = {})
    {
        socket->write("HTTP/1.1 " + QByteArray::number(status) + " X\r\nContent-Type: application/json\r\n" + more +
                      "Content-Length: " + QByteArray::number(body.size()) + "\r\nConnection: close\r\n\r\n" + body);
        socket->disconnectFromHost();
    }

    void answer(QTcpSocket* socket, Seen* one)
    {
        switch (m_manner.mishap) {
        case Mishap::Status:
            return document(socket, m_manner.status, m_manner.error);
        case Mishap::Redirect:
            return document(socket, 307, "{}", "Location: " + m_manner.location + "\r\n");
        case Mishap::Silent:
            return;
        case Mishap::CloseAtOnce:
            return socket->disconnectFromHost();
        case Mishap::Garbage:
            socket->write("220 mail.example ESMTP\r\n\r\n");
            return socket->disconnectFromHost();
        case Mishap::WholeDocument:
            return document(socket, 200, R"({"choices":[{"text":"all of it at once"}]})");
        default:
            break;
        }
        socket->write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
                      "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
        socket->flush();
        if (m_manner.mishap == Mishap::NoText)
            return end(socket, one);
        QTimer::singleShot(m_manner.firstMs, Qt::PreciseTimer, socket, [this, socket, one] { token(socket, one); });
    }

    static void chunk(QTcpSocket* socket, const QByteArray& bytes)
    {
        socket->write(QByteArray::number(bytes.size(), 16) + "\r\n" + bytes + "\r\n");
        socket->flush();
    }

    void token(QTcpSocket* socket, Seen* one)
    {
        const int sent = static_cast<int>(one->sent.size());
        const int wanted = one->body.value("max_tokens", 1);
        if (m_manner.mishap != Mishap::None && sent == m_manner.after) {
            switch (m_manner.mishap) {
            case Mishap::Stall:
                return;
            case Mishap::Drop:
                return socket->disconnectFromHost();
            case Mishap::Malformed:
                return chunk(socket, "data: {\"choices\":[{\"text\":\n\n");
            case Mishap::Endless:
                return chunk(socket, QByteArray("data: {\"choices\":[{\"text\":\" and\"}]}\n\n").repeated(8000));
            case Mishap::ErrorEvent:
                return chunk(socket, "data: " + m_manner.error + "\n\n");
            default:
                break;
            }
        }
        if (seenAtFirstToken == 0)
            seenAtFirstToken = seen.size();
        one->sent.push_back(steadySeconds());
        const QByteArray choice = one->body.contains("messages") ? R"("delta":{"content":" x"})" : R"("text":" x")";
        chunk(socket, "data: {\"choices\":[{\"index\":0," + choice + "}]}\n\n");
        if (sent + 1 < wanted)
            QTimer::singleShot(m_manner.intervalMs, Qt::PreciseTimer, socket,
                               [this, socket, one] { token(socket, one); });
        else
            end(socket, one);
    }

    void end(QTcpSocket* socket, Seen* one)
    {
        if (m_manner.usage && one->body.contains("stream_options")) {
            const std::size_t tokens = m_manner.mishap == Mishap::FalseUsage ? 1 : one->sent.size();
            chunk(socket, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":21,\"completion_tokens\":" +
                              QByteArray::number(qulonglong(tokens)) + "}}\n\n");
        }
        chunk(socket, "data: [DONE]\n\n");
        if (m_manner.mishap == Mishap::StaysOpen)
            return;
        socket->write("0\r\n\r\n");
        socket->disconnectFromHost();
    }

    Manner m_manner;
    QTcpServer m_server;
};

} // namespace ridge::test
