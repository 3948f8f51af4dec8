// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QByteArray>
#include <QWidget>
#include <memory>

class QSvgRenderer;

namespace ridge::app {

/// An SVG whose colours are roles of the theme in braces (fill="{surface2}"), in the colours of `theme`.
/// Errors: "unknown-role" (names it and the nearest; `place` is the file's name as given).
Result<QByteArray> themedSvg(const QByteArray& svg, const Theme& theme, const std::string& place);

/// A drawing of a lesson: as wide as it is given room, its aspect kept, drawn from its lines at every scale, in the
/// theme's colours. GUI thread.
class FigureView : public QWidget {
    Q_OBJECT
public:
    /// `alt` is what a screen reader says. Look at error() before showing it.
    FigureView(Theme& theme, QByteArray svg, const std::string& place, const QString& alt, QWidget* parent = nullptr);
    ~FigureView() override;
    /// Why there is nothing to draw: an unknown role, or no SVG that can be drawn.
    const std::optional<Error>& error() const { return m_error; }

    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent*) override;

private:
    void recolour();

    Theme& m_theme;
    QByteArray m_svg;
    std::string m_place;
    std::unique_ptr<QSvgRenderer> m_renderer;
    std::optional<Error> m_error;
};

} // namespace ridge::app
