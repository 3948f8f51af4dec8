// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/store.h"

#include <QUndoCommand>

namespace ridge::app {

/// Takes an artifact or an entry of the journal away, or puts it back; each is a further version.
template<class Row>
class RemoveRow : public QUndoCommand {
public:
    RemoveRow(record::Store& store, Row row, const QString& text)
        : QUndoCommand(text), m_store(store), m_row(std::move(row))
    {
    }
    void redo() override { append(true); }
    void undo() override { append(false); }

private:
    void append(bool removed)
    {
        Row row = record::nextVersion(m_row);
        row.removed = removed;
        m_store.append(std::move(row));
    }
    record::Store& m_store;
    Row m_row;
};

} // namespace ridge::app
