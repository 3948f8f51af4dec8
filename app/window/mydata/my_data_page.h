// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/page.h"
#include "privacy/data_export.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace ridge::app {

class Banner;
class ColumnScroll;

/// What is kept about the person at this computer, with what takes it along and what deletes it. "data".
class MyDataPage : public Page {
    Q_OBJECT
public:
    explicit MyDataPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("Your data"); }
    bool ready() const override { return m_inventory.has_value() && !m_looking && !m_exporting; }
    bool can(Command command) const override { return command == Command::Export && !m_exporting; }
    void perform(Command command) override;
    QList<QWidget*> panes() const override;
    double scrollFraction() const override;
    void setScrollFraction(double fraction) override;

    /// Writes all of it; ready() again when it is done. `folder`: new or empty.
    void exportTo(const QString& folder);
    const std::optional<personal::Inventory>& inventory() const { return m_inventory; }

Q_SIGNALS:
    /// It is decided: the window has to close, and main deletes before it starts afresh.
    void deletionOrdered();

private:
    void look();
    void rebuild();
    QWidget* makeKept();
    QWidget* makeExport();
    QWidget* makeDelete();
    void chooseFolder();
    void showExported(const Result<personal::DataExport>& done, const QString& folder);
    void order();

    AppContext& m_context;
    ColumnScroll* m_scroll;
    std::optional<personal::Inventory> m_inventory;
    QPushButton* m_export = nullptr;
    QPushButton* m_openFolder = nullptr;
    QPushButton* m_delete = nullptr;
    QLineEdit* m_word = nullptr;
    QLabel* m_state = nullptr;
    QLabel* m_first = nullptr;
    Banner* m_banner = nullptr;
    QString m_exported; ///< folder of the last export of this session
    bool m_looking = false, m_exporting = false;
};

} // namespace ridge::app
