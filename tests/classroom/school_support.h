// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/hash.h"
#include "base/json.h"
#include "classroom/record/school.h"
#include "tests/record/record_support.h"

namespace ridge::test {

using namespace record;

/// What one learner's store would have written, row after row.
class Learner {
public:
    explicit Learner(std::string name) : m_name(std::move(name)) {}

    std::string add(const char* kind, const Result<Columns>& columns, const std::string& id = newUuid7())
    {
        RowLine row;
        row.kind = QLatin1String(kind);
        row.stamp = {QString::fromStdString(id), QStringLiteral("2027-03-01T10:00:00.000Z"),
                     QString::fromStdString(m_origin), static_cast<std::int64_t>(m_rows.size()) + 1,
                     m_rows.empty() ? QStringLiteral("") : m_rows.back().digest};
        row.columns = columns.value();
        row.digest = rowDigest(row.kind, row.stamp, row.columns);
        row.line = static_cast<int>(m_rows.size()) + 1;
        m_rows.push_back(row);
        return id;
    }
    SubmissionImport submission(const std::string& what = "first") const
    {
        SubmissionImport all;
        all.submission.assignmentId = "01890000-0000-7000-8000-000000000001";
        all.submission.learner = m_name;
        all.submission.publicKey = std::string(64, 'a');
        all.submission.digest = sha256Hex(m_name + what + std::to_string(m_rows.size()));
        all.submission.fileName = m_name + ".ridgesubmission";
        all.submission.submittedAt = "2027-03-01T12:00:00.000Z";
        all.submission.appVersion = "0.1.0";
        all.submission.hardware = {"H100 SXM (simulated)"};
        all.submission.rows = static_cast<int>(m_rows.size());
        all.rows = m_rows;
        all.origins = {m_origin};
        return all;
    }
    std::vector<RowLine>& rows() { return m_rows; }
    const std::string& origin() const { return m_origin; }
    void takeOrigin(const Learner& other) { m_origin = other.m_origin; }

private:
    std::string m_name, m_origin = newUuid7();
    std::vector<RowLine> m_rows;
};

inline Learner someLearner(const std::string& name)
{
    Learner learner(name);
    const std::string prediction = learner.add("prediction", columnsOf(somePrediction()));
    RunRow run = someRun(8, prediction);
    run.metrics["awkward"] = {0.1 + 0.2, "it's \"quoted\" \\ and ünïcode", Provenance::Simulated};
    const std::string runId = learner.add("run", columnsOf(run));
    ReasonRow reason;
    reason.predictionId = prediction;
    reason.choice = "lanes-share";
    reason.text = "'); DROP TABLE run; --";
    learner.add("reason", columnsOf(reason));
    AnswerRow answer;
    answer.lesson = "2.4";
    answer.block = "find-granule";
    answer.answer = Json{{"number", 64}, {"vars", Json{{"flat", 16}}}};
    answer.correct = true;
    learner.add("answer", columnsOf(answer));
    ArtifactRow artifact;
    artifact.lesson = "2.4";
    artifact.title = "Profile";
    artifact.predictionIds = {prediction};
    artifact.runIds = {runId};
    learner.add("artifact", columnsOf(artifact));
    return learner;
}

} // namespace ridge::test
