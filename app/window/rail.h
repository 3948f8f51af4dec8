// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QAbstractButton>

namespace ridge::app {

/// One destination of the rail: icon above its name, a bar at the left edge when it is shown.
class RailButton : public QAbstractButton {
    Q_OBJECT
public:
    RailButton(Theme& theme, const QString& icon, const QString& text, const QString& help, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override;
    void enterEvent(QEnterEvent*) override { update(); }
    void leaveEvent(QEvent*) override { update(); }

private:
    Theme& m_theme;
    QString m_icon;
};

/// The destinations, top to bottom; emits the page name.
class Rail : public QWidget {
    Q_OBJECT
public:
    explicit Rail(Theme& theme, QWidget* parent = nullptr);
    void addDestination(const QString& page, const QString& icon, const QString& text, const QString& help);
    void setShown(const QString& page, bool shown);
    bool isShown(const QString& page) const;
    void setCurrent(const QString& page);
    QWidget* current() const { return m_current; }

Q_SIGNALS:
    void chosen(const QString& page);

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    QHash<QString, RailButton*> m_buttons;
    RailButton* m_current = nullptr;
};

} // namespace ridge::app
