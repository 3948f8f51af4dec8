// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/debug_session.h"
#include "app/theme/theme.h"

#include <QAbstractTableModel>
#include <set>

namespace ridge::app {

/// A table whose cells are asked for when they are seen: a step changes a place, not a copy of everything.
class StepTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    StepTableModel(Theme& theme, QObject* parent) : QAbstractTableModel(parent), m_theme(theme) {}
    void setSession(const DebugSession* session);
    virtual void follow(); ///< another place or warp

protected:
    static constexpr int kLanes = 32;
    virtual void forget() {} ///< what points into the recording before
    const DebugSession* session() const { return m_session; }
    Theme& theme() const { return m_theme; }
    /// Of a cell that the last step changed or used.
    QVariant marked(int role, bool marked) const;

private:
    Theme& m_theme;
    const DebugSession* m_session = nullptr;
};

/// A row for each thing that has a value in every lane, behind its name.
template<class Row>
class LaneTableModel : public StepTableModel {
public:
    using StepTableModel::StepTableModel;
    int rowCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() || !session() ? 0 : int(m_rows.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kLanes + 1; }

protected:
    /// A table that is made anew at each step flickers and loses the chosen cell.
    void take(std::vector<Row> rows)
    {
        if (rows.size() == m_rows.size()) {
            m_rows = std::move(rows);
            return StepTableModel::follow();
        }
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
    }
    std::vector<Row> m_rows;
};

/// Variables of the source that can be read where the chosen warp stands, a row each, by lane. Values that the last
/// step of the warp wrote are marked with a dot.
class VariableModel : public LaneTableModel<DebugSession::Seen> {
    Q_OBJECT
public:
    using LaneTableModel::LaneTableModel;
    void follow() override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void forget() override { m_rows.clear(); } // they point into the session
};

/// Registers of the chosen warp, a row each, by lane. Those that the last step of the warp wrote stand first, their
/// values marked with a dot.
class RegisterModel : public LaneTableModel<std::uint32_t> {
    Q_OBJECT
public:
    using LaneTableModel::LaneTableModel;
    void follow() override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
};

/// Shared memory of the block: a row of 32 words of 4 bytes, a column for each bank.
class SharedModel : public StepTableModel {
    Q_OBJECT
public:
    using StepTableModel::StepTableModel;
    void follow() override;
    void setFloats(bool floats);
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::set<std::uint32_t> m_used; ///< words that the last access of the warp touched
    bool m_floats = true;
};

/// The last access to memory of the chosen warp: lane, address, sector or bank.
class AccessModel : public StepTableModel {
    Q_OBJECT
public:
    using StepTableModel::StepTableModel;
    void follow() override;
    QString summary() const { return m_summary; }
    const TracedStep* step() const { return m_step; } ///< null: the warp has made none
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void forget() override;
    struct Row {
        std::uint32_t lane = 0;
        std::uint64_t address = 0;
        int meeting = 1; ///< lanes in the same sector; lanes with another word in the same bank
    };
    const TracedStep* m_step = nullptr;
    std::vector<Row> m_rows;
    QString m_summary;
};

/// Expressions, a row each, by lane.
class WatchModel : public StepTableModel {
    Q_OBJECT
public:
    using StepTableModel::StepTableModel;
    /// Errors: "bad-expression".
    Result<void> add(const std::string& text);
    void remove(int row);
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Watch {
        std::string text;
        std::optional<StepExpression> expression; ///< none: it names a register that this recording does not have
    };
    void forget() override;
    std::vector<Watch> m_watches;
};

} // namespace ridge::app
