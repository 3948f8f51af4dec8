// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/record/school_rows.h"
#include "record/row_codec.h"

namespace ridge::record {

/// Rows of a class as columns and back, as row_codec.h does it for learners' rows.
Columns columnsOf(const AssignmentRow& row);
Columns columnsOf(const MemberRow& row);
Columns columnsOf(const SubmissionRow& row);
Columns columnsOf(const GradeRow& row);
Columns columnsOf(const FeedbackRow& row);
Columns columnsOf(const DecisionRow& row);
Columns columnsOf(const RefusalRow& row);

AssignmentRow assignmentFrom(const QSqlQuery& query);
MemberRow memberFrom(const QSqlQuery& query);
SubmissionRow submissionFrom(const QSqlQuery& query);
GradeRow gradeFrom(const QSqlQuery& query);
FeedbackRow feedbackFrom(const QSqlQuery& query);
DecisionRow decisionFrom(const QSqlQuery& query);
RefusalRow refusalFrom(const QSqlQuery& query);

} // namespace ridge::record
