// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/privacy.h"

#include "base/json.h"
#include "base/paths.h"

#include <QDir>
#include <QRegularExpression>
#include <QSysInfo>
#include <algorithm>

namespace ridge::folio {
namespace {

constexpr std::size_t kMostFound = 200;
constexpr std::size_t kLongestFound = 120; ///< bytes of an example

struct Pattern {
    Detail detail;
    QRegularExpression expression;
    const char* instead;
};

const std::vector<Pattern>& knownPatterns()
{
    static const std::vector<Pattern> all = [] {
        const auto make = [](const char* text) {
            return QRegularExpression(QString::fromLatin1(text), QRegularExpression::UseUnicodePropertiesOption);
        };
        return std::vector<Pattern>{
            // Places that carry an account's name, whoever's it is: rows come from other machines, too.
            {Detail::Paths,
             make(R"((?<![\w.])(?:/home/|/Users/|/export/home/|/scratch/|/media/|/run/user/)[^\s"'<>:;,|)\]}]+)"),
             "[folder]"},
            {Detail::Paths, make(R"((?<![\w.])/root(?:/[^\s"'<>:;,|)\]}]*)?(?![\w-]))"), "[folder]"},
            {Detail::Paths, make(R"((?<!\w)[A-Za-z]:[\\/]+Users[\\/]+[^\s"'<>:;,|)\]}]+)"), "[folder]"},
            {Detail::Name, make(R"([\w.+-]+@[\w-]+(?:\.[\w-]+)+)"), "[address]"},
            {Detail::Devices, make(R"((?<!\w)(?:GPU|MIG)-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4,}){1,4}[\w/-]*)"), "[device]"},
            {Detail::Devices,
             make(R"((?<![0-9a-fA-F-])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![0-9a-fA-F-]))"), "[id]"},
            {Detail::Devices, make(R"((?<![0-9a-fA-F:])(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}(?![0-9a-fA-F:]))"),
             "[device]"},
            {Detail::Devices,
             make(R"((?<![0-9a-fA-F:])(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{4}):[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7](?!\w))"),
             "[device]"},
            {Detail::Times,
             make(
                 R"((?<!\d)20\d\d-[01]\d-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d))"),
             nullptr},
        };
    }();
    return all;
}

std::optional<Detail> detailOfField(std::string_view name)
{
    static const std::map<std::string_view, Detail> words = {
        {"host", Detail::Host},           {"hostname", Detail::Host},       {"nodename", Detail::Host},
        {"node", Detail::Host},           {"user", Detail::Host},           {"username", Detail::Host},
        {"login", Detail::Host},          {"owner", Detail::Name},          {"email", Detail::Name},
        {"author", Detail::Name},         {"home", Detail::Paths},          {"cwd", Detail::Paths},
        {"path", Detail::Paths},          {"folder", Detail::Paths},        {"directory", Detail::Paths},
        {"serial", Detail::Devices},      {"uuid", Detail::Devices},        {"mac", Detail::Devices},
        {"device_hash", Detail::Devices}, {"bus_id", Detail::Devices},      {"pci_bus_id", Detail::Devices},
        {"machine_id", Detail::Devices},  {"processes", Detail::Processes}, {"process", Detail::Processes},
        {"pids", Detail::Processes},      {"address", Detail::Host},
    };
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (const auto whole = words.find(lower); whole != words.end())
        return whole->second;
    // "gpu_uuid", "other_processes", "work_folder": the last word says what it is.
    if (const auto last = words.find(std::string_view(lower).substr(lower.rfind('_') + 1));
        lower.find('_') != std::string::npos && last != words.end())
        return last->second;
    return {};
}

bool isWordByte(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

char lowered(char c)
{
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

void add(std::vector<std::string>& list, const std::string& name)
{
    if (!name.empty() && std::find(list.begin(), list.end(), name) == list.end())
        list.push_back(name);
}

} // namespace

const std::vector<DetailText>& detailTexts()
{
    static const std::vector<DetailText> all = {
        {Detail::Name, "name", "Your name",
         "Your name and contact line on every page, in the PDF and in the manifest; "
         "e-mail addresses that stand in your texts."},
        {Detail::Times, "times", "Exact times",
         "Day, hour and millisecond of every prediction and run, and the ids of rows, which contain them. Without it "
         "the month is told."},
        {Detail::Host, "host", "Computer and account",
         "The names of the computer and of your account, where a text, "
         "an error or a fingerprint has them."},
        {Detail::Paths, "paths", "Folders", "Folders of this computer in your texts, your code and errors."},
        {Detail::Devices, "devices", "Device numbers",
         "Serial numbers, UUIDs, bus addresses and the hash that stands for one GPU."},
        {Detail::Processes, "processes", "Other programs", "Names of programs that ran beside a measurement."},
        {Detail::Record, "record", "Your record",
         "The id of your record and the digests of its rows: a reader with the record can then check every row, and "
         "can tell that two portfolios are one person's."},
        {Detail::Notes, "notes", "Margin notes",
         "Your notes and highlights in the lessons of these artifacts, each beside the words it is about."},
    };
    return all;
}

Person personHere()
{
    Person person;
    // Accounts of these names say nothing about who uses them, and their names are words of ordinary texts.
    static const std::set<std::string> everybody = {"root", "user",   "admin",  "administrator", "guest",  "student",
                                                    "test", "ubuntu", "debian", "default",       "runner", "build"};
    for (const char* variable : {"USER", "LOGNAME", "USERNAME"}) {
        const std::string name = qEnvironmentVariable(variable).toStdString();
        if (name.size() >= 2 && !everybody.contains(name))
            add(person.users, name);
    }
    const QString home = QDir::homePath();
    if (const std::string name = QDir(home).dirName().toStdString(); name.size() >= 2 && !everybody.contains(name))
        add(person.users, name);
    for (const QString& name : {QSysInfo::machineHostName(), qEnvironmentVariable("HOSTNAME")}) {
        if (name.size() < 2 || name == QLatin1String("localhost"))
            continue;
        add(person.hosts, name.toStdString());
        add(person.hosts, name.section(QLatin1Char('.'), 0, 0).toStdString());
    }
    for (const std::string& folder :
         {home.toStdString(), homeFolder().string(), cacheFolder().string(),
          dataFolder() ? dataFolder()->string() : std::string(), QDir::currentPath().toStdString()})
        if (folder.size() > 4)
            add(person.folders, folder);
    std::sort(person.folders.begin(), person.folders.end(),
              [](const auto& a, const auto& b) { return a.size() > b.size(); });
    return person;
}

Redactor::Redactor(Person person, Shown shown) : m_person(std::move(person)), m_shown(std::move(shown)) {}

void Redactor::note(Detail detail, std::string_view what)
{
    auto& known = m_found[detail];
    std::size_t end = std::min(what.size(), kLongestFound);
    while (end < what.size() && end > 0 && (static_cast<unsigned char>(what[end]) & 0xC0) == 0x80)
        --end; // a letter of several bytes goes as a whole
    if (known.size() < kMostFound)
        known.insert(std::string(what.substr(0, end)));
    if (!shows(detail))
        ++m_taken;
}

std::string Redactor::replace(Detail detail, std::string text, const std::string& what, const char* instead, bool word)
{
    const auto sameAt = [&](std::size_t at) {
        for (std::size_t i = 0; i < what.size(); ++i)
            if (lowered(text[at + i]) != lowered(what[i]))
                return false;
        return !word || ((at == 0 || !isWordByte(text[at - 1])) &&
                         (at + what.size() >= text.size() || !isWordByte(text[at + what.size()])));
    };
    for (std::size_t at = 0; at + what.size() <= text.size(); ++at) {
        if (!sameAt(at))
            continue;
        note(detail, std::string_view(text).substr(at, what.size()));
        if (shows(detail))
            continue;
        text.replace(at, what.size(), instead);
        at += std::string_view(instead).size() - 1;
    }
    return text;
}

std::string Redactor::patterns(std::string text, bool days)
{
    // Most texts have nothing that any pattern could begin with.
    if (text.size() < 6 || text.find_first_of("/\\@-:") == std::string::npos)
        return text;
    for (const Pattern& pattern : knownPatterns()) {
        if (pattern.detail == Detail::Times && !days)
            continue;
        const QString whole = QString::fromStdString(text);
        auto matches = pattern.expression.globalMatch(whole);
        if (!matches.hasNext())
            continue;
        QString out;
        qsizetype done = 0;
        while (matches.hasNext()) {
            const auto match = matches.next();
            note(pattern.detail, match.captured().toStdString());
            out += QStringView(whole).mid(done, match.capturedStart() - done);
            out += shows(pattern.detail) ? match.captured()
                   : pattern.instead     ? QString::fromLatin1(pattern.instead)
                                         : match.captured().left(7);
            done = match.capturedEnd();
        }
        out += QStringView(whole).mid(done);
        if (!shows(pattern.detail))
            text = out.toStdString();
    }
    return text;
}

std::string Redactor::text(std::string_view given)
{
    return cleaned(given, true);
}

std::string Redactor::setting(std::string_view given)
{
    return cleaned(given, false);
}

std::string Redactor::cleaned(std::string_view given, bool days)
{
    std::string out(given);
    for (const std::string& folder : m_person.folders)
        out = replace(Detail::Paths, std::move(out), folder, "[folder]", false);
    out = patterns(std::move(out), days);
    for (const std::string& host : m_person.hosts)
        out = replace(Detail::Host, std::move(out), host, "[computer]", true);
    for (const std::string& user : m_person.users)
        out = replace(Detail::Host, std::move(out), user, "[account]", true);
    return out;
}

Json Redactor::json(const Json& value)
{
    if (value.is_string())
        return text(value.get_ref<const std::string&>());
    if (value.is_array()) {
        Json out = Json::array();
        for (const Json& item : value)
            out.push_back(json(item));
        return out;
    }
    if (!value.is_object())
        return value;
    Json out = Json::object();
    for (const auto& [key, item] : value.items()) {
        if (const auto detail = detailOfField(key)) {
            note(*detail, key + " " + (item.is_string() ? item.get<std::string>() : item.dump()));
            if (!shows(*detail))
                continue;
            out[key] = item;
            continue;
        }
        out[text(key)] = json(item);
    }
    return out;
}

std::string Redactor::time(const std::string& iso)
{
    if (iso.empty())
        return iso;
    note(Detail::Times, iso);
    return shows(Detail::Times) ? iso : iso.substr(0, 7);
}

std::string Redactor::id(const std::string& kind, const std::string& uuid)
{
    if (uuid.empty())
        return uuid;
    note(Detail::Times, uuid);
    if (shows(Detail::Times))
        return uuid;
    const auto [place, fresh] = m_ids.try_emplace(uuid);
    if (fresh)
        place->second = kind + "-" + std::to_string(++m_counts[kind]);
    return place->second;
}

std::string Redactor::origin(const std::string& uuid)
{
    note(Detail::Record, uuid);
    if (shows(Detail::Record))
        return uuid;
    const auto [place, fresh] = m_ids.try_emplace(uuid);
    if (fresh)
        place->second = "record-" + std::to_string(++m_counts["record"]);
    return place->second;
}

std::vector<PrivacyItem> privacyPreview(const Redactor& redactor)
{
    std::vector<PrivacyItem> items;
    for (const DetailText& text : detailTexts()) {
        PrivacyItem item{text.detail, redactor.shows(text.detail), 0, {}};
        if (const auto found = redactor.found().find(text.detail); found != redactor.found().end()) {
            item.count = found->second.size();
            for (const std::string& example : found->second) {
                if (item.examples.size() == 3)
                    break;
                item.examples.push_back(example);
            }
        }
        items.push_back(std::move(item));
    }
    return items;
}

} // namespace ridge::folio
