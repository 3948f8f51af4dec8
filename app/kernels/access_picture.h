// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"
#include "app/theme/theme.h"
#include "base/step_trace.h"

#include <QWidget>

class QLabel;
class QScrollArea;

namespace ridge::app {

class SceneView;

/// The access of a step as the scenes draw it: lanes over sectors and lines of global memory, or over the banks of
/// shared memory. What no scene draws is said in words.
class AccessPicture : public QWidget {
    Q_OBJECT
public:
    explicit AccessPicture(Theme& theme, QWidget* parent = nullptr);
    /// Null `step`: there is no access yet.
    void setAccess(const StepTrace& trace, const TracedStep* step);
    QString heading() const;
    SceneView* view() const { return m_view; }
    QString message() const; ///< why nothing is drawn; empty where something is

private:
    SceneView* m_view;
    QScrollArea* m_scroll;
    QLabel *m_heading, *m_message;
};

/// The access of a step as a trace with this one request; none where no scene draws it: local memory, or more bytes a
/// lane than one instruction of 16 moves.
std::optional<MemoryTrace> memoryTraceOf(const StepTrace& trace, const TracedStep& step);

} // namespace ridge::app
