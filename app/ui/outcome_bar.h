// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QFrame>
#include <functional>

class QLabel;
class QPushButton;
class QToolButton;

namespace ridge::app {

/// What came of something, in a sentence that stays until the next one, with one further step.
class OutcomeBar : public QFrame {
    Q_OBJECT
public:
    explicit OutcomeBar(Theme& theme, QWidget* parent = nullptr);
    enum class Tone { Done, Doubtful }; ///< Doubtful: it came to its end, and somebody should look at what it found
    /// `next` is the text of the button; empty: none.
    void tell(const QString& words, const QString& next = {}, std::function<void()> act = {}, Tone tone = Tone::Done);
    Tone tone() const { return m_tone; }
    QString text() const;
    QPushButton* nextButton() const { return m_next; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    void paintIcon();

    Theme& m_theme;
    Tone m_tone = Tone::Done;
    QLabel* m_icon;
    QLabel* m_words;
    QPushButton* m_next;
    QToolButton* m_close;
    std::function<void()> m_act;
};

} // namespace ridge::app
