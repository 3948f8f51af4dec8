// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/prose_view.h"
#include "app/ui/themed_label.h"

#include <QBoxLayout>

namespace ridge::app {

/// A live block in the flow of a lesson: a quiet card with its kind, its parts and its caption. Subclasses build their
/// parts once and show the LessonState in refresh(). GUI thread.
class BlockWidget : public QFrame {
    Q_OBJECT
public:
    BlockWidget(const ReaderContext& context, const lessons::Block& block, const QString& kindTitle,
                QWidget* parent = nullptr);

    const lessons::Block& block() const { return m_block; }
    QString blockId() const { return QString::fromStdString(m_block.id); }

    virtual void activate() {} ///< Ctrl+Enter, F5: commit, run or check
    virtual bool canActivate() const { return false; }
    virtual void cancel() {}
    virtual int runningJobs() const { return 0; }
    virtual void restore() {}  ///< slow parts of what is stored, after the page is painted
    virtual void focusInput(); ///< its first field or button

    // Constant: the height comes from heightForWidth alone. The layout's own hints would lay every text out at a width
    // that nobody uses.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {240, space::xxl}; }

protected:
    Theme& theme() const { return m_context.theme(); }
    LessonState& state() const { return m_context.state; }
    AppContext& app() const { return m_context.app; }
    const ReaderContext& context() const { return m_context; }
    QVBoxLayout* body() const { return m_body; }
    /// Line at the top with the kind; badges go to its right end.
    QHBoxLayout* header() const { return m_header; }

    ProseView* addText(const std::string& markdown, ProseLook look); ///< null when there is no text
    ThemedLabel* addLabel(const QString& text, TextStyle style, const char* tone = "");
    /// What stands below what the block shows. `after`: it speaks of an outcome, so setCaptionShown brings it once that
    /// is there.
    enum class Caption { Always, After };
    void addCaption(const std::string& markdown, Caption when = Caption::Always);
    void setCaptionShown(bool shown);
    /// Where a block says why an outcome is kept back: one line, hidden while there is nothing to say. setHeld fills it
    /// and puts a stored attempt ("Your runs are stored.") before the reason.
    void addHeld();
    void setHeld(const QString& stored, const QString& why);

    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    ReaderContext m_context;
    const lessons::Block& m_block;
    QVBoxLayout* m_body;
    QHBoxLayout* m_header;
    ThemedLabel* m_held = nullptr;
    ProseView* m_caption = nullptr;
};

/// The widget for a block of any kind.
BlockWidget* makeBlock(const ReaderContext& context, const lessons::Block& block, QWidget* parent);

} // namespace ridge::app
