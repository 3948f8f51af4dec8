// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/panels.h"

namespace ridge::app {

class LessonRow;

/// The seven modules with what each promises and the lessons that are written; a module without any says so.
class CurriculumOverview : public ColumnScroll {
    Q_OBJECT
public:
    explicit CurriculumOverview(AppContext& context, QWidget* parent = nullptr);
    void refreshProgress();
    const std::vector<LessonRow*>& rows() const { return m_rows; }

private:
    void addModule(const lessons::ModuleInfo& module);

    AppContext& m_context;
    std::vector<LessonRow*> m_rows;
};

} // namespace ridge::app
