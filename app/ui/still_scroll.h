// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QScrollArea>

namespace ridge::app {

/// A scroll area that stays where it is. When the part under focus is hidden or greyed by what it was pressed for, Qt
/// hands the focus to the next part and scrolls there. Here what surrounds the part takes the focus and nothing moves;
/// the next Tab goes on from where the part was. What it holds is laid out anew once all of it has a new style.
class StillScroll : public QScrollArea {
    Q_OBJECT
public:
    using QScrollArea::QScrollArea;

protected:
    bool event(QEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    bool goOn(bool next);

    QPointer<QWidget> m_gone;  ///< had the focus when it went
    QPointer<QWidget> m_stand; ///< took it then
};

/// Moves the page around `part` just as far as it takes to see it, once it is laid out; not at all where it is seen.
void bringIntoView(QWidget* part);

/// What came of a press: it takes the focus, if that is still in `around` or nowhere, and comes into view.
void showOutcome(QWidget* outcome, const QWidget* around);

} // namespace ridge::app
