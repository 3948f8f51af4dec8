// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_history.h"

#include "base/hash.h"
#include "base/json.h"

#include <QDateTime>
#include <QDir>
#include <QFile>

namespace ridge::app {
namespace {

std::string now()
{
    return QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toStdString();
}

std::string text(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template<class Number>
std::optional<Number> number(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? std::optional(found->get<Number>()) : std::nullopt;
}

std::optional<std::uint64_t> counted(const Json& document, const char* counter)
{
    const auto counters = document.find("counters");
    if (counters == document.end() || !counters->is_object() || !counters->contains(counter))
        return std::nullopt;
    return number<std::uint64_t>((*counters)[counter], "value");
}

} // namespace

KernelHistory::KernelHistory(std::filesystem::path file) : m_file(std::move(file))
{
    if (m_file.empty())
        return;
    const auto bytes = readFile(m_file);
    if (!bytes)
        return; // nothing was kept yet
    for (const QByteArray& line : QByteArray::fromStdString(*bytes).split('\n')) {
        if (line.trimmed().isEmpty())
            continue;
        const auto json = parseJson(line.toStdString(), m_file.string());
        const std::string kind = json && json->is_object() ? text(*json, "kind") : std::string();
        if (kind == "version")
            m_versions.push_back({text(*json, "id"), text(*json, "at"), text(*json, "name"), text(*json, "text")});
        else if (kind == "score")
            m_scores.push_back({text(*json, "version"), text(*json, "at"), text(*json, "setting"),
                                text(*json, "target"), text(*json, "provenance"),
                                number<std::uint64_t>(*json, "instructions"),
                                number<std::uint64_t>(*json, "thread_instructions"), number<double>(*json, "seconds"),
                                number<std::uint64_t>(*json, "reports").value_or(0)});
        else
            ++m_damaged;
    }
}

const KernelVersion* KernelHistory::version(const std::string& id) const
{
    for (const KernelVersion& each : m_versions)
        if (each.id == id)
            return &each;
    return nullptr;
}

Result<void> KernelHistory::append(const Json& line)
{
    if (m_file.empty())
        return {};
    const QString path = QString::fromStdString(m_file.string());
    QDir().mkpath(QString::fromStdString(m_file.parent_path().string()));
    QFile file(path);
    QByteArray bytes = QByteArray::fromStdString(line.dump(-1, ' ', false, Json::error_handler_t::replace)) + '\n';
    const auto failed = [&] {
        return Error{"cannot-write", "the version could not be kept: " + file.errorString().toStdString(),
                     m_file.string(), "free some space or mend the folder; the text itself is kept apart from it"};
    };
    if (!file.open(QIODevice::ReadWrite))
        return failed();
    // A line that a crash cut short stays alone; what comes after it begins a new one.
    if (file.size() > 0 && file.seek(file.size() - 1) && file.read(1) != "\n")
        bytes.prepend('\n');
    if (!file.seek(file.size()) || file.write(bytes) != bytes.size() || !file.flush())
        return failed();
    return {};
}

Result<std::string> KernelHistory::keep(const std::string& content, const std::string& name)
{
    if (!m_versions.empty() && name.empty() && m_versions.back().text == content)
        return m_versions.back().id;
    KernelVersion version{newUuid7(), now(), name, content};
    if (auto written = append(Json{{"kind", "version"},
                                   {"id", version.id},
                                   {"at", version.at},
                                   {"name", version.name},
                                   {"text", version.text}});
        !written)
        return written.error();
    m_versions.push_back(version);
    return version.id;
}

Result<void> KernelHistory::add(KernelScore score)
{
    score.at = now();
    Json line{{"kind", "score"},          {"version", score.version},       {"at", score.at},
              {"setting", score.setting}, {"target", score.target},         {"provenance", score.provenance},
              {"instructions", nullptr},  {"thread_instructions", nullptr}, {"seconds", nullptr},
              {"reports", score.reports}};
    if (score.instructions)
        line["instructions"] = *score.instructions;
    if (score.threadInstructions)
        line["thread_instructions"] = *score.threadInstructions;
    if (score.seconds)
        line["seconds"] = *score.seconds;
    if (auto written = append(line); !written)
        return written;
    m_scores.push_back(std::move(score));
    return {};
}

std::optional<KernelScore> KernelHistory::best(const std::string& setting, const std::string& but) const
{
    const KernelVersion* judged = version(but);
    std::optional<KernelScore> found;
    for (const KernelScore& score : m_scores) {
        const KernelVersion* ran = version(score.version);
        const bool same = score.version == but || (judged && ran && judged->text == ran->text);
        if (same || score.setting != setting || score.reports > 0 || !score.instructions)
            continue;
        if (!found || *score.instructions < *found->instructions)
            found = score;
    }
    return found;
}

std::string settingOf(const Json& document, const std::vector<std::string>& args)
{
    Json what = Json::object();
    for (const char* key : {"kernel", "grid", "block", "cluster", "dynamic_shared_bytes", "target"})
        what[key] = document.value(key, Json());
    what["args"] = args;
    return sha256Hex(what.dump());
}

KernelScore scoreOf(const Json& document, const std::vector<std::string>& args, const std::string& version)
{
    KernelScore score;
    score.version = version;
    score.setting = settingOf(document, args);
    score.target = text(document, "target");
    score.provenance = text(document, "provenance");
    score.instructions = counted(document, "inst_executed");
    score.threadInstructions = counted(document, "thread_inst_executed");
    score.seconds = number<double>(document, "time_s");
    if (const auto reports = document.find("reports"); reports != document.end() && reports->is_array())
        score.reports = reports->size();
    return score;
}

} // namespace ridge::app
