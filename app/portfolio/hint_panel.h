// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/panels.h"
#include "evidence/weak_claims.h"

namespace ridge::app {

/// Beside an artifact: which level its evidence supports, what is missing for the next, and what a reader could hold
/// against its claims. A hint leads to the field that answers it.
class HintPanel : public QWidget {
    Q_OBJECT
public:
    /// `links`: whether there are fields to lead to.
    HintPanel(Theme& theme, bool links, QWidget* parent = nullptr);
    void show(int claimedLevel, const std::vector<TrustRung>& rungs, const std::vector<ClaimHint>& hints);
    /// Why nothing is said about it now.
    void showHeld(const QString& reason);
    int hints() const { return m_hints; }

Q_SIGNALS:
    void fieldAsked(const QString& field);

private:
    void clear();
    void addLink(QVBoxLayout* column, const QString& field, const QString& help);

    Theme& m_theme;
    bool m_links;
    int m_hints = 0;
    QVBoxLayout* m_column;
};

} // namespace ridge::app
