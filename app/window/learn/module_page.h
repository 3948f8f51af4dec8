// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/panels.h"
#include "app/window/learn/module_story.h"

class QGridLayout;

namespace ridge::app {

class InfoCard;
class PathStepRow;
class TermList;

/// One module: what one will be able to do, its lessons as a path with time and state, the capstone, what will have
/// been shipped, its terms. Everything comes from the curriculum and the store.
class ModulePage : public ColumnScroll {
    Q_OBJECT
public:
    ModulePage(AppContext& context, int number, QWidget* parent = nullptr);
    int number() const { return m_story.number; }
    const ModuleStory& story() const { return m_story; }
    /// Reads the store again; builds anew only when something changed.
    void refresh();
    QPushButton* continueButton() const { return m_continue; } ///< null while nothing is written
    const std::vector<PathStepRow*>& rows() const { return m_rows; }
    TermList* terms() const { return m_terms; } ///< null without terms

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    void addHead();
    QGridLayout* addGrid(const QString& title);
    void addAbilities();
    void addPath();
    void addTasks();
    void addArtifacts();
    void addTerms();
    void addBeside();

    AppContext& m_context;
    ModuleStory m_story;
    QStringList m_recent;
    InfoCard* m_card;
    QPushButton* m_continue = nullptr;
    std::vector<PathStepRow*> m_rows;
    TermList* m_terms = nullptr;
};

} // namespace ridge::app
