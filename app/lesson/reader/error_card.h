// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/themed_label.h"
#include "base/result.h"

#include <QFrame>

class QPushButton;

namespace ridge::app {

/// An error in the place where it happened: what, where, what to do, and Retry where trying again can help.
class ErrorCard : public QFrame {
    Q_OBJECT
public:
    explicit ErrorCard(Theme& theme, QWidget* parent = nullptr);
    void showError(const Error& error, bool canRetry);
    void clear() { hide(); }

Q_SIGNALS:
    void retry();

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    ThemedLabel* m_message;
    ThemedLabel* m_place;
    ThemedLabel* m_fix;
    QPushButton* m_retry;
};

} // namespace ridge::app
