// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QWidget>

class QGridLayout;

namespace ridge::app {

/// What is pinned: a card a pin with its letter, what it is and where its numbers come from, the way to make it the
/// baseline and to unpin it. As many cards a row as fit.
class PinStrip : public QWidget {
    Q_OBJECT
public:
    explicit PinStrip(AppContext& context, QWidget* parent = nullptr);
    int cards() const { return static_cast<int>(m_cards.size()); }
    QWidget* firstCard() const { return m_cards.isEmpty() ? nullptr : m_cards.first(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void rebuild();
    void arrange();
    QWidget* makeCard(const Pin& pin, bool baseline);

    AppContext& m_context;
    QGridLayout* m_grid;
    QList<QWidget*> m_cards;
    int m_columns = 0;
};

} // namespace ridge::app
