// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/page.h"
#include "evidence/progress.h"

class QTableWidget;

namespace ridge::app {

class ColumnScroll;

/// Every prediction with a result as one line, calibration by module, how firmly each lesson is known, skill by layer
/// of the stack. Never a grade. "insight".
class InsightPage : public Page {
    Q_OBJECT
public:
    explicit InsightPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("How I predict"); }
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;
    double scrollFraction() const override;
    void setScrollFraction(double fraction) override;

    /// Writes the progress as .json or .csv, by the name's ending. Errors: "cannot-write".
    Result<void> exportTo(const QString& path) const;

private:
    void rebuild();
    void addTable(const QString& title, const QStringList& heads, const std::vector<QStringList>& rows);
    void chooseExport();

    AppContext& m_context;
    ColumnScroll* m_scroll;
    std::optional<Progress> m_progress;
};

} // namespace ridge::app
