// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/portfolio/assemble_job.h"
#include "app/session/app_context.h"
#include "app/ui/page.h"
#include "portfolio/portfolio_document.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTimer;

namespace ridge::app {

class AssembleList;
class AssemblePrivacy;
class AssembleSample;
class Banner;
class ColumnScroll;

/// A portfolio from artifacts: tick and order them, a title and a few lines, what a reader learns about its author,
/// then a folder. Parts: "job", "handin", "notebook", and "sample" for the one that ships with the program.
class AssemblePage : public Page {
    Q_OBJECT
public:
    explicit AssemblePage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override;
    QString part() const override { return m_part; }
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;
    int runningJobs() const override { return m_exporting ? 1 : 0; }
    double scrollFraction() const override;
    void setScrollFraction(double fraction) override;

    bool exporting() const { return m_exporting; }
    /// What was exported last; empty: nothing yet.
    std::filesystem::path lastExport() const { return m_last; }
    /// What an export into `out` would be made of, as the page stands.
    AssembleRequest request(const QString& out) const;

Q_SIGNALS:
    void exported(const QString& folder);
    /// The desktop is asked to show this folder or page.
    void openFolderRequested(const QString& path);

private:
    QWidget* makeWhat();
    QWidget* makeWords();
    QWidget* makeWhere();
    void reload();
    void look(); ///< greys what cannot be done and asks for the preview
    void preview();
    void showInBrowser();
    void start(const QString& folder, bool keep);
    void finish(const Result<Assembled>& result, bool keep);

    AppContext& m_context;
    folio::Template m_style = folio::Template::Job;
    QString m_part;
    QStackedWidget* m_stack;
    ColumnScroll* m_scroll;
    AssembleSample* m_sample;
    QLabel *m_heading, *m_purpose, *m_count;
    AssembleList* m_list;
    QLineEdit *m_titleEdit, *m_author, *m_contact, *m_course, *m_folder;
    QWidget* m_courseRow;
    QPlainTextEdit* m_intro;
    AssemblePrivacy* m_privacy;
    QCheckBox* m_pdf;
    QPushButton *m_look, *m_export, *m_openFolder;
    QLabel* m_state;
    QProgressBar* m_busy;
    Banner* m_banner;
    QTimer* m_wait;
    std::filesystem::path m_last;
    int m_asked = 0; ///< previews that were asked for: only the newest counts
    bool m_exporting = false;
};

} // namespace ridge::app
