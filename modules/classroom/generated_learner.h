// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "base/seed.h"
#include "classroom/identity.h"
#include "classroom/request_executor.h"
#include "lessons/curriculum.h"
#include "record/row_lines.h"

namespace ridge::classroom {

/// Requests of lessons, each executed once whoever asks.
class SharedRuns {
public:
    SharedRuns(const Execute& execute, const std::vector<ExperimentInfo>& catalogue)
        : m_execute(execute), m_catalogue(catalogue)
    {
    }
    /// On `target`, or where the experiment runs instead (targetFor; the default simulator where the chip cannot).
    Result<const Executed*> run(const std::string& experiment, const ParamSet& set,
                                const std::vector<std::string>& sweep, const std::string& target);
    int executed() const { return m_executed; }
    const std::vector<ExperimentInfo>& catalogue() const { return m_catalogue; }

private:
    const Execute& m_execute;
    const std::vector<ExperimentInfo>& m_catalogue;
    std::map<std::string, Executed> m_done;
    int m_executed = 0;
};

/// One learner of a generated class, with the rows that the program would have written.
class GeneratedLearner {
public:
    GeneratedLearner(std::uint64_t classSeed, int number, std::int64_t beganAtMs);

    /// Takes a lesson as far as this learner gets. A lesson that is about one chip is taken on that chip, so that a
    /// class needs its runs once and not once a chip.
    Result<void> take(const lessons::Curriculum& curriculum, const lessons::Lesson& lesson, SharedRuns& runs);

    const Identity& identity() const { return m_identity; }
    const std::string& origin() const { return m_origin; }
    const std::string& target() const { return m_target; }
    std::string rows() const;
    std::size_t rowCount() const { return m_lines.size(); }
    std::map<std::string, std::string> files() const { return m_files; } ///< by SHA-256
    std::int64_t nowMs() const { return m_now; }
    Rng& random() { return m_random; }
    /// 32 bytes.
    std::string randomBytes();

private:
    std::string uuid();
    std::string add(const char* kind, const Result<record::Columns>& columns, double minutes);
    Result<void> predict(const lessons::Lesson& lesson, const lessons::Block& block, SharedRuns& runs);
    Result<void> runBlock(const lessons::Lesson& lesson, const lessons::Block& block, SharedRuns& runs);
    Result<void> runInto(const lessons::Lesson& lesson, const std::string& block, const std::string& experiment,
                         const ParamSet& set, const std::vector<std::string>& sweep, const std::string& after,
                         SharedRuns& runs);
    void answer(const lessons::Lesson& lesson, const lessons::Block& block);
    void give(const lessons::Lesson& lesson, const lessons::Block& block, const lessons::AnswerGiven& given,
              bool right);
    void write(const lessons::Lesson& lesson, const lessons::Block& block);
    Result<void> drawCurve(const lessons::Lesson& lesson, const lessons::Block& block, SharedRuns& runs);
    void fillSheet(const lessons::Curriculum& curriculum, const lessons::Lesson& lesson, const lessons::Block& block);
    void explain(const std::string& after);
    Result<void> ship(const lessons::Lesson& lesson, SharedRuns& runs);
    bool chance(double probability) { return m_random.uniform() < probability; }

    struct Committed {
        std::string row, misconception;
        bool explained = false;
    };
    Rng m_random;
    std::uint64_t m_classSeed;
    Identity m_identity;
    std::string m_origin, m_target;
    double m_skill = 0, m_stamina = 1; ///< how much is right; how many of the blocks are done
    std::int64_t m_now = 0;
    std::vector<record::RowLine> m_lines;
    std::map<std::string, std::string> m_files;
    // Of the lesson under way.
    std::string m_on;                               ///< where it is run: the chip that it is about, else the learner's
    std::map<std::string, Committed> m_predictions; ///< by block
    std::vector<record::RunRow> m_runs;
    std::vector<record::PredictionRow> m_predictionRows;
    std::vector<record::AnswerRow> m_answers;
};

} // namespace ridge::classroom
