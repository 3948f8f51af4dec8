// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/draft_file.h"
#include "record/rows.h"

#include <QUndoStack>
#include <functional>

namespace ridge::app {

/// An artifact while it is written: the draft in its file, every change a step that can be taken back. On disk at the
/// latest two seconds after a key; the file comes into being with the first change.
class ArtifactDocument : public QObject {
    Q_OBJECT
public:
    /// `store`: the store's folder. `id` names the draft: the artifact's id, or a new one.
    ArtifactDocument(const std::filesystem::path& store, std::string id, record::ArtifactRow row,
                     QObject* parent = nullptr);

    const std::string& id() const { return m_id; }
    const record::ArtifactRow& row() const { return m_row; }
    QUndoStack& undoStack() { return m_undo; }
    /// `field` says what changes ("claim", "method", "runs"); `typing` joins changes of one field that follow each
    /// other without a pause to one step.
    void edit(const QString& what, const QString& field, const std::function<void(record::ArtifactRow&)>& change,
              bool typing = false);
    /// The draft has become a version, or is given up.
    void removeDraft() { m_file.remove(); }

Q_SIGNALS:
    void changed(const QString& field);
    void saveFailed(const QString& message);

private:
    friend class DraftStep;
    void take(const record::ArtifactRow& row, const QString& field);

    std::string m_id;
    record::ArtifactRow m_row;
    QUndoStack m_undo;
    DraftFile m_file;
};

} // namespace ridge::app
