// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QAbstractListModel>
#include <QListView>

namespace ridge::app {

/// A sentence about a class and how many it is true of.
struct Statement {
    int learners = 0, of = 0; ///< of = 0: a single matter without a number
    QString text;
    QString detail; ///< a quieter line below
    QString lesson; ///< id; empty: none
};

class StatementModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    void setStatements(std::vector<Statement> statements);
    const Statement& statement(int row) const { return m_statements[static_cast<std::size_t>(row)]; }
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    std::vector<Statement> m_statements;
};

/// Sentences under one another, each with its number and a bar: readable from the back of a room, by keyboard and by a
/// screen reader alike, so it is its own table. Enter asks for what a statement is about.
class StatementList : public QListView {
    Q_OBJECT
public:
    StatementList(Theme& theme, const QString& accessibleName, QWidget* parent = nullptr);
    void setStatements(std::vector<Statement> statements, const QString& emptyText);
    StatementModel* statements() const { return m_model; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    Theme& m_theme;
    StatementModel* m_model;
    QString m_emptyText;
};

} // namespace ridge::app
