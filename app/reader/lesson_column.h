// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/reader/block_widget.h"
#include "app/reader/error_card.h"

class QHBoxLayout;
class QVBoxLayout;

namespace ridge::app {

/// The column of a lesson: header, notices, then section by section prose and live blocks, checks at the end. Keeps
/// the measure of 68–72 characters and stands in the middle of what room there is.
class LessonColumn : public QWidget {
    Q_OBJECT
public:
    explicit LessonColumn(const ReaderContext& context, QWidget* parent = nullptr);
    /// Makes the parts. Apart from the constructor, because a full column is slow to put into a scroll area: every
    /// part would be styled and laid out twice.
    void fill();

    const std::vector<BlockWidget*>& blocks() const { return m_blocks; }
    int sectionCount() const { return int(m_sections.size()); }
    QWidget* sectionTitle(int index) const { return m_sections[std::size_t(index)]; }
    /// Of the cards; text is set in by kTextInset on both sides. Pictures and code may be wider where there is room.
    int preferredWidth() const;
    /// Width at the right that something else covers.
    void setReserved(int width);
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void addSection(const lessons::Section& section);
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
    std::vector<BlockWidget*> m_blocks;
    std::vector<QWidget*> m_sections;
    std::vector<Row> m_rows;
    int m_reserved = 0, m_extra = -1;
    bool m_afterBlock = false;
};

} // namespace ridge::app
