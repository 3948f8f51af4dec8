// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/lesson_page.h"

#include <QtTest>
#include <filesystem>

namespace ridge::app::test {

/// A learner's machine in temporary folders: store, settings, curriculum with one lesson of all twelve blocks, and a
/// worker that answers at once.
class Bench {
public:
    /// `mode` is the fake worker's RIDGE_FAKE.
    explicit Bench(const char* mode = "");
    ~Bench();

    /// Opens the store (again) and makes the context; `withStore` false: the store could not be opened.
    void start(bool withStore = true);
    void loadCatalogue(); ///< and waits for the answer
    LessonPage* openPage(QSize size = QSize(1180, 900));
    void closePage();
    void stop(); ///< everything but the folders, as when the program ends

    AppContext& app() { return *m_app; }
    record::Store& store() { return *m_app->store(); }
    LessonPage& page() { return *m_page; }
    std::filesystem::path data() const { return m_data.path().toStdString(); }
    std::filesystem::path lessonFile() const;
    std::filesystem::path storeFolder() const;

    BlockWidget* block(const char* id);
    template<class Widget = QWidget>
    Widget* part(const char* blockId, const char* name)
    {
        return block(blockId)->findChild<Widget*>(QString::fromLatin1(name));
    }
    /// A click as a person makes it: refused on hidden or disabled buttons.
    bool click(QWidget* button);
    bool click(const char* blockId, const char* name) { return click(part(blockId, name)); }
    void type(QWidget* field, const QString& text);
    /// Commits the prediction and waits for its result.
    bool commitAndRun();
    bool runSweep();
    bool waitForIdle();
    /// The text that a block's run row shows beside its button.
    QString status(const char* blockId);
    void shoot(const QString& name); ///< a PNG into $RIDGE_SHOTS, nothing where that is not set

private:
    QTemporaryDir m_home, m_data, m_settings;
    Theme m_theme;
    ActionRegistry m_actions;
    std::unique_ptr<AppContext> m_app;
    std::unique_ptr<LessonPage> m_page;
};

} // namespace ridge::app::test
