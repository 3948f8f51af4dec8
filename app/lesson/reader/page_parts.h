// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/prose_view.h"
#include "app/ui/themed_label.h"

#include <QWidget>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ridge::app {

/// With a capital letter at its beginning, as what is missing to a check stands on a line of its own.
QString sentence(const std::string& text);
/// With what experiments call "sectors_per_request" as their titles say it.
QString namesInWords(const AppContext& context, const std::string& text);

/// Module, title, the one question, minutes and objectives: what stands above the first section.
class PageHeader : public QWidget {
    Q_OBJECT
public:
    PageHeader(const ReaderContext& context, QWidget* parent = nullptr);
};

/// The lesson's checks: met with the filled dot, open with the hollow diamond and what is still missing.
class ChecksView : public QWidget {
    Q_OBJECT
public:
    /// `details`: says under each open check what is missing.
    ChecksView(const ReaderContext& context, bool details, QWidget* parent = nullptr);
    /// Shows no more checks than that many pixels hold, and how many there are besides.
    void fitTo(int height);

private:
    void refresh();
    void fit();
    ReaderContext m_context;
    bool m_details;
    QWidget* m_rows = nullptr;
    std::vector<QWidget*> m_checks; ///< a row each
    QLabel* m_more = nullptr;
    std::optional<int> m_room;
};

/// Beside the column: the sections, the one in view marked, and the checks in short.
class SidePanel : public QWidget {
    Q_OBJECT
public:
    SidePanel(const ReaderContext& context, QWidget* parent = nullptr);
    void setCurrent(int section);

Q_SIGNALS:
    void sectionChosen(int section);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    std::vector<QPushButton*> m_sections;
    ChecksView* m_checks = nullptr;
};

} // namespace ridge::app
