// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/hash.h"
#include "bundle/signed.h"
#include "classroom/submission.h"
#include "tests/record/row_lines_support.h"

namespace ridge::test {

using namespace classroom;
using namespace record;

inline const std::string kScript =
    "<script>alert(1)</script>[x](javascript:alert(1))<svg onload=alert(2)>'); DROP TABLE run;--";
inline const std::string kNow = "2099-06-01T12:00:00.000Z"; ///< later than every row of these tests
inline constexpr const char* kFile = "drop/a.ridgesubmission";

/// A class with an assignment that asks for a seal and one that does not, and a learner who did a bit of everything.
struct ClassOfOne {
    QTemporaryDir folder;
    std::unique_ptr<Store> store;
    ClassKeys keys = classKeysFromSeed(std::string(32, 'k')).value();
    Identity learner = identityFromSeed(std::string(32, 'l')).value();
    Assignment open, sealed;
    Consent everything{"Ada <b>Lovelace</b>", true, true, true, true, true, {}};
    std::string traceHash, codeHash;

    ClassOfOne() { fill(); }

    WrittenSubmission submit(const Assignment& assignment, const Consent& consent = {}) const
    {
        return createSubmission(*store, assignment, learner, {consent, "0.1.0"}).value();
    }
    Result<Submission> read(const std::string& bytes, const std::string& now = kNow) const
    {
        return readSubmission(bytes, kFile, keys, {open, sealed}, now);
    }

private:
    void fill()
    {
        Assignment assignment;
        assignment.title = "Week 3";
        assignment.lessons = {{"2.4", "Coalescing", "# Coalescing", {}}};
        open = createAssignment(assignment, keys, false)->assignment;
        sealed = createAssignment(assignment, keys)->assignment;

        store = Store::open(pathOf(folder) / "store").value();
        const std::string prediction = durable(store->append(somePrediction())).value();
        const std::string run = durable(store->append(someRun(8, prediction), "trace bytes")).value();
        traceHash = sha256Hex("trace bytes");
        auto elsewhere = someRun();
        elsewhere.lesson = "1.6";
        durable(store->append(elsewhere)).value();
        durable(store->append(ReasonRow{{}, prediction, "own-sector", kScript, {}, {}, 0})).value();
        durable(store->append(AnswerRow{{}, "2.4", "quiz", Json(4), true, {}, {}, 0})).value();
        ArtifactRow artifact;
        artifact.lesson = "2.4";
        artifact.title = kScript;
        artifact.runIds = {run};
        codeHash = durable(store->putFile("__global__ void k() {}")).value();
        artifact.code = {{"../../k.cu", codeHash}};
        durable(store->append(artifact)).value();
        NoteRow note;
        note.lesson = "2.4";
        note.quote = "a quote";
        note.text = "first thought";
        note.noteId = durable(store->append(note)).value();
        note.text = "second thought";
        durable(store->append(note)).value();
        note = {};
        note.lesson = "2.4";
        note.quote = "another quote";
        note.text = "a secret";
        note.noteId = durable(store->append(note)).value();
        note.removed = true;
        durable(store->append(note)).value();
        JournalRow entry;
        entry.kind = "failure";
        entry.lesson = "2.4";
        entry.title = "It was slow";
        durable(store->append(entry)).value();
        store->flush();
    }
};

} // namespace ridge::test
