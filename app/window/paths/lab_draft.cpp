// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/paths/lab_draft.h"

#include "base/json.h"

namespace ridge::app {

record::ArtifactRow draftOf(const lessons::OutsideLab& lab)
{
    record::ArtifactRow row;
    row.charts = Json::array();
    row.fingerprint = Json::object();
    row.kind = lab.kind;
    row.title = lab.artifact;
    row.question = lab.question;
    row.level = 1; // a log, until its author has written what it means
    row.provenance = Provenance::Recorded;
    if (!lab.lessons.empty())
        row.lesson = lab.lessons.front().lesson;
    row.sections = lab.sections;
    return row;
}

} // namespace ridge::app
