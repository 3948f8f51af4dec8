// SPDX-License-Identifier: GPL-3.0-or-later
// A program for tst_live_wire: one side of the live view on a computer of its own, moved by lines on standard input.
// `live-side teacher FILE` writes the assignment into FILE and has the teacher's panel, `live-side learner FILE` reads
// it and has the learner's. Says what it shows, each time it changes, as a line on standard output.
#include "live_place.h"

#include "app/class/live/live_indicator.h"
#include "app/class/live/text_table.h"
#include "base/json.h"

#include <QApplication>
#include <QPushButton>
#include <QSocketNotifier>
#include <QVBoxLayout>
#include <cstdio>
#include <unistd.h>

using namespace ridge;
using namespace ridge::app;

namespace {

void say(const Json& words)
{
    std::printf("%s\n", words.dump().c_str());
    std::fflush(stdout);
}

Json rowsOf(const QWidget& panel)
{
    Json rows = Json::array();
    for (const QStringList& row : panel.findChild<TextTable*>()->rows())
        rows.push_back(row.join(QStringLiteral(" | ")).toStdString());
    return rows;
}

class Side {
public:
    Side(bool teaches, const std::string& file) : m_teaches(teaches)
    {
        auto* column = new QVBoxLayout(&m_window);
        QWidget* panel = nullptr;
        if (teaches) {
            const auto written = classroom::createAssignment(m_place.live.assignment, m_place.live.keys);
            if (!written || !writeFile(file, written->bytes))
                qFatal("the assignment cannot be written");
            m_place.live.assignment = written->assignment;
            auto* live = new LivePanel(*m_place.context);
            live->setClass(m_place.live);
            panel = live;
        } else {
            const auto bytes = readFile(file);
            const auto assignment = classroom::readAssignment(*bytes, file);
            if (!assignment)
                qFatal("%s", toText(assignment.error()).c_str());
            auto* share = new SharePanel(*m_place.context);
            share->setAssignment(*assignment);
            panel = share;
        }
        m_panel = panel;
        m_indicator = new LiveIndicator(*m_place.context);
        column->addWidget(panel);
        column->addWidget(m_indicator);
        m_window.show();
        // Whatever changes is said, by whichever signal it came.
        QObject::connect(&m_look, &QTimer::timeout, &m_window, [this] { tell(); });
        m_look.start(50);
    }

    void take(const QStringList& words)
    {
        if (words[0] == QLatin1String("toggle")) {
            m_panel->findChild<QPushButton*>(m_teaches ? QStringLiteral("live-session") : QStringLiteral("share-live"))
                ->click();
        } else if (words[0] == QLatin1String("type")) {
            const QList<QLineEdit*> fields = m_panel->findChildren<QLineEdit*>();
            fields[0]->setText(words[1]);
            fields[1]->setText(words[2]);
        } else if (words[0] == QLatin1String("predict")) {
            m_place.store(LivePlace::prediction(words[1].toStdString(), words[2].toDouble()));
        } else if (words[0] == QLatin1String("run")) {
            m_place.store(LivePlace::run(words[1].toStdString()));
        }
    }

private:
    void tell()
    {
        Json now{{"on", m_indicator->isLive()}, {"rows", rowsOf(*m_panel)}};
        const record::Store& store = *m_place.context->store();
        const auto runs = store.runs({});
        const auto predictions = store.predictions({});
        now["stored"] = (runs ? runs->size() : 0) + (predictions ? predictions->size() : 0);
        if (m_teaches) {
            const LiveSession& session = LiveSession::of(*m_place.context);
            now["places"] = session.places();
            now["code"] = session.code();
            Json guesses = Json::object();
            for (const live::LiveLearner& one : session.view().learners)
                for (const auto& [at, note] : one.predictions)
                    guesses[at.first] = note.point;
            now["guesses"] = guesses;
        } else {
            const LiveShare& share = LiveShare::of(*m_place.context);
            now["pseudonym"] = share.pseudonym().toStdString();
            now["answered"] = share.sender().state() == live::LiveSender::State::Sharing;
        }
        if (now != m_said)
            say(now);
        m_said = std::move(now);
    }

    bool m_teaches;
    LivePlace m_place;
    QWidget m_window;
    QWidget* m_panel = nullptr;
    LiveIndicator* m_indicator = nullptr;
    QTimer m_look;
    Json m_said;
};

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    if (argc != 3)
        return 2;
    Side side(std::string_view(argv[1]) == "teacher", argv[2]);
    QByteArray typed;
    QSocketNotifier input(STDIN_FILENO, QSocketNotifier::Read);
    QObject::connect(&input, &QSocketNotifier::activated, [&] {
        char bytes[4096];
        const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
        if (count <= 0)
            return QApplication::quit();
        typed.append(bytes, count);
        for (qsizetype end = typed.indexOf('\n'); end >= 0; end = typed.indexOf('\n')) {
            side.take(QString::fromUtf8(typed.left(end)).split(QLatin1Char(' ')));
            typed.remove(0, end + 1);
        }
    });
    return QApplication::exec();
}
