// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/author_label.h"

class QRadioButton;

namespace ridge::app {

/// A radio button whose text wraps, which QRadioButton's own does not. The whole row is the target of a click.
class ChoiceRow : public QWidget {
    Q_OBJECT
public:
    ChoiceRow(const ReaderContext& context, const std::string& text, QWidget* parent = nullptr);
    QRadioButton* button() const { return m_button; }
    /// A line below the choice: what is right or wrong about it. Tone as in ThemedLabel.
    void setNote(const std::string& text, const char* tone);

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    QRadioButton* m_button;
    AuthorLabel* m_note;
};

} // namespace ridge::app
