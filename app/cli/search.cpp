// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge search`.
#include "cli/commands.h"

#include "base/json.h"
#include "base/paths.h"
#include "classroom/feedback_policy.h"
#include "record/clock.h"
#include "search/search_index.h"

#include <cstdio>

namespace ridge::cli {
namespace {

/// The snippet with what was found between marks: bold on a terminal, brackets elsewhere.
std::string marked(const app::Snippet& snippet, bool terminal)
{
    const QString open = terminal ? QStringLiteral("\033[1m") : QStringLiteral("["),
                  close = terminal ? QStringLiteral("\033[0m") : QStringLiteral("]");
    QString out;
    int at = 0;
    for (const app::TextSpan& span : snippet.marks) {
        out += snippet.text.mid(at, span.start - at) + open + snippet.text.mid(span.start, span.length) + close;
        at = span.start + span.length;
    }
    return (out + snippet.text.mid(at)).toStdString();
}

Json snippetJson(const app::Snippet& snippet)
{
    Json marks = Json::array();
    for (const app::TextSpan& span : snippet.marks)
        marks.push_back(Json::array({span.start, span.length}));
    return Json{{"text", snippet.text.toStdString()}, {"marks", marks}};
}

int print(const app::SearchAnswer& answer, bool json)
{
    if (json) {
        Json document{{"query", answer.typed.toStdString()}, {"hits", Json::array()}};
        for (const app::SearchHit& hit : answer.hits)
            document["hits"].push_back(Json{{"kind", app::toText(hit.kind)},
                                            {"title", snippetJson(hit.title)},
                                            {"place", hit.place.toStdString()},
                                            {"snippet", snippetJson(hit.text)},
                                            {"page", hit.target.toStdString()},
                                            {"score", hit.score}});
        for (int i = 0; i < app::kSearchKinds; ++i)
            document["totals"][std::string(app::toText(app::SearchKind(i)))] = answer.totals[std::size_t(i)];
        printJson(document);
        return Done;
    }
    const bool terminal = isTerminal(1);
    for (const app::SearchHit& hit : answer.hits)
        std::printf("%-8s  %s  (%s)\n          %s\n", std::string(app::toText(hit.kind)).c_str(),
                    marked(hit.title, terminal).c_str(), hit.target.toUtf8().constData(),
                    marked(hit.text, terminal).c_str());
    const int more = answer.total() - int(answer.hits.size());
    if (answer.hits.empty())
        std::printf("Nothing was found.\n");
    else if (more > 0)
        std::printf("%d more; narrow it down with another word\n", more);
    return Done;
}

} // namespace

int searchCommand(const std::string& text, bool json)
{
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    const auto loaded = lessons::loadCurriculum(*data / "curriculum");
    std::error_code ec;
    std::unique_ptr<record::Store> store;
    if (std::filesystem::exists(homeFolder() / "ridgepoint.db", ec)) {
        auto opened = record::Store::openReadOnly(homeFolder());
        if (!opened)
            return report(opened.error());
        store = std::move(*opened);
    }
    app::SearchDesk desk(store ? app::searchIndexFile(homeFolder()) : std::filesystem::path(), loaded.curriculum, *data,
                         store.get());
    for (bool all = false; !all;) {
        auto updated = desk.update();
        if (!updated)
            return report(updated.error());
        all = *updated;
    }
    const auto policy = classroom::FeedbackPolicy::ofHome(homeFolder());
    const std::string now = record::timeStamp().toStdString();
    app::HeldLessons held;
    for (const std::string& lesson : policy.lessons(classroom::Outcome::Result, now))
        held[lesson] = QString::fromStdString(heldText(*policy.held(lesson, classroom::Outcome::Result, now)));
    const auto answer = desk.search(QString::fromStdString(text), 20, held);
    return answer ? print(*answer, json) : report(answer.error());
}

} // namespace ridge::cli
