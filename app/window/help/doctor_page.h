// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/page.h"
#include "doctor/doctor_findings.h"

class QLabel;
class QPushButton;

namespace ridge::app {

class ColumnScroll;

/// What `ridge doctor` tells: every part with its state and, where something is wrong, what mends it. "doctor".
class DoctorPage : public Page {
    Q_OBJECT
public:
    explicit DoctorPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("What works here"); }
    bool ready() const override { return !m_looking && !m_findings.empty(); }
    QList<QWidget*> panes() const override;
    double scrollFraction() const override;
    void setScrollFraction(double fraction) override;

    /// Shows these in place of what the machine says.
    void show(std::vector<doctor::Finding> findings);
    const std::vector<doctor::Finding>& findings() const { return m_findings; }

private:
    void look();
    void rebuild();
    QWidget* makeGroup(const QString& title, const QString& text, doctor::Health health);
    void copy(const QString& text, const QString& what);

    AppContext& m_context;
    ColumnScroll* m_scroll;
    QPushButton* m_again = nullptr;
    QPushButton* m_copy = nullptr;
    std::vector<doctor::Finding> m_findings;
    bool m_looking = false;
};

} // namespace ridge::app
