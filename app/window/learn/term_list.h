// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QListView>

class QStandardItemModel;

namespace ridge::app {

class InfoCard;

/// Terms in a flow, as high as they need: one stop for Tab, arrows and letters inside. The card of a term opens on
/// hover, on Enter and on F1.
class TermList : public QListView {
    Q_OBJECT
public:
    TermList(AppContext& context, InfoCard& card, const std::vector<const lessons::Term*>& terms,
             QWidget* parent = nullptr);
    QSize sizeHint() const override { return {400, m_height}; }
    QSize minimumSizeHint() const override { return {160, m_height}; }

protected:
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void explain(const QModelIndex& index);
    void fit();

    AppContext& m_context;
    InfoCard& m_card;
    QStandardItemModel* m_model;
    int m_height = 40;
};

} // namespace ridge::app
