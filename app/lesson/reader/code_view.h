// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/code_highlighter.h"

#include <QTextEdit>

namespace ridge::app {

/// Read-only source in a rounded box as high as its text: highlighting, optional line numbers, marked lines, native
/// selection, a copy button. Long lines scroll sideways; the wheel scrolls the page.
class CodeView : public QTextEdit {
    Q_OBJECT
public:
    CodeView(Theme& theme, const QString& code, CodeLanguage language, QWidget* parent = nullptr);

    void setLineNumbers(bool shown);
    void setMarkedLines(const std::vector<int>& lines); ///< 1-based, as the numbers beside them
    /// Other text in the same box, whose first line has this number; marks stay at their numbers.
    void setCode(const QString& code, int firstLine = 1);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    int gutterWidth() const;
    void paintGutter(QPainter& painter, const QRect& area);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void restyle();
    void placeParts();
    int contentHeight() const;

    Theme& m_theme;
    CodeHighlighter* m_highlighter;
    QWidget* m_gutter;
    QWidget* m_copy;
    std::vector<int> m_marked;
    bool m_numbers = false;
    int m_first = 1; ///< number of the first line
};

} // namespace ridge::app
