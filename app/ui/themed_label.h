// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "app/ui/sized_label.h"
#include "base/provenance.h"

#include <optional>

namespace ridge::app {

/// A wrapping label in one of the theme's type styles; follows theme and text scale. `tone` is the style sheet's
/// property of that name ("", "muted", "hint", "ok", "warn", "error").
class ThemedLabel : public SizedLabel {
    Q_OBJECT
public:
    ThemedLabel(Theme& theme, const QString& text, TextStyle style, const char* tone = "", QWidget* parent = nullptr);
    void setTone(const char* tone);
    void setWeight(QFont::Weight weight); ///< in place of the style's own

private:
    void applyFont();
    Theme& m_theme;
    TextStyle m_style;
    std::optional<QFont::Weight> m_weight;
};

/// A small outlined pill: provenance ("SIM"), validity, trust level. Measured is filled, simulated open, modelled
/// dotted, as in the charts.
class Badge : public QWidget {
    Q_OBJECT
public:
    enum class Look { Filled, Open, Dotted };
    Badge(Theme& theme, const QString& text, Look look, Role role, const QString& help, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    QString m_text;
    Look m_look;
    Role m_role;
};

/// Badge of a provenance, or of a validity verdict ("valid" is quiet, anything else warns).
Badge* provenanceBadge(Theme& theme, Provenance provenance, QWidget* parent = nullptr);
Badge* validityBadge(Theme& theme, const std::string& validity, QWidget* parent = nullptr);

} // namespace ridge::app
