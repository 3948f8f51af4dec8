// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/editor_parts.h"

#include "app/ui/icons.h"
#include "app/ui/panels.h"

#include <QAbstractTextDocumentLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kMostLines = 16; ///< a longer text scrolls

template<class Field>
bool asksForDocument(Field& field, QKeyEvent* event)
{
    if (event->matches(QKeySequence::Undo))
        Q_EMIT field.undoAsked();
    else if (event->matches(QKeySequence::Redo) || event->keyCombination() == (Qt::CTRL | Qt::Key_Y))
        Q_EMIT field.redoAsked();
    else
        return false;
    event->accept();
    return true;
}

} // namespace

GrowingEdit::GrowingEdit(Theme& theme, const QString& accessibleName, int lines, QWidget* parent)
    : QPlainTextEdit(parent), m_lines(lines)
{
    setAccessibleName(accessibleName);
    setTabChangesFocus(true);
    setUndoRedoEnabled(false);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this, &GrowingEdit::fit);
    connect(&theme, &Theme::changed, this, &GrowingEdit::fit);
    fit();
}

void GrowingEdit::show(const QString& text)
{
    if (text == toPlainText())
        return;
    const QSignalBlocker quiet(this);
    setPlainText(text);
    moveCursor(QTextCursor::End);
    fit();
}

void GrowingEdit::useOwnUndo()
{
    setUndoRedoEnabled(true);
}

void GrowingEdit::fit()
{
    // A plain text's size is told in lines.
    const int lines = std::clamp(static_cast<int>(document()->size().height()), m_lines, kMostLines);
    setFixedHeight(lines * fontMetrics().lineSpacing() + 2 * static_cast<int>(document()->documentMargin()) + 12);
}

void GrowingEdit::keyPressEvent(QKeyEvent* event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape || (enter && event->modifiers().testFlag(Qt::ControlModifier)))
        event->ignore();
    else if (isUndoRedoEnabled() || !asksForDocument(*this, event))
        QPlainTextEdit::keyPressEvent(event);
}

void GrowingEdit::wheelEvent(QWheelEvent* event)
{
    // The page scrolls under the pointer, a field only while one writes in it.
    if (hasFocus())
        QPlainTextEdit::wheelEvent(event);
    else
        event->ignore();
}

void GrowingEdit::resizeEvent(QResizeEvent* event)
{
    QPlainTextEdit::resizeEvent(event);
    fit();
}

PlainLine::PlainLine(const QString& accessibleName, QWidget* parent) : QLineEdit(parent)
{
    setAccessibleName(accessibleName);
}

void PlainLine::keyPressEvent(QKeyEvent* event)
{
    if (!asksForDocument(*this, event))
        QLineEdit::keyPressEvent(event);
}

EntryList::EntryList(Theme& theme, const QString& accessibleName, const QString& whenEmpty, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_whenEmpty(whenEmpty), m_column(new QVBoxLayout(this))
{
    setAccessibleName(accessibleName);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(space::xs);
    show({});
}

void EntryList::show(std::vector<Entry> entries)
{
    while (QLayoutItem* item = m_column->takeAt(0)) {
        if (QWidget* old = item->widget()) {
            old->hide();
            old->deleteLater();
        }
        delete item;
    }
    if (entries.empty()) {
        m_column->addWidget(makeText(m_theme, m_whenEmpty, TextStyle::Body, QStringLiteral("hint")));
        return;
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
        Entry& entry = entries[i];
        auto* line = new QWidget;
        line->setAccessibleName(entry.text);
        auto* row = new QHBoxLayout(line);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(space::s);
        QLabel* label = makeText(m_theme, entry.text);
        row->addWidget(label, 1);
        if (entry.open) {
            QPushButton* open = makeButton(tr("Open"), tr("Opens %1").arg(entry.text));
            open->setFlat(true);
            open->setAccessibleName(open->toolTip());
            connect(open, &QPushButton::clicked, this, [go = entry.open] { go(); });
            row->addWidget(open);
        }
        if (entry.control)
            row->addWidget(entry.control);
        if (!entry.removeHelp.isEmpty()) {
            auto* remove = new QToolButton;
            setThemedIcon(m_theme, remove, QStringLiteral("close"));
            remove->setAccessibleName(entry.removeHelp);
            remove->setToolTip(entry.removeHelp);
            remove->setFocusPolicy(Qt::StrongFocus);
            // Not from inside the button that goes with it.
            connect(remove, &QToolButton::clicked, this, [this, i] {
                QMetaObject::invokeMethod(
                    this, [this, i] { Q_EMIT removed(static_cast<int>(i)); }, Qt::QueuedConnection);
            });
            row->addWidget(remove);
        }
        m_column->addWidget(line);
    }
}

} // namespace ridge::app

#include "moc_editor_parts.cpp"
