// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/panels.h"
#include "portfolio/privacy.h"

class QCheckBox;

namespace ridge::app {

/// A switch for each detail, all off at first, and below it what it would add with examples from these artifacts.
class AssemblePrivacy : public Card {
    Q_OBJECT
public:
    explicit AssemblePrivacy(Theme& theme, QWidget* parent = nullptr);
    folio::Shown shown() const;
    void setShown(folio::Detail detail, bool shown);
    void setPreview(const std::vector<folio::PrivacyItem>& items);

Q_SIGNALS:
    void changed();

private:
    struct Switch {
        folio::Detail detail;
        QCheckBox* box;
        QLabel* found;
    };
    std::vector<Switch> m_switches;
};

} // namespace ridge::app
