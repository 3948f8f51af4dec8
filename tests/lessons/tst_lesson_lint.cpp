// SPDX-License-Identifier: GPL-3.0-or-later
#include "support.h"

using namespace ridge;
using namespace ridge::lessons;
using namespace ridge::lessons::test;

class LessonLintTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shippedCurriculumIsClean()
    {
        const LoadedCurriculum loaded = loadCurriculum(sourceRoot() / "curriculum");
        const std::vector<Problem> problems = lint(loaded.curriculum, catalogue(), sourceRoot());
        QVERIFY2(problems.empty(), shown(problems).c_str());
    }
};

QTEST_GUILESS_MAIN(LessonLintTest)
#include "tst_lesson_lint.moc"
