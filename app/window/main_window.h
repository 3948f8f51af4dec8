// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/page.h"
#include "app/window/history.h"

#include <QHash>
#include <QMainWindow>
#include <functional>

class QStackedWidget;

namespace ridge::app {

class Banner;
class CommandPalette;
class LearnPage;
class OpenedFiles;
class Rail;
class SearchOverlay;
class RunWatch;
class ShortcutEditor;
class ShortcutSheet;
class StatusStrip;
class WindowDocks;
class WindowPins;

/// The window: rail, pages, status line, and every command. Pages are made when first visited. GUI thread.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    struct Options {
        bool systemIsDark = false;                ///< what the theme "system" stands for
        bool remember = true;                     ///< keep geometry, page and theme; off for screenshots
        QString theme = QStringLiteral("system"); ///< the setting that is in force: light, dark, contrast or system
    };
    MainWindow(AppContext& context, Options options);
    ~MainWindow() override;

    /// "home", "learn", "module/1", "lesson/2.4", "catalogue", "catalogue/h100-sxm,h200-sxm", "explorer",
    /// "explorer/llama-3-8b", "stack", "stack/kernel", "stack/32x784x256", "lab", "lab/coalescing",
    /// "kernel", "kernel/<name>", "runs", "runs/<id>", "compare", "portfolio", "artifact/<id>", "class",
    /// "class/<slug>", "placement", "data". Errors: "unknown-page"; the window stays where it was.
    Result<void> open(const QString& page);
    QString currentPage() const { return m_history.page(); }
    Page* page() const;
    bool canGoBack() const { return m_history.canGoBack(); }
    bool canGoForward() const { return m_history.canGoForward(); }
    void goBack();
    void goForward();

    /// Stands before the title, for the list of windows: how far runs are. Empty: nothing.
    void setTitleMark(const QString& mark);
    /// Geometry and page of last time.
    void restoreSession();
    void setThemeName(const QString& setting);
    QString themeName() const { return m_themeSetting; }

    CommandPalette* commandPalette() const { return m_palette; }
    SearchOverlay* searchOverlay() const { return m_search; }
    ShortcutSheet* shortcutSheet() const { return m_sheet; }
    ShortcutEditor* shortcutEditor() const { return m_editor; }
    StatusStrip* status() const { return m_status; }
    RunWatch* runs() const { return m_runs; }
    bool busyBehind() const; ///< something is still read for a page
    WindowDocks* docks() const { return m_docks; }
    QString layoutName() const { return m_layout; }
    /// "read", "lab", "debug" or "present": as the learner left it, else as its preset says.
    void setLayoutName(const QString& id);
    /// The layout in force as its preset says.
    void resetLayout();
    Banner* storeBanner() const { return m_storeBanner; }
    Banner* workerBanner() const { return m_workerBanner; }
    OpenedFiles& files() const { return *m_files; }
    /// Files that were dropped, double-clicked or chosen.
    void openFiles(const QStringList& paths);

    static QStringList destinations(); ///< page names in the order of Ctrl+1 …

Q_SIGNALS:
    void pageShown(const QString& page);
    /// A backup is in the place of the record that could not be read; the window closes, and has to begin afresh.
    void recordRestored();

protected:
    void closeEvent(QCloseEvent* event) override;
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // main_actions.cpp
    void addActions();
    void addFileActions();
    void addRecordActions(); ///< artifacts, tags, journal
    void addViewActions();
    void addGoActions();
    void addRunActions();
    void addHelpActions(); // main_help.cpp
    void openGuides();
    void showAbout();
    void explainFocus();     ///< F1
    void addKernelActions(); ///< main_kernels.cpp
    void updateKernelActions();
    void addKernelFile(const QString& path);
    void buildMenus();
    void placeAction(const ActionSpec& spec);
    void addRecentMenu();
    void updateActions();
    void followPage(); ///< another page, or another place of it
    void addLayoutActions();
    void applyLayout(bool preset);
    void keepLayout();
    void addPageAction(const ActionSpec& spec, Page::Command command);
    // class_actions.cpp
    void addClassActions();
    bool classUsed() const; ///< whether the rail shows Class: anything accepted, taught, or asked for
    void noteClassUsed();

    void buildBody();
    QWidget* makeCorner();
    Page* pageFor(const QString& destination);
    Result<void> showPage(const QString& page);
    void goTo(const History::Place& place);
    void chooseDestination(const QString& destination);
    void focusPage();
    void cyclePane(int step);
    void scaleText(double factor);
    void showStoreState();
    void restoreRecord();
    void updateTitle();
    void saveSession();
    void leaveWhenDone();
    void stopEverything();

    AppContext& m_context;
    Options m_options;
    QString m_themeSetting;
    History m_history;
    QHash<QString, Page*> m_pages;       ///< by destination
    QHash<QString, QString> m_lastPages; ///< where each destination was left
    QHash<QString, Page::Command> m_pageActions;
    QHash<QString, QMenu*> m_menus;
    Rail* m_rail = nullptr;
    QStackedWidget* m_stack = nullptr;
    StatusStrip* m_status = nullptr;
    WindowDocks* m_docks = nullptr;
    QString m_layout = QStringLiteral("read");
    double m_ownTextScale = 1.0; ///< the learner's, without the layout's factor
    RunWatch* m_runs = nullptr;
    Banner* m_storeBanner = nullptr;
    Banner* m_workerBanner = nullptr;
    Banner* m_closing = nullptr;
    OpenedFiles* m_files = nullptr;
    WindowPins* m_pins = nullptr;
    CommandPalette* m_palette = nullptr;
    SearchOverlay* m_search = nullptr;
    ShortcutSheet* m_sheet = nullptr;
    ShortcutEditor* m_editor = nullptr;
    QString m_titleMark;
    bool m_outlineShown = true;
    bool m_leaving = false;
    bool m_leaveNow = false;
};

} // namespace ridge::app
