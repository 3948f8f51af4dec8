// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/draft_file.h"
#include "app/ui/themed_label.h"
#include "record/rows.h"

#include <QFrame>

class QTextEdit;
class QToolButton;

namespace ridge::app {

/// One note in the margin, edited where it stands. What is typed is a draft at once and a row of the store when the
/// note is left. A note that was taken away leaves a line from which it can be brought back until the page is closed.
class NoteCard : public QFrame {
    Q_OBJECT
public:
    /// `drafts` is the store's folder; empty: no drafts are kept.
    NoteCard(Theme& theme, const record::NoteRow& note, const std::filesystem::path& drafts, QWidget* parent);

    const std::string& noteId() const { return m_note.noteId; }
    const record::NoteRow& note() const { return m_note; }
    /// Another version came from the store; what is being typed stays.
    void setNote(const record::NoteRow& note);
    void setRemoved(bool removed);
    bool isRemoved() const { return m_removed; }
    /// Shows the quote above the note, because it stands beside its words no more.
    void setOrphan(bool orphan);
    bool isOrphan() const { return m_orphan; }
    QTextEdit* field() const { return m_field; }
    /// Asks for saving if something was typed; the draft goes when saved() says that the row is durable.
    void leave();
    void saved(bool stored);
    /// What was typed and not handed to the store yet.
    std::optional<QString> unsaved() const;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void saveAsked(const QString& text);
    void removeAsked(bool removed);
    void left(); ///< by Esc: the focus goes back to the text
    void heightChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void typed();
    void describe();
    void fit();
    void placeButton();

    Theme& m_theme;
    record::NoteRow m_note;
    DraftFile m_draft;
    ThemedLabel* m_quote;
    QTextEdit* m_field;
    ThemedLabel* m_gone;
    QToolButton* m_remove;
    std::optional<QString> m_asked; ///< handed to the store, not durable yet
    bool m_removed = false, m_orphan = false;
};

} // namespace ridge::app
