// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/page.h"

class QGridLayout;
class QPushButton;

#include <QElapsedTimer>
#include <QTimer>

namespace ridge::app {

class ColumnScroll;
class HardwareCard;

/// Where to go on, how far one is on the chosen path, what is due, what was shipped last, what this machine can do.
/// Nothing else. On the first start it is the welcome screen instead; Enter alone reaches the lesson.
class HomePage : public Page {
    Q_OBJECT
public:
    explicit HomePage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("Home"); }
    bool ready() const override { return m_context.hasCatalogue() || m_context.catalogueError(); }
    QList<QWidget*> panes() const override;
    QPushButton* continueButton() const { return m_continue; }
    bool firstRun() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void rebuild();
    QWidget* makeLastEnd();
    QWidget* makeContinue();
    QWidget* makeLastArtifact();
    QWidget* makeInsight();
    void arrange();

    AppContext& m_context;
    ColumnScroll* m_scroll;
    HardwareCard* m_hardware;
    QGridLayout* m_lower = nullptr;
    QWidget* m_artifact = nullptr;
    QWidget* m_insight = nullptr;
    QPushButton* m_continue = nullptr;
    bool m_stale = true;
    QStringList m_recent; ///< as when it was built
    QElapsedTimer m_built;
    QTimer m_refresh;
};

} // namespace ridge::app
