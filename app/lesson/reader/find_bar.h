// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/flat_text.h"
#include "app/lesson/reader/place_flash.h"

#include <QFrame>
#include <QPointer>

class QLabel;
class QLineEdit;
class QTextEdit;
class QToolButton;

namespace ridge::app {

class LessonColumn;

/// Ctrl+F in a lesson: every place where the words stand is marked, Enter goes on to the next one and round,
/// Shift+Enter back, Esc closes. Floats over the upper right corner of its parent.
class FindBar : public QFrame {
    Q_OBJECT
public:
    FindBar(Theme& theme, LessonColumn& column, QWidget* parent);

    void open();  ///< with what is selected, else with the words of last time
    void close(); ///< takes the marks away
    bool isOpen() const { return isVisible(); }
    void next() { step(1); }
    void previous() { step(-1); }
    QLineEdit* field() const { return m_field; }
    int count() const { return int(m_matches.size()); }
    int current() const { return m_current; } ///< −1: none
    void place();                             ///< in its parent's corner

Q_SIGNALS:
    /// Of the column: what should come into view.
    void shown(const QRect& area);
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Match {
        QPointer<QWidget> view; ///< a text, or a label that is marked as a whole; none: its block was set anew
        int start = 0, length = 0;
    };
    void search(bool stay);
    void step(int by);
    void mark();
    void say();
    QRect areaOf(const Match& match) const;

    Theme& m_theme;
    LessonColumn& m_column;
    bool m_stale = false; ///< the theme changed while the lesson was not shown
    QLineEdit* m_field;
    QLabel* m_count;
    QToolButton* m_previous;
    QToolButton* m_next;
    PlaceFlash* m_flash;
    std::vector<Match> m_matches;
    struct Searched {
        QPointer<QTextDocument> document;
        FlatText text;
    };
    bool outdated() const; ///< a text was set anew since, or is gone
    QHash<QWidget*, Searched> m_flat;
    int m_current = -1;
};

} // namespace ridge::app
