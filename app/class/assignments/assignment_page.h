// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/assignments/assigned_lessons.h"
#include "app/session/app_context.h"
#include "app/ui/page.h"
#include "classroom/assignment.h"

#include <QTimer>

class QGridLayout;
class QPushButton;

namespace ridge::app {

class Banner;
class Card;
class ColumnScroll;
class SubmitPanel;

/// One assignment as its learner sees it. "assignment/file:<percent-encoded path>" is the preview of a `.ridgeclass`
/// with Accept; "assignment/<id>" is an accepted one: lessons with their steps, deadline, what is shown when, what the
/// teacher will see, and Submit. GUI thread.
class AssignmentPage : public Page {
    Q_OBJECT
public:
    explicit AssignmentPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override;
    QString part() const override { return m_part; }
    bool ready() const override;
    double scrollFraction() const override;
    void setScrollFraction(double fraction) override;
    QList<QWidget*> panes() const override;

    QPushButton* acceptButton() const { return m_accept; } ///< null unless a file is previewed
    SubmitPanel* submitPanel() const { return m_submit; }  ///< null in a preview

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    static constexpr int kRefreshMs = 100; ///< rows of a sweep come in bursts
    void begin();
    void addHead(const QString& caption);
    QWidget* makePolicy() const;
    void showPreview();
    void showAssignment();
    void refreshLessons();
    void accept();
    void addHalves(const QList<QWidget*>& left, const QList<QWidget*>& right);
    void arrange();

    AppContext& m_context;
    ColumnScroll* m_scroll;
    Banner* m_banner;
    QPushButton* m_accept = nullptr;
    SubmitPanel* m_submit = nullptr;
    Card* m_lessons = nullptr;
    std::vector<AssignedStanding> m_standings; ///< as they are shown
    QGridLayout* m_halves = nullptr;
    QWidget* m_left = nullptr;
    QWidget* m_right = nullptr;
    QTimer m_again;
    QString m_part;
    QString m_path; ///< of the file that is previewed
    std::string m_bytes;
    std::optional<classroom::Assignment> m_assignment;
};

/// The place of a file's preview, and the path out of such a place's part (empty: it is none).
QString previewPlace(const QString& path);
QString pathOfPreview(const QString& part);

} // namespace ridge::app
