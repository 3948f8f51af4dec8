// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/portfolio/artifact_bundle.h"
#include "app/session/app_context.h"
#include "app/shell/ui/page.h"

class QGridLayout;
class QLabel;
class QStackedWidget;

namespace ridge::app {

class ArtifactCard;
class ArtifactView;
class ColumnScroll;

/// Everything the learner has shipped; "artifact/<id>" opens one.
class PortfolioPage : public Page {
    Q_OBJECT
public:
    explicit PortfolioPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override;
    QString part() const override { return m_part; }
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;
    double scrollFraction() const override;
    void setScrollFraction(double fraction) override;
    int artifacts() const { return static_cast<int>(m_cards.size()); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void reload();
    void arrange();
    Result<void> showArtifact();
    void chooseExport();

    AppContext& m_context;
    QStackedWidget* m_stack;
    ColumnScroll* m_scroll;
    QLabel* m_count;
    QGridLayout* m_grid;
    ArtifactView* m_view;
    std::vector<ArtifactCard*> m_cards;
    QString m_part;
    int m_columns = 0;
};

} // namespace ridge::app
