// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/table/runs_model.h"
#include "record/store.h"

#include <QUndoCommand>

namespace ridge::app {

/// What a label stands on: "run", "sweep" or "artifact", and its id.
struct TagSubject {
    std::string kind, id;
    bool operator==(const TagSubject&) const = default;
};

/// The labels in force, by kind of subject.
struct TagMaps {
    TagMap runs, sweeps, artifacts;
    QStringList known; ///< every label that is used, sorted
};
Result<TagMaps> readTags(const record::Store& store);

/// Puts a label on, or takes it off. Nothing is ever deleted: undoing it appends the opposite.
class TagCommand : public QUndoCommand {
public:
    TagCommand(record::Store& store, std::vector<TagSubject> subjects, const QString& label, bool remove);
    void redo() override { append(m_remove); }
    void undo() override { append(!m_remove); }

private:
    void append(bool remove);

    record::Store& m_store;
    std::vector<TagSubject> m_subjects;
    QString m_label;
    bool m_remove;
};

} // namespace ridge::app
