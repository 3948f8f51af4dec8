// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "app/ui/compile_messages.h"
#include "base/json_value.h"

#include <QWidget>

class QLabel;
class QListWidget;

namespace ridge::app {

/// What the detectors of a run found, as notes for the lines they are about (docs/kernels.md, "Detectors").
std::vector<SourceNote> detectorNotes(const Json& document);

/// Everything that is wrong with a kernel, below its source. The chosen one is told whole; Enter goes to its line.
class ProblemList : public QWidget {
    Q_OBJECT
public:
    explicit ProblemList(Theme& theme, QWidget* parent = nullptr);

    void setNotes(const std::vector<SourceNote>& notes);
    /// Shown where there are no notes: "Compiles for sm_90", "Compiling …".
    void setState(const QString& text);
    QListWidget* list() const { return m_list; }
    QString shownText() const;

Q_SIGNALS:
    void chosen(int line, int column);

private:
    void showNote(int row);

    std::vector<SourceNote> m_notes;
    QLabel* m_state;
    QListWidget* m_list;
    QLabel* m_text;
};

} // namespace ridge::app
