// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "search/search_index.h"

#include <QAbstractListModel>
#include <QStyledItemDelegate>

namespace ridge::app {

QString searchKindName(SearchKind kind);

/// What was found, best first.
class SearchModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    void setAnswer(SearchAnswer answer);
    const SearchHit* hit(const QModelIndex& index) const;
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    SearchAnswer m_answer;
};

/// Kind and title with place at the right edge, the piece of text below; what was found is set in bold on the
/// selection's colour, so that colour is not the only sign.
class SearchDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    SearchDelegate(Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void paintMarked(QPainter& painter, const QRect& area, const Snippet& snippet, TextStyle style, Role ink,
                     bool selected) const;
    Theme& m_theme;
};

} // namespace ridge::app
