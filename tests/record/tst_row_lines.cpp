// SPDX-License-Identifier: GPL-3.0-or-later
#include "row_lines_support.h"

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestRowLines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void everyKindComesBack();
    void valuesComeThroughUnchanged();
    void selectionTakesWhatItRefersToAlong();
    void hostile_data();
    void hostile();
    void limits();
    void everyTruncationIsRefusedOrShorter();
    void anySingleChangeIsRefused();
    void reorderedLinesComeSorted();
    void filesAreNamedOnce();

private:
    std::string m_prediction, m_run, m_artifact;
    std::string m_text;
    QTemporaryDir m_folder;
    std::unique_ptr<Store> m_store;
};

namespace {

// What a page that forgot to escape would run.
const std::string kScript =
    "<script>alert(1)</script>![x](javascript:alert(1)) <svg onload=alert(2)> '); DROP TABLE run;--";

} // namespace

void TestRowLines::initTestCase()
{
    m_store = Store::open(pathOf(m_folder) / "store").value();
    m_prediction = durable(m_store->append(somePrediction())).value();
    m_run = durable(m_store->append(someRun(8, m_prediction), "trace")).value();
    auto failed = someRun(16);
    failed.status = "failed";
    failed.error = Error{"gpu-fault", "it fell over", "line 3", "run it again"};
    failed.lesson = "1.6";
    durable(m_store->append(failed)).value();
    durable(m_store->append(ReasonRow{{}, m_prediction, "own-sector", kScript, {}, {}, 0})).value();
    durable(m_store->append(AnswerRow{{}, "2.4", "quiz", Json{{"number", 0.1}}, true, {}, {}, 0})).value();
    ArtifactRow artifact;
    artifact.lesson = "2.4";
    artifact.kind = "profile";
    artifact.title = kScript;
    artifact.claim = "größer – 日本語 \xF0\x9F\x98\x80\ttab\nline";
    artifact.predictionIds = {m_prediction};
    artifact.runIds = {m_run};
    artifact.code = {{"k.cu", durable(m_store->putFile("kernel")).value()}};
    artifact.sections = {{"method", kScript}};
    m_artifact = durable(m_store->append(artifact)).value();
    NoteRow note;
    note.lesson = "2.4";
    note.quote = "a quote";
    durable(m_store->append(note)).value();
    durable(m_store->append(TagRow{{}, "run", m_run, "baseline", false, {}, {}, 0})).value();
    JournalRow entry;
    entry.kind = "failure";
    entry.lesson = "2.4";
    entry.title = "It was slow";
    entry.runIds = {m_run};
    durable(m_store->append(entry)).value();
    ReproductionRow again;
    again.artifactId = m_artifact;
    again.target = "sim:h100-sxm";
    again.verdict = "reproduced";
    again.by = "self";
    durable(m_store->append(again)).value();
    OutcomeRow outcome;
    outcome.lesson = "2.4";
    outcome.state = "passed";
    outcome.context = "lesson";
    outcome.factor = 2;
    durable(m_store->append(outcome)).value();
    ReviewRow review;
    review.ofPredictionId = review.predictionId = m_prediction;
    review.runId = m_run;
    durable(m_store->append(review)).value();
    m_store->flush();
    m_text = rowLines(*m_store, {}).value();
}

void TestRowLines::everyKindComesBack()
{
    QVERIFY(m_text.find("\"grading\"") == std::string::npos); // older programs do not know the column
    const auto rows = parseRowLines(m_text);
    R_VERIFY(rows);
    QSet<QString> kinds;
    for (const RowLine& row : *rows) {
        kinds << row.kind;
        QCOMPARE(rowDigest(row.kind, row.stamp, row.columns), row.digest);
        QCOMPARE(static_cast<int>(row.columns.size()), static_cast<int>(contentColumns(row.kind).size()));
        QCOMPARE(row.stamp.origin.toStdString(), m_store->origin());
    }
    QCOMPARE(kinds.size(), rowKinds().size());
    QCOMPARE(rows->size(), jsonLines(m_text).size());
    QVERIFY(parseRowLines("")->empty());
    QCOMPARE(parseRowLines(m_text.substr(0, m_text.size() - 1))->size(), rows->size());
}

void TestRowLines::valuesComeThroughUnchanged()
{
    const auto rows = parseRowLines(m_text).value();
    const auto column = [&](const char* kind, const char* name) {
        for (const RowLine& row : rows)
            if (row.kind == QLatin1String(kind))
                for (const Column& each : row.columns)
                    if (std::string_view(each.name) == name)
                        return each.value;
        return QVariant();
    };
    QCOMPARE(column("reason", "text").toString().toStdString(), kScript);
    QCOMPARE(column("artifact", "title").toString().toStdString(), kScript);
    QCOMPARE(column("artifact", "claim").toString().toStdString(),
             std::string("größer – 日本語 \xF0\x9F\x98\x80\ttab\nline"));
    QCOMPARE(column("run", "seed").toString(), QStringLiteral("18446744073709551615"));
    QCOMPARE(column("outcome", "factor").toDouble(), 2.0);
    QCOMPARE(column("prediction", "low").userType(), int(QMetaType::Double));
    QVERIFY(column("artifact", "removed").isNull());
}

void TestRowLines::selectionTakesWhatItRefersToAlong()
{
    const auto kindsOf = [&](const RowSelection& selection) {
        QStringList kinds;
        const auto text = rowLines(*m_store, selection).value();
        const auto rows = parseRowLines(text).value();
        for (const RowLine& row : rows)
            kinds << row.kind;
        return kinds.join(QLatin1Char(' '));
    };
    QCOMPARE(kindsOf({.ids = {m_artifact}}), QStringLiteral("prediction run artifact"));
    QCOMPARE(kindsOf({.kinds = {"reason"}}), QStringLiteral("prediction reason"));
    QCOMPARE(kindsOf({.lessons = {"1.6"}}), QStringLiteral("run"));
    QCOMPARE(kindsOf({.lessons = {"2.4"}}), rowKinds().join(QLatin1Char(' ')));
    QCOMPARE(kindsOf({.kinds = {"run"}, .lessons = {"1.6", "2.4"}}), QStringLiteral("prediction run run"));
    QCOMPARE(kindsOf({.origins = {"no-such-origin"}}), QString());
    QCOMPARE(kindsOf({.lessons = {"2.4' OR 1=1 --"}}), QString());
}

void TestRowLines::hostile_data()
{
    using Change = std::function<void(std::vector<Json>&)>;
    QTest::addColumn<Change>("change");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("says");
    const auto raw = [](const char* name, Change change, const char* code, const char* says) {
        QTest::newRow(name) << change << QByteArray(code) << QByteArray(says);
    };
    // A field of a row changed together with its digest.
    const auto row = [&](const char* name, const char* kind, std::function<void(Json&)> change, const char* code,
                         const char* says) {
        raw(
            name,
            [kind, change](std::vector<Json>& lines) {
                Json& line = lineOf(lines, kind);
                change(line);
                redigest(line);
            },
            code, says);
    };
    const auto column = [&](const char* name, const char* kind, const char* field, const Json& value, const char* code,
                            const char* says) {
        row(
            name, kind, [field, value](Json& line) { line["columns"][field] = value; }, code, says);
    };
    raw(
        "wrong digest", [](auto& lines) { lineOf(lines, "answer")["columns"]["correct"] = 0; }, "rows-digest",
        "answer was changed");
    raw(
        "digest that is none", [](auto& lines) { lineOf(lines, "run")["digest"] = "x"; }, "rows-value", "SHA-256");
    raw(
        "unknown kind", [](auto& lines) { lines[0]["kind"] = "meta"; }, "rows-kind", "'meta'");
    raw(
        "SQL as a kind", [](auto& lines) { lines[0]["kind"] = "run; DROP TABLE run"; }, "rows-kind", "DROP TABLE");
    raw(
        "unknown column", [](auto& lines) { lines[0]["columns"]["x) --"] = 1; }, "rows-column", "x) --");
    raw(
        "extra field", [](auto& lines) { lines[0]["more"] = 1; }, "rows-format", ":1");
    raw(
        "missing field", [](auto& lines) { lines[0].erase("seq"); }, "rows-format", ":1");
    raw(
        "not an object", [](auto& lines) { lines[1] = Json::array(); }, "rows-format", ":2");
    raw(
        "columns is a list", [](auto& lines) { lines[0]["columns"] = Json::array(); }, "rows-column", ":1");
    raw(
        "missing column", [](auto& lines) { lineOf(lines, "run")["columns"].erase("target"); }, "rows-column",
        "target");
    row(
        "negative seq", "run", [](Json& line) { line["seq"] = -1; }, "rows-value", "seq");
    row(
        "seq of zero", "run", [](Json& line) { line["seq"] = 0; }, "rows-value", "seq");
    raw(
        "seq as text", [](auto& lines) { lines[0]["seq"] = "1"; }, "rows-value", "seq");
    raw(
        "seq beyond 64 bits", [](auto& lines) { lines[0]["seq"] = 18446744073709551615u; }, "rows-value", "seq");
    row(
        "id is no UUID", "run", [](Json& line) { line["id"] = "../../x"; }, "rows-value", "UUID");
    row(
        "origin with SQL", "run", [](Json& line) { line["origin"] = "' OR 1=1"; }, "rows-value", "UUID");
    row(
        "no such time", "run", [](Json& line) { line["created_at"] = "2026-02-31T12:00:00.000Z"; }, "rows-value",
        "created_at");
    row(
        "time of another form", "run", [](Json& line) { line["created_at"] = "yesterday"; }, "rows-value",
        "created_at");
    raw(
        "same id twice",
        [](auto& lines) {
            Json copy = lineOf(lines, "answer");
            copy["seq"] = 99;
            redigest(copy);
            lines.push_back(copy);
        },
        "rows-double", "already");
    raw(
        "same id for two kinds",
        [](auto& lines) {
            Json& line = lineOf(lines, "note");
            line["id"] = lineOf(lines, "answer")["id"];
            redigest(line);
        },
        "rows-double", "already");
    column("text where a number belongs", "prediction", "point", "16", "rows-value", "point");
    column("number where text belongs", "run", "target", 7, "rows-value", "target");
    column("number where a flag belongs", "answer", "correct", 7, "rows-value", "breaks a rule");
    column("interval upside down", "prediction", "low", 100.5, "rows-value", "breaks a rule");
    column("empty experiment", "run", "experiment", "", "rows-value", "breaks a rule");
    column("status that is none", "run", "status", "won", "rows-value", "breaks a rule");
    column("provenance that is none", "run", "provenance", "dreamt", "rows-value", "dreamt");
    column("JSON that is none", "run", "params", "{", "rows-value", "params");
    column("parameters that are none", "run", "params", "[1,2]", "rows-value", "params");
    column("metrics that are none", "run", "metrics", R"({"a":{"value":"x"}})", "rows-value", "metrics");
    column("deep JSON in a column", "run", "fingerprint", std::string(100'000, '[') + std::string(100'000, ']'),
           "rows-value", "fingerprint");
    column("same name twice in a column", "run", "params", R"({"stride":1,"stride":2})", "rows-value", "twice");
    column("NUL in text", "reason", "text", std::string("a\0b", 3), "rows-value", "NUL");
    column("trace that is no hash", "run", "trace_sha256", "../../../etc/passwd", "rows-value", "SHA-256");
    column("code that is no hash", "artifact", "code", R"([{"name":"a","sha256":"../x"}])", "rows-value", "SHA-256");
    column("code that is no list", "artifact", "code", R"({"a":1})", "rows-value", "code");
    column("trust out of nowhere", "artifact", "trust", "T9", "rows-value", "trust");
    column("prediction that is not there", "run", "prediction_id", "0190c0de-0000-7000-8000-000000000000",
           "rows-reference", "0190c0de");
    column("run that is not there", "artifact", "run_ids", R"(["0190c0de-0000-7000-8000-000000000000"])",
           "rows-reference", "run_ids");
    column("label of many lines", "tag", "label", "a\nb", "rows-value", "label");
    column("huge note", "note", "text", std::string(300'000, 'x'), "rows-value", "note.text");
}

void TestRowLines::hostile()
{
    using Change = std::function<void(std::vector<Json>&)>;
    QFETCH(Change, change);
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, says);
    auto lines = jsonLines(m_text);
    change(lines);
    const auto result = parseRowLines(textOf(lines), {}, "drop/x.ridgesubmission, entry rows.jsonl");
    QCOMPARE(codeOf(result), code);
    const QByteArray text = QByteArray::fromStdString(toText(result.error()));
    QVERIFY2(text.contains(says), text.constData());
    QVERIFY2(text.startsWith("drop/x.ridgesubmission, entry rows.jsonl"), text.constData());
    QVERIFY(!result.error().fix.empty());
}

void TestRowLines::limits()
{
    const auto count = jsonLines(m_text).size();
    QCOMPARE(codeOf(parseRowLines(m_text, {.totalBytes = m_text.size(), .rows = count})), QByteArray("ok"));
    QCOMPARE(codeOf(parseRowLines(m_text, {.totalBytes = m_text.size() - 1})), QByteArray("rows-large"));
    QCOMPARE(codeOf(parseRowLines(m_text, {.rows = count - 1})), QByteArray("rows-large"));
    QCOMPARE(codeOf(parseRowLines(m_text, {.lineBytes = 100})), QByteArray("rows-large"));
    QCOMPARE(codeOf(parseRowLines(std::string(1'000'000, '['))), QByteArray("rows-format"));
    QCOMPARE(codeOf(parseRowLines("\n")), QByteArray("rows-format"));
    QCOMPARE(codeOf(parseRowLines("\xff\xfe{}")), QByteArray("rows-format"));
    QCOMPARE(codeOf(parseRowLines("{\"kind\":\"run\",\"kind\":\"note\"}")), QByteArray("rows-format"));
    QCOMPARE(codeOf(parseRowLines("{\"kind\":\"\xc3\x28\"}")), QByteArray("rows-format"));
    QCOMPARE(codeOf(parseRowLines("{\"seq\":1e999}")), QByteArray("rows-format"));
}

void TestRowLines::everyTruncationIsRefusedOrShorter()
{
    const std::size_t rows = parseRowLines(m_text)->size();
    RowLineReader reader; // what one file leaves behind must not show in the next
    for (std::size_t size = 0; size < m_text.size(); size += 23) {
        const auto result = reader.parse(std::string_view(m_text).substr(0, size));
        QVERIFY(!result || result->size() < rows);
        if (size % 460 == 0)
            QCOMPARE(codeOf(result), codeOf(parseRowLines(std::string_view(m_text).substr(0, size))));
        if (size % 460 == 23)
            QCOMPARE(reader.parse(m_text)->size(), rows);
    }
}

void TestRowLines::anySingleChangeIsRefused()
{
    // Without a new digest nothing in a row can be changed, except white space and spellings that mean the same.
    int refused = 0;
    RowLineReader reader;
    for (std::size_t at = 0; at < m_text.size(); at += 29) {
        std::string changed = m_text;
        changed[at] = changed[at] == '7' ? '8' : '7';
        const auto result = reader.parse(changed);
        QVERIFY2(!result, m_text.substr(at > 20 ? at - 20 : 0, 40).c_str());
        ++refused;
    }
    QVERIFY(refused > 100);
}

void TestRowLines::reorderedLinesComeSorted()
{
    auto lines = jsonLines(m_text);
    std::ranges::reverse(lines);
    const auto rows = parseRowLines(textOf(lines));
    R_VERIFY(rows);
    QVERIFY(std::ranges::is_sorted(*rows, {}, [](const RowLine& row) { return rowKinds().indexOf(row.kind); }));

    // A row put in the place of another one of the chain.
    auto forged = jsonLines(m_text);
    Json& answer = lineOf(forged, "answer");
    answer["columns"]["correct"] = 0;
    redigest(answer);
    QCOMPARE(codeOf(parseRowLines(textOf(forged))), QByteArray("rows-chain"));

    // The same place twice.
    forged = jsonLines(m_text);
    Json copy = lineOf(forged, "answer");
    copy["id"] = "0190c0de-0000-7000-8000-000000000000";
    redigest(copy);
    forged.push_back(copy);
    QCOMPARE(codeOf(parseRowLines(textOf(forged))), QByteArray("rows-double"));
}

void TestRowLines::filesAreNamedOnce()
{
    const auto files = filesOf(parseRowLines(m_text).value());
    QCOMPARE(files.size(), std::size_t(2));
    for (const std::string& sha256 : files)
        QVERIFY(m_store->file(sha256).ok());
}

QTEST_GUILESS_MAIN(TestRowLines)
#include "tst_row_lines.moc"
