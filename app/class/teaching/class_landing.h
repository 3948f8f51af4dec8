// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/teaching/class_desk.h"
#include "app/session/app_context.h"

#include <QWidget>

class QBoxLayout;
class QPushButton;
class QVBoxLayout;

namespace ridge::app {

class AssignmentsView;
class Banner;
class ColumnScroll;

/// Where Class begins: what one was given on one side, what one teaches on the other. Somebody who teaches nothing is
/// shown the sample class.
class ClassLanding : public QWidget {
    Q_OBJECT
public:
    ClassLanding(AppContext& context, ClassDesk& desk, QWidget* parent = nullptr);
    void refresh();
    bool ready() const { return m_known; }
    ColumnScroll* scroll() const { return m_scroll; }
    QList<QWidget*> panes() const;

    /// Whether the sample was taken out of view; a preference, the files stay.
    static bool sampleHidden();
    static void setSampleHidden(bool hidden);

Q_SIGNALS:
    void readyChanged();
    void collectRequested(const QString& slug, const QStringList& paths);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeTaking();
    QWidget* makeTeaching();
    QWidget* makeSample();
    void show(const Result<std::vector<ClassHead>>& heads);
    void arrange();

    AppContext& m_context;
    ClassDesk& m_desk;
    ColumnScroll* m_scroll;
    QBoxLayout* m_sides;
    AssignmentsView* m_assignments;
    QVBoxLayout* m_classes;
    QWidget* m_none;
    Banner* m_banner;
    QPushButton* m_new;
    QWidget* m_sample;
    bool m_known = false;
    int m_asked = 0;
};

} // namespace ridge::app
