// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/prose_document.h"
#include "app/lesson/reader/reader_context.h"

#include <QTextBrowser>
#include <map>

namespace ridge::app {

/// One run of prose as high as its text: native selection, links by mouse and Tab, cards for claims and terms.
class ProseView : public QTextBrowser {
    Q_OBJECT
public:
    ProseView(const ReaderContext& context, std::string markdown, ProseLook look, QWidget* parent = nullptr);

    void setMarkdownText(std::string markdown);
    const std::string& markdownText() const { return m_markdown; }
    /// Lines of the paragraph in which a cursor stands, in the viewport.
    QRect paragraphRect(const QTextCursor& cursor) const;
    /// The paragraph at a height of the viewport, or the nearest.
    QTextCursor paragraphAt(int y) const;
    /// Room below paragraphs, by block number, in px: what stands there is laid over it by someone else.
    void setGaps(const std::map<int, int>& gaps);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    QMimeData* createMimeDataFromSelection() const override;
    /// Prose shows nothing but text and what the program itself draws: no file, no address is ever read for it.
    QVariant loadResource(int, const QUrl&) override { return {}; }
    void doSetSource(const QUrl&, QTextDocument::ResourceType) override {}

private:
    void rebuild();
    void followTheme();
    void followLink(const QUrl& link);
    QUrl focusedLink() const;
    QRect linkRect() const;

    ReaderContext m_context;
    std::string m_markdown;
    ProseLook m_look;
    FormulaObject* m_formulas;
    QUrl m_highlighted;
    bool m_stale = false; ///< the theme changed while nobody saw the text
    std::map<int, int> m_gaps;
    std::map<int, double> m_margins;   ///< of the paragraphs that have a gap, as they were
    mutable QHash<int, int> m_heights; ///< by width; a text is laid out once for each
};

} // namespace ridge::app
