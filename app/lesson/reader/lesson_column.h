// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/error_card.h"

#include <QTimer>

class QHBoxLayout;
class QVBoxLayout;

namespace ridge::app {

/// The column of a lesson: header, notices, then section by section prose and live blocks, checks at the end. Keeps
/// the measure of 68–72 characters and stands in the middle of what room there is.
class LessonColumn : public QWidget {
    Q_OBJECT
public:
    explicit LessonColumn(const ReaderContext& context, QWidget* parent = nullptr);
    /// Makes the first parts now and the others between events, because a whole lesson takes some 200 ms; filled()
    /// follows. Apart from the constructor, because a full column is slow to put into a scroll area: every part would
    /// be styled and laid out twice.
    void fill();
    /// How long one turn may go on filling; a scene has a turn of its own whatever it is.
    void setSlice(int milliseconds) { m_sliceMs = milliseconds; }
    bool isFilled() const { return m_filled; }

    /// All blocks; makes at once what is not there yet.
    const std::vector<BlockWidget*>& blocks();
    /// Those that are there.
    const std::vector<BlockWidget*>& shownBlocks() const { return m_blocks; }
    int sectionCount() const { return int(m_sections.size()); } ///< that are there
    QWidget* sectionTitle(int index);                           ///< as blocks()
    /// A run of prose: between blocks, named by its anchor (lessons/prose.h), or inside one.
    struct Text {
        std::string section, block, anchor;
        ProseView* view = nullptr;
    };
    std::vector<Text> texts(); ///< in reading order, as blocks()
    /// The widget of a piece of prose or code, or of a block; null: there is none of that name.
    QWidget* widgetAt(const QString& anchor);
    /// Where what belongs to a section but to no place of it is added; the last section's for an unknown one.
    QVBoxLayout* sectionEnd(const std::string& section);
    /// Asks for room of this width at the right of the text. False: there is not enough; 0 gives it back.
    bool reserveNotes(int width);
    int notesLeft() const; ///< left edge of that room
    /// Of the cards; text is set in by kTextInset on both sides. Pictures and code may be wider where there is room.
    int preferredWidth() const;
    /// Width at the right that something else covers.
    void setReserved(int width);
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void filled();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    static constexpr int kSliceMs = 15;
    int m_sliceMs = kSliceMs;
    void fillFor(int milliseconds);
    void endSection(const lessons::Section& section);
    void addTitle(const lessons::Section& section);
    void addSegment(const lessons::Segment& segment);
    void addProse(const lessons::Prose& prose);
    struct Row {
        QHBoxLayout* layout;
        int inset, above;
        bool wide;
    };
    void addRow(QWidget* widget, int above, int inset, bool wide);
    void addInset(QWidget* widget, int above) { addRow(widget, above, kTextInset, false); }
    void addChecks();
    void refreshNotices();
    void center(int width);

    ReaderContext m_context;
    QVBoxLayout* m_column;
    ErrorCard* m_storeNotice;
    ErrorCard* m_workerNotice;
    std::set<std::string> m_hidden; ///< blocks that this learner is not shown
    std::vector<BlockWidget*> m_blocks;
    std::vector<QWidget*> m_sections;
    struct Part {
        std::string section, anchor;
        QWidget* widget = nullptr;
    };
    std::vector<Row> m_rows;
    std::vector<Part> m_parts; ///< prose, code and blocks in reading order
    std::vector<std::pair<std::string, QVBoxLayout*>> m_ends;
    int m_reserved = 0, m_extra = -1, m_notesWidth = 0, m_piece = 0;
    bool m_notesFit = false;
    bool m_afterBlock = false, m_filled = false;
    std::size_t m_nextSection = 0, m_nextSegment = 0;
    QTimer m_fillTimer;
};

} // namespace ridge::app
