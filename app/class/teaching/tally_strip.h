// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/teaching/class_values.h"
#include "app/theme/theme.h"

#include <QAbstractButton>

namespace ridge::app {

/// A count of something with its word below; leads to what it counts.
class TallyButton : public QAbstractButton {
    Q_OBJECT
public:
    TallyButton(Theme& theme, const QString& word, Role role, QWidget* parent = nullptr);
    /// `of`: -1 for a count that is out of nothing. A count of zero is quiet whatever its role.
    void setCount(int count, int of = -1);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override;
    void enterEvent(QEnterEvent*) override { update(); }
    void leaveEvent(QEvent*) override { update(); }

private:
    QString number() const;

    Theme& m_theme;
    Role m_role;
    int m_count = 0, m_of = -1;
};

/// Handed in, late, missing and odd: the state of an assignment in four numbers.
class TallyStrip : public QWidget {
    Q_OBJECT
public:
    explicit TallyStrip(Theme& theme, QWidget* parent = nullptr);
    void setState(const ClassState& state);
    QSize sizeHint() const override; ///< all in one row

Q_SIGNALS:
    void chosen(std::optional<ridge::app::HandIn::State> state);

private:
    TallyButton *m_in, *m_late, *m_missing, *m_odd;
};

} // namespace ridge::app
