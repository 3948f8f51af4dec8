// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/machines.h"

#include "base/experiment_info.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/target_kind.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::silicon {
namespace {

constexpr const char* kCode = "bad-machine";

constexpr std::pair<const char*, ValueConfidence> kConfidences[] = {{"published", ValueConfidence::Published},
                                                                    {"measured", ValueConfidence::Measured},
                                                                    {"derived", ValueConfidence::Derived},
                                                                    {"assumed", ValueConfidence::Assumed}};

/// Units in which a value may be below zero. Everything else is an amount, a rate, a time or a count.
constexpr std::array<std::string_view, 2> kSigned = {"°C", "dB"};

bool isName(std::string_view text, char also)
{
    const auto fits = [&](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == also; };
    return !text.empty() && text.front() >= 'a' && text.front() <= 'z' && std::ranges::all_of(text, fits);
}

/// Reads one file and keeps the first thing that is wrong in it.
class Reader {
public:
    explicit Reader(std::string place) : m_place(std::move(place)) {}

    Result<Machine> read(const Json& root, const std::string& stem)
    {
        if (!root.is_object())
            return Error{kCode, "a machine must be a JSON object", m_place, "begin the file with {"};
        Machine machine;
        machine.id = text(root, "id");
        machine.title = text(root, "title");
        machine.engine = text(root, "engine");
        machine.summary = text(root, "summary");
        onlyKeys(root, "", {"id", "title", "engine", "summary", "values"});
        if (!m_error && machine.id != stem)
            fail("id", "the id is \"" + machine.id + "\" and the file is called " + stem + ".json",
                 "give both the same name");
        if (!m_error && !isName(machine.id, '-'))
            fail("id", "\"" + machine.id + "\" is no id: small letters, digits and -, a letter first",
                 "call it for example cache-teaching");
        if (!m_error && findTargetKind(machine.id) != nullptr)
            fail("id", "\"" + machine.id + "\" is a kind of target", "choose another id");
        if (!m_error && !isName(machine.engine, '-'))
            fail("engine", "\"" + machine.engine + "\" is no name of an engine", "write for example cache");
        const auto values = root.find("values");
        if (values == root.end() || !values->is_object() || values->empty())
            fail("values", "the machine has no values", "give an object with at least one");
        else
            for (const auto& [name, value] : values->items())
                machine.values.emplace(name, valueOf("values." + name, name, value));
        if (m_error)
            return *m_error;
        return machine;
    }

private:
    void fail(const std::string& field, const std::string& message, const std::string& fix)
    {
        if (!m_error)
            m_error = Error{kCode, message, m_place + ": " + field, fix};
    }

    std::string text(const Json& from, const char* key, const std::string& owner = {})
    {
        const std::string field = owner.empty() ? key : owner + "." + key;
        const auto found = from.find(key);
        if (found == from.end())
            fail(field, std::string("\"") + key + "\" is missing", "every machine says it");
        else if (!found->is_string())
            fail(field, std::string("\"") + key + "\" is not a text", "write it in quotes");
        else if (found->get_ref<const std::string&>().empty())
            fail(field, std::string("\"") + key + "\" is empty", "say it");
        else
            return found->get<std::string>();
        return {};
    }

    void onlyKeys(const Json& from, const std::string& owner, const std::vector<std::string>& known)
    {
        for (const auto& [key, value] : from.items())
            if (std::ranges::find(known, key) == known.end()) {
                const auto near = nearestNames(key, known);
                fail(owner.empty() ? key : owner + "." + key, "there is no field \"" + key + "\" here",
                     near.empty() ? "take it out" : "did you mean \"" + near.front() + "\"?");
            }
    }

    void amount(const std::string& field, const std::string& unit, double number)
    {
        if (!std::isfinite(number))
            fail(field, "the value is not finite", "give a number that a machine can have");
        else if (number < 0 && std::ranges::find(kSigned, unit) == kSigned.end())
            fail(field, "the value is below zero, and nothing in \"" + unit + "\" is", "give 0 or more");
    }

    MachineValue valueOf(const std::string& field, const std::string& name, const Json& json)
    {
        MachineValue out;
        if (!isName(name, '_'))
            fail(field, "\"" + name + "\" is no name of a value: small letters, digits and _, a letter first",
                 "call it for example line_bytes");
        if (!json.is_object()) {
            fail(field, "a value must be an object with value, source and confidence",
                 R"(write {"value": 8, "unit": "ways", "source": "…", "confidence": "published"})");
            return out;
        }
        onlyKeys(json, field, {"value", "unit", "source", "confidence"});
        const auto value = json.find("value");
        if (value == json.end() || value->is_null()) {
            fail(field, "it has no value", "leave the entry out where nothing is known");
            return out;
        }
        const bool needsUnit = value->is_number() || value->is_array();
        if (needsUnit || json.contains("unit"))
            out.unit = text(json, "unit", field);
        if (value->is_number()) {
            out.value = value->get<double>();
            amount(field, out.unit, value->get<double>());
        } else if (value->is_string()) {
            out.value = value->get<std::string>();
            if (value->get_ref<const std::string&>().empty())
                fail(field, "the value is an empty text", "say it, or leave the entry out");
        } else if (value->is_boolean()) {
            out.value = value->get<bool>();
        } else if (value->is_array() && !value->empty() &&
                   std::ranges::all_of(*value, [](const Json& one) { return one.is_number(); })) {
            out.value = value->get<std::vector<double>>();
            for (const Json& one : *value)
                amount(field, out.unit, one.get<double>());
        } else {
            fail(field, "the value is of a type that no engine reads",
                 "give a number, a text, true or false, or a list of numbers");
        }
        out.source = text(json, "source", field);
        const std::string confidence = text(json, "confidence", field);
        const auto known = std::ranges::find_if(kConfidences, [&](const auto& one) { return confidence == one.first; });
        if (known != std::end(kConfidences))
            out.confidence = known->second;
        else
            fail(field + ".confidence", "\"" + confidence + "\" says nothing about how it is known",
                 "write published, measured, derived or assumed");
        return out;
    }

    std::string m_place;
    std::optional<Error> m_error;
};

Error badValue(const Machine& machine, std::string_view name, const std::string& message, const std::string& fix)
{
    return {kCode, message, machine.file + ": values." + std::string(name), fix};
}

template<class T>
Result<T> valueAs(const Machine& machine, std::string_view name, std::string_view unit, const char* type)
{
    const auto found = machine.values.find(name);
    if (found == machine.values.end()) {
        std::vector<std::string> known;
        for (const auto& [each, value] : machine.values)
            known.push_back(each);
        const auto near = nearestNames(name, known);
        return badValue(machine, name,
                        "the machine " + machine.id + " has no value \"" + std::string(name) + "\", which the engine " +
                            machine.engine + " needs",
                        near.empty() ? "add it to the file" : "add it to the file; it has \"" + near.front() + "\"");
    }
    const T* value = std::get_if<T>(&found->second.value);
    if (value == nullptr)
        return badValue(machine, name, "the value is not " + std::string(type), "give " + std::string(type));
    if (!unit.empty() && found->second.unit != unit)
        return badValue(machine, name,
                        "the value is in \"" + found->second.unit + "\" and the engine reads \"" + std::string(unit) +
                            "\"",
                        "give it in " + std::string(unit));
    return *value;
}

} // namespace

Result<double> Machine::number(std::string_view name, std::string_view unit) const
{
    return valueAs<double>(*this, name, unit, "a number");
}

Result<std::uint64_t> Machine::count(std::string_view name, std::string_view unit) const
{
    const auto value = number(name, unit);
    if (!value)
        return value.error();
    constexpr double kMost = 0x1p53; // beyond it a double skips whole numbers
    if (*value != std::floor(*value) || *value < 0 || *value > kMost)
        return badValue(*this, name, "the value is not a whole number", "give a whole number of 0 or more");
    return static_cast<std::uint64_t>(*value);
}

Result<std::string> Machine::text(std::string_view name) const
{
    return valueAs<std::string>(*this, name, {}, "a text");
}

Result<bool> Machine::flag(std::string_view name) const
{
    return valueAs<bool>(*this, name, {}, "true or false");
}

Result<std::vector<double>> Machine::numbers(std::string_view name, std::string_view unit) const
{
    return valueAs<std::vector<double>>(*this, name, unit, "a list of numbers");
}

std::vector<std::string> Machine::assumed() const
{
    std::vector<std::string> names;
    for (const auto& [name, value] : values)
        if (value.confidence == ValueConfidence::Assumed)
            names.push_back(name);
    return names;
}

Result<Machine> parseMachine(std::string_view text, const std::filesystem::path& place)
{
    const auto json = parseJson(text, place.string());
    if (!json)
        return Error{kCode, json.error().message, json.error().place, "mend the file"};
    auto machine = Reader(place.string()).read(*json, place.stem().string());
    if (!machine)
        return machine.error();
    machine->file = place.filename().string();
    machine->digest = sha256Hex(text);
    return machine;
}

Result<std::vector<Machine>> readMachines(const std::filesystem::path& folder)
{
    std::error_code failed;
    if (!std::filesystem::exists(folder, failed))
        return std::vector<Machine>{};
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, failed))
        if (entry.is_regular_file(failed) && entry.path().extension() == ".json")
            files.push_back(entry.path());
    if (failed)
        return Error{"cannot-read", failed.message(), folder.string(), "make the folder readable"};
    std::ranges::sort(files, {}, [](const auto& file) { return std::pair(file.stem().string(), file.string()); });
    std::vector<Machine> machines;
    for (std::size_t at = 0; at < files.size(); ++at) {
        const auto text = readFile(files[at]);
        if (!text)
            return text.error();
        auto machine = parseMachine(*text, files[at]);
        if (!machine)
            return machine.error();
        if (!machines.empty() && machines.back().id == machine->id)
            return Error{kCode, "there are two machines with the id \"" + machine->id + "\"", files[at].string(),
                         "rename it, or take away " + files[at - 1].string()};
        machines.push_back(std::move(*machine));
    }
    return machines;
}

Result<std::vector<Machine>> shippedMachines()
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    return readMachines(*data / "assets" / "machines");
}

Result<Machine> findMachine(std::span<const Machine> machines, std::string_view id, std::string_view engine)
{
    std::vector<std::string> usable;
    std::string list;
    const Machine* other = nullptr;
    for (const Machine& machine : machines) {
        if (!engine.empty() && machine.engine != engine) {
            other = machine.id == id ? &machine : other;
            continue;
        }
        if (machine.id == id)
            return machine;
        usable.push_back(machine.id);
        list += (list.empty() ? "" : ", ") + machine.id;
    }
    const std::string place = "machine " + std::string(id);
    const std::string of = engine.empty() ? "" : " of the engine " + std::string(engine);
    const std::string known = list.empty() ? "there are no machines" + of : "the machines" + of + " are: " + list;
    if (other != nullptr)
        return Error{"unsupported-target",
                     "the machine " + other->id + " is for the engine " + other->engine + ", not for " +
                         std::string(engine),
                     place, known};
    const auto near = nearestNames(id, usable);
    return Error{"unknown-target", "there is no machine '" + std::string(id) + "'", place,
                 (near.empty() ? "" : "did you mean " + near.front() + "? ") + known};
}

} // namespace ridge::silicon
