// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/table/run_tags.h"

#include <QCoreApplication>
#include <QSet>

namespace ridge::app {

Result<TagMaps> readTags(const record::Store& store)
{
    const auto rows = store.tags();
    if (!rows)
        return rows.error();
    TagMaps maps;
    QSet<QString> known;
    for (const record::TagRow& row : *rows) {
        if (row.removed)
            continue;
        const QString label = QString::fromStdString(row.label);
        TagMap& map = row.subjectKind == "run" ? maps.runs : row.subjectKind == "sweep" ? maps.sweeps : maps.artifacts;
        map[QString::fromStdString(row.subjectId)] << label;
        known.insert(label);
    }
    maps.known = QStringList(known.begin(), known.end());
    maps.known.sort(Qt::CaseInsensitive);
    return maps;
}

TagCommand::TagCommand(record::Store& store, std::vector<TagSubject> subjects, const QString& label, bool remove)
    : m_store(store), m_subjects(std::move(subjects)), m_label(label), m_remove(remove)
{
    setText(remove ? QCoreApplication::translate("TagCommand", "Take off the tag %1").arg(label)
                   : QCoreApplication::translate("TagCommand", "Put on the tag %1").arg(label));
}

void TagCommand::append(bool remove)
{
    for (const TagSubject& subject : m_subjects) {
        record::TagRow row;
        row.subjectKind = subject.kind;
        row.subjectId = subject.id;
        row.label = m_label.toStdString();
        row.removed = remove;
        m_store.append(std::move(row));
    }
}

} // namespace ridge::app
