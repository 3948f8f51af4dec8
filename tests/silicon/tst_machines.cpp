// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/machines.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace ridge;
using namespace ridge::silicon;

namespace {

Json goodValue(const Json& value, const char* unit = "ways")
{
    return {{"value", value}, {"unit", unit}, {"source", "a book"}, {"confidence", "published"}};
}

Json good()
{
    return {{"id", "tiny"},
            {"title", "Tiny cache"},
            {"engine", "cache"},
            {"summary", "A cache of one line."},
            {"values", {{"ways", goodValue(8)}}}};
}

Json changed(const char* pointer, const Json& value)
{
    Json json = good();
    json[Json::json_pointer(pointer)] = value;
    return json;
}

Json without(const char* owner, const char* key)
{
    Json json = good();
    json[Json::json_pointer(owner)].erase(key);
    return json;
}

} // namespace

class TestMachines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shippedOnesAreSound();
    void valuesHaveTheirType();
    void refusesBadFiles_data();
    void refusesBadFiles();
    void readsAFolderInOrder();
    void findsByIdAndEngine();
};

void TestMachines::shippedOnesAreSound()
{
    const auto machines = shippedMachines();
    QVERIFY2(machines.ok(), machines.ok() ? "" : toText(machines.error()).c_str());
    QVERIFY(!machines->empty());
    const auto cache = findMachine(*machines, "cache-teaching", "cache");
    QVERIFY(cache.ok());
    const auto data = dataFolder();
    QVERIFY(data.ok());
    const auto file = readFile(*data / "assets" / "machines" / "cache-teaching.json");
    QVERIFY(file.ok());
    QCOMPARE(cache->digest, sha256Hex(*file));
    QCOMPARE(*cache->count("line_bytes", "bytes"), std::uint64_t{64});
    QCOMPARE(*cache->count("sets"), std::uint64_t{64});
    QCOMPARE(*cache->number("ways"), 8.0);
    QCOMPARE(*cache->text("replacement"), std::string("lru"));
    QCOMPARE(*cache->count("hit_cycles", "cycles"), std::uint64_t{4});
    QCOMPARE(*cache->count("miss_cycles", "cycles"), std::uint64_t{200});
}

void TestMachines::valuesHaveTheirType()
{
    Json json = good();
    json["values"]["shape"] = goodValue(Json::array({4, 4, 2}), "nodes");
    json["values"]["writes_back"] = goodValue(true);
    json["values"]["half"] = goodValue(0.5, "1");
    const auto machine = parseMachine(json.dump(), "tiny.json");
    QVERIFY2(machine.ok(), machine.ok() ? "" : toText(machine.error()).c_str());
    QCOMPARE(*machine->numbers("shape", "nodes"), (std::vector<double>{4, 4, 2}));
    QVERIFY(*machine->flag("writes_back"));
    QVERIFY(machine->has("half") && !machine->has("hal"));
    QVERIFY(machine->assumed().empty());
    const auto says = [](const Error& error, const char* place, const char* message, const char* fix) {
        QCOMPARE(error.code, std::string("bad-machine"));
        QCOMPARE(error.place, std::string("tiny.json: values.") + place);
        QVERIFY2(error.message.find(message) != std::string::npos, error.message.c_str());
        QVERIFY2(error.fix.find(fix) != std::string::npos, error.fix.c_str());
    };
    says(machine->number("way").error(), "way", "tiny has no value \"way\", which the engine cache needs",
         "it has \"ways\"");
    says(machine->text("ways").error(), "ways", "the value is not a text", "give a text");
    says(machine->number("shape").error(), "shape", "not a number", "a number");
    says(machine->count("half").error(), "half", "not a whole number", "whole number");
    says(machine->number("ways", "bytes").error(), "ways", "in \"ways\" and the engine reads \"bytes\"",
         "give it in bytes");
}

void TestMachines::refusesBadFiles_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const Json& json, const char* place, const char* said) {
        QTest::newRow(name) << json.dump() << place << said;
    };
    row("no object", Json::array(), "tiny.json", "must be a JSON object");
    row("no id", without("", "id"), "tiny.json: id", "\"id\" is missing");
    row("no title", without("", "title"), "tiny.json: title", "\"title\" is missing");
    row("no engine", without("", "engine"), "tiny.json: engine", "\"engine\" is missing");
    row("empty summary", changed("/summary", ""), "tiny.json: summary", "\"summary\" is empty");
    row("title no text", changed("/title", 3), "tiny.json: title", "not a text");
    row("id is not the name", changed("/id", "other"), "tiny.json: id", "the file is called tiny.json");
    row("typo", changed("/enginge", "cache"), "tiny.json: enginge", "did you mean \"engine\"?");
    row("engine", changed("/engine", "My Engine"), "tiny.json: engine", "no name of an engine");
    row("no values", without("", "values"), "tiny.json: values", "has no values");
    row("empty values", changed("/values", Json::object()), "tiny.json: values", "has no values");
    row("bare number", changed("/values/ways", 8), "tiny.json: values.ways", "must be an object");
    row("name", changed("/values/Ways", goodValue(8)), "tiny.json: values.Ways", "no name of a value");
    row("no value", without("/values/ways", "value"), "tiny.json: values.ways", "it has no value");
    row("null", changed("/values/ways/value", nullptr), "tiny.json: values.ways", "it has no value");
    row("negative", changed("/values/ways/value", -8), "tiny.json: values.ways", "below zero");
    row("negative in a list", changed("/values/ways/value", Json::array({1, -1})), "tiny.json: values.ways",
        "below zero");
    row("mixed list", changed("/values/ways/value", Json::array({1, "two"})), "tiny.json: values.ways",
        "of a type that no engine reads");
    row("empty list", changed("/values/ways/value", Json::array()), "tiny.json: values.ways", "of a type");
    row("no unit", without("/values/ways", "unit"), "tiny.json: values.ways.unit", "\"unit\" is missing");
    row("no source", without("/values/ways", "source"), "tiny.json: values.ways.source", "\"source\" is missing");
    row("empty source", changed("/values/ways/source", ""), "tiny.json: values.ways.source", "is empty");
    row("confidence", changed("/values/ways/confidence", "sure"), "tiny.json: values.ways.confidence",
        "published, measured, derived or assumed");
    row("key of a value", changed("/values/ways/units", "ways"), "tiny.json: values.ways.units",
        "did you mean \"unit\"?");
    QTest::newRow("not JSON") << std::string("{") << "tiny.json"
                              << "mend the file";
    std::string endless = good().dump();
    endless.replace(endless.find("\"value\":8"), 9, "\"value\":1e999");
    QTest::newRow("not finite") << endless << "tiny.json"
                                << "number";
}

void TestMachines::refusesBadFiles()
{
    QFETCH(const std::string, file);
    QFETCH(const QString, place);
    QFETCH(const QString, said);
    const auto machine = parseMachine(file, "tiny.json");
    QVERIFY(!machine.ok());
    QCOMPARE(machine.error().code, std::string("bad-machine"));
    QVERIFY2(machine.error().place.starts_with(place.toStdString()), machine.error().place.c_str());
    QVERIFY2(toText(machine.error()).find(said.toStdString()) != std::string::npos, toText(machine.error()).c_str());
    QVERIFY(!machine.error().fix.empty());
}

void TestMachines::readsAFolderInOrder()
{
    QTemporaryDir place;
    const std::filesystem::path folder = place.path().toStdString();
    QVERIFY(readMachines(folder / "none").ok());
    std::filesystem::create_directories(folder / "dram");
    const auto write = [&](const std::filesystem::path& file, const std::string& id) {
        Json json = good();
        json["id"] = id;
        QVERIFY(writeFile(folder / file, json.dump()).ok());
    };
    write("tiny.json", "tiny");
    write("dram/hbm3.json", "hbm3");
    QVERIFY(writeFile(folder / "README.md", "no machine").ok());
    const auto machines = readMachines(folder);
    QVERIFY2(machines.ok(), machines.ok() ? "" : toText(machines.error()).c_str());
    QCOMPARE(machines->size(), std::size_t{2});
    QCOMPARE(machines->front().id, std::string("hbm3"));
    write("dram/tiny.json", "tiny");
    const auto twice = readMachines(folder);
    QVERIFY(!twice.ok());
    QVERIFY2(twice.error().message.find("two machines with the id \"tiny\"") != std::string::npos,
             twice.error().message.c_str());
    QVERIFY(twice.error().place.ends_with("tiny.json") && twice.error().fix.find("tiny.json") != std::string::npos);
}

void TestMachines::findsByIdAndEngine()
{
    std::vector<Machine> machines(3);
    machines[0].id = "hbm3";
    machines[0].engine = "dram";
    machines[1].id = "tiny";
    machines[2].id = "teaching";
    machines[1].engine = machines[2].engine = "cache";
    QCOMPARE(findMachine(machines, "tiny")->id, std::string("tiny"));
    QCOMPARE(findMachine(machines, "tiny", "cache")->id, std::string("tiny"));
    const Error unknown = findMachine(machines, "tinny", "cache").error();
    QCOMPARE(unknown.code, std::string("unknown-target"));
    QVERIFY2(unknown.fix.find("did you mean tiny? the machines of the engine cache are: tiny, teaching") == 0,
             unknown.fix.c_str());
    const Error other = findMachine(machines, "hbm3", "cache").error();
    QCOMPARE(other.code, std::string("unsupported-target"));
    QVERIFY2(other.message.find("hbm3 is for the engine dram, not for cache") != std::string::npos,
             other.message.c_str());
    QCOMPARE(findMachine({}, "tiny", "cache").error().fix, std::string("there are no machines of the engine cache"));
}

QTEST_APPLESS_MAIN(TestMachines)
#include "tst_machines.moc"
