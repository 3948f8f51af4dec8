// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QLineEdit>
#include <QPlainTextEdit>
#include <QToolButton>
#include <functional>

class QVBoxLayout;

namespace ridge::app {

/// A field for paragraphs that grows with its text. Tab leaves it; undoing is the document's.
class GrowingEdit : public QPlainTextEdit {
    Q_OBJECT
public:
    GrowingEdit(Theme& theme, const QString& accessibleName, int lines, QWidget* parent = nullptr);
    /// Without telling that it was typed; the cursor stays where the text is the same.
    void show(const QString& text);
    /// For a form that has no document: Ctrl+Z is the field's.
    void useOwnUndo();

Q_SIGNALS:
    void undoAsked();
    void redoAsked();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    int m_lines;
};

/// One line whose undoing is the document's.
class PlainLine : public QLineEdit {
    Q_OBJECT
public:
    explicit PlainLine(const QString& accessibleName, QWidget* parent = nullptr);

Q_SIGNALS:
    void undoAsked();
    void redoAsked();

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

/// A short list in a form: a line of text an entry with what can be done to it, and a sentence where it is empty.
class EntryList : public QWidget {
    Q_OBJECT
public:
    EntryList(Theme& theme, const QString& accessibleName, const QString& whenEmpty, QWidget* parent = nullptr);
    struct Entry {
        QString text;
        QString removeHelp;         ///< empty: it cannot be taken out
        std::function<void()> open; ///< none: its text is no link
        QWidget* control = nullptr; ///< between text and cross; the list takes it
    };
    void show(std::vector<Entry> entries);

Q_SIGNALS:
    void removed(int index);

private:
    Theme& m_theme;
    QString m_whenEmpty;
    QVBoxLayout* m_column;
};

} // namespace ridge::app
