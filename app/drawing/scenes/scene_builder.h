// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"

namespace ridge::app {

/// Small vocabulary that all scenes speak, so that a lane looks like a lane everywhere.
class SceneBuilder {
public:
    SceneBuilder(QSizeF size, double textScale) : m_size(size), m_scale(textScale) {}

    double text(double pixels) const { return pixels * m_scale; } ///< a height that must hold text
    static constexpr double kMargin = space::m;                   ///< round every scene: it may stand on any page
    double left() const { return kMargin; }
    double top() const { return kMargin; }
    double width() const { return m_size.width() - 2 * kMargin; } ///< inside the margin
    double bottom() const { return m_size.height() - kMargin; }

    void fill(QRectF rect, Role role, double alpha = 1, double radius = 0);
    void outline(QRectF rect, Role role, double pixels = 1, double radius = 0);
    void hatch(QRectF rect, Role role, double radius = 0);
    void link(QPointF from, QPointF to, Role role, double pixels = 1, double alpha = 1);
    void label(QRectF rect, const QString& text, TextStyle style, Role role, Qt::Alignment align = Qt::AlignCenter);
    void paragraph(QRectF rect, const QString& text, TextStyle style, Role role); ///< wraps, from the top left
    SceneDrawing empty(const QString& text); ///< the whole drawing of a scene that has nothing to show yet
    void raster(Raster raster);
    void plot(QRectF rect) { m_drawing.plot = rect; } ///< SceneDrawing::plot
    void item(const QString& id, const QString& text, QRectF rect);

    enum class Chip { Idle, Waiting, Done, Selected };
    /// A lane: number in a tinted rounded box. Idle lanes take no part in the request.
    void lane(QRectF rect, int lane, Chip chip, const QString& text);
    struct Counter {
        QString id, value, name;
        double share = 1; ///< of the row's width
    };
    /// Numbers over their names, side by side; names wrap. Returns the bottom.
    double counters(QPointF topLeft, double width, const QList<Counter>& list);

    enum class Look { Fill, Tint, Hatch, Outline };
    struct Key {
        Look look;
        Role role;
        QString text;
    };
    /// Keys from the left, a sentence at the right; wraps into rows where the width is short.
    double footerHeight(double width, const QList<Key>& keys, const QString& sentence) const;
    void footer(QPointF topLeft, double width, const QList<Key>& keys, const QString& sentence, Role role);

    struct LetterKey {
        QChar letter;
        Role role;
        double alpha;
        QString text;
    };
    /// Tinted squares with a letter, each with its name; wraps. Returns the bottom.
    double letterKeysHeight(double width, const std::vector<LetterKey>& keys) const;
    double letterKeys(QPointF topLeft, double width, const std::vector<LetterKey>& keys);

    /// Rough width of a text, good enough to decide whether it fits: scenes own no font.
    double textWidth(const QString& text, double pixels = 12) const;

    SceneDrawing finish(const QString& summary, double usedHeight);

private:
    double keyWidth(const Key& key) const;
    double letterKeyWidth(const LetterKey& key) const;
    void drawKey(QPointF topLeft, const Key& key);

    QSizeF m_size;
    double m_scale;
    SceneDrawing m_drawing;
};

} // namespace ridge::app
