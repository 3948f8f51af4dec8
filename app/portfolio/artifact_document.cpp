// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/artifact_document.h"

#include "base/json.h"
#include "evidence/artifact_draft.h"

#include <QElapsedTimer>

namespace ridge::app {
namespace {

constexpr qint64 kPause = 1500; ///< ms without a key that end a step of typing

} // namespace

class DraftStep : public QUndoCommand {
public:
    DraftStep(ArtifactDocument& document, const QString& what, const QString& field, record::ArtifactRow after,
              bool typing)
        : m_document(document), m_field(field), m_before(document.row()), m_after(std::move(after)), m_typing(typing)
    {
        setText(what);
        m_since.start();
    }
    void redo() override { m_document.take(m_after, m_field); }
    void undo() override { m_document.take(m_before, m_field); }
    int id() const override { return m_typing ? 1 : -1; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto& next = static_cast<const DraftStep&>(*other);
        if (next.m_field != m_field || m_since.elapsed() > kPause)
            return false;
        m_after = next.m_after;
        m_since.start();
        return true;
    }

private:
    ArtifactDocument& m_document;
    QString m_field;
    record::ArtifactRow m_before, m_after;
    bool m_typing;
    QElapsedTimer m_since;
};

ArtifactDocument::ArtifactDocument(const std::filesystem::path& store, std::string id, record::ArtifactRow row,
                                   QObject* parent)
    : QObject(parent), m_id(std::move(id)), m_row(std::move(row)), m_file(store, "portfolio", m_id)
{
    connect(&m_file, &DraftFile::saveFailed, this, &ArtifactDocument::saveFailed);
}

void ArtifactDocument::edit(const QString& what, const QString& field,
                            const std::function<void(record::ArtifactRow&)>& change, bool typing)
{
    record::ArtifactRow after = m_row;
    change(after);
    m_undo.push(new DraftStep(*this, what, field, std::move(after), typing));
}

void ArtifactDocument::take(const record::ArtifactRow& row, const QString& field)
{
    m_row = row;
    m_file.keep(draftToJson(m_row));
    Q_EMIT changed(field);
}

} // namespace ridge::app

#include "moc_artifact_document.cpp"
