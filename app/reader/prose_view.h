// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/reader/prose_document.h"
#include "app/reader/reader_context.h"

#include <QTextBrowser>

namespace ridge::app {

/// One run of prose as high as its text: native selection, links by mouse and Tab, cards for claims and terms.
class ProseView : public QTextBrowser {
    Q_OBJECT
public:
    ProseView(const ReaderContext& context, std::string markdown, ProseLook look, QWidget* parent = nullptr);

    void setMarkdownText(std::string markdown);
    const std::string& markdownText() const { return m_markdown; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    QMimeData* createMimeDataFromSelection() const override;
    void doSetSource(const QUrl&, QTextDocument::ResourceType) override {}

private:
    void rebuild();
    void followLink(const QUrl& link);
    QUrl focusedLink() const;
    QRect linkRect() const;

    ReaderContext m_context;
    std::string m_markdown;
    ProseLook m_look;
    FormulaObject* m_formulas;
    QUrl m_highlighted;
    mutable QHash<int, int> m_heights; ///< by width; a text is laid out once for each
};

} // namespace ridge::app
