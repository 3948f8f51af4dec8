// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/teaching/class_values.h"
#include "app/theme/theme.h"

#include <QAbstractButton>

namespace ridge::app {

/// "due Mon 8 Mar 2027, 18:00" in local time, or that there is no deadline; from ISO 8601 UTC.
QString deadlineText(const std::string& iso);

/// A class that one teaches: title, newest assignment, how many have handed in. A button; a folder of submissions
/// dropped on it is collected.
class ClassCard : public QAbstractButton {
    Q_OBJECT
public:
    ClassCard(Theme& theme, ClassHead head, QWidget* parent = nullptr);
    const ClassHead& head() const { return m_head; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void dropped(const QStringList& paths);

protected:
    void paintEvent(QPaintEvent*) override;
    void enterEvent(QEnterEvent*) override { update(); }
    void leaveEvent(QEvent*) override { update(); }
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QString about() const;
    QString count() const;

    Theme& m_theme;
    ClassHead m_head;
    bool m_over = false;
};

} // namespace ridge::app
