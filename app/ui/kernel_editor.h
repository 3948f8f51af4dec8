// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/code_highlighter.h"
#include "app/ui/compile_messages.h"
#include "app/ui/source_heat.h"

#include <QPlainTextEdit>
#include <map>
#include <set>

namespace ridge::app {

/// Where CUDA C++ is written: highlighting, line numbers, bracket match, notes of the compiler and the detectors where
/// they belong, a number for each line in the gutter, breakpoints. Tab indents; Esc leaves the editor.
class KernelEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit KernelEditor(Theme& theme, QWidget* parent = nullptr);

    void setLanguage(CodeLanguage language);
    void setNotes(std::vector<SourceNote> notes);
    const std::vector<SourceNote>& notes() const { return m_notes; }
    /// The numbers of the gutter, of the text as it was run; an edit takes those of changed lines away.
    void setHeat(const std::vector<HeatLine>& lines, HeatMetric metric);
    QString heatText(int line) const; ///< empty: the line has no number
    void goToLine(int line, int column = 0);
    int currentLine() const;
    /// The places of the words, marked; the current one is the selection.
    void setFound(const QList<QTextCursor>& places);
    /// Where the debugger stands; 0: nowhere.
    void setPosition(int line);
    void setBreakpoints(const std::map<int, QString>& lines); ///< line → condition, empty: none
    QString plainText() const { return toPlainText(); }

    int gutterWidth() const;
    void paintGutter(QPaintEvent* event);
    void gutterPressed(int y);
    QString gutterTip(int y) const;

Q_SIGNALS:
    void left(); ///< Esc: the focus goes on
    void breakpointToggled(int line);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Columns {
        int mark = 0, number = 0, heat = 0;
        int all() const { return mark + number + heat; }
    };
    Columns columns() const;
    void restyle();
    void placeGutter();
    void markAll();
    QList<QTextEdit::ExtraSelection> bracketMarks() const;
    void indentLines(bool further);
    void breakLine();
    int lineAt(int y) const;

    Theme& m_theme;
    CodeHighlighter* m_highlighter = nullptr;
    QWidget* m_gutter;
    std::vector<SourceNote> m_notes;
    std::map<int, double> m_heat;
    double m_most = 0;
    HeatMetric m_metric = HeatMetric::Instructions;
    QList<QTextCursor> m_found;
    std::map<int, QString> m_breakpoints;
    int m_position = 0;
    int m_lines = 1;
};

/// The place of the bracket that belongs to the one at `at`; −1: none. Brackets in comments and texts are none.
int matchingBracket(const QTextDocument& document, int at, CodeLanguage language);

} // namespace ridge::app
