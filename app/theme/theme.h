// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QColor>
#include <QFont>
#include <QHash>
#include <QObject>
#include <QPalette>

namespace ridge::app {

/// Semantic colour roles; assets/themes/<name>.json gives each a colour, a theme that misses one is refused.
enum class Role {
    Window,
    Surface,
    Surface2,
    CodeBackground,
    PlotBackground,
    Border,
    BorderStrong,
    Text,
    Text2,
    Text3,
    Accent,
    OnAccent,
    Link,
    Ok,
    Warn,
    Error,
    Selection,
    Grid,
    SyntaxKeyword,
    SyntaxType,
    SyntaxQualifier,
    SyntaxString,
    SyntaxNumber,
    SyntaxPreprocessor,
    SyntaxComment,
    Series1,
    Series2,
    Series3,
    Series4,
    Series5,
    Series6,
    Series7,
    Series8,
    Heat1,
    Heat2,
    Heat3,
    Heat4,
    Heat5,
    Map1,
    Map2,
    Map3,
    Map4,
    Map5,
    Map6,
    InkDark, ///< text on data colours: the darker and the lighter of two
    InkLight,
};

/// Type tokens of the design (sizes in device-independent pixels at 100 %).
enum class TextStyle {
    Caption,
    Body,
    Strong,
    ReadBody,
    ReadH1,
    ReadH2,
    ReadH3,
    Code,
    ChartTick,
    ChartLabel,
    ChartTitle,
    MetricBig
};

/// The one source of colours, fonts and spacing. Made once in main and passed down; `changed` is emitted after the
/// application palette is live, so that a listener may read either.
class Theme : public QObject {
    Q_OBJECT
public:
    /// A detached theme never touches the application: it is what exports in another theme are painted with.
    enum class Scope { Application, Detached };
    explicit Theme(QObject* parent = nullptr, Scope scope = Scope::Application);

    /// "light", "dark" or "contrast". Errors: "bad-theme" (names file and missing role), the old theme stays.
    Result<void> load(const QString& name);
    /// Reads one theme file; what `load` does with assets/themes/<name>.json. Errors: "bad-theme".
    Result<void> loadFile(const QString& path, const QString& name);
    static QStringList names(); ///< the themes that ship
    /// Key of a role in a theme file ("syntaxKeyword"), and every role there is.
    static QString key(Role role);
    static const QList<Role>& roles();
    QString name() const { return m_name; }
    bool isDark() const;

    QColor color(Role role) const;
    QColor series(int index) const; ///< 0-based, repeats after eight
    QFont font(TextStyle style) const;
    int lineHeight(TextStyle style) const; ///< px at the current text scale
    /// Multiplies every font: 0.8 … 2.0.
    void setTextScale(double scale);
    double textScale() const { return m_textScale; }
    /// `pixels` at 100 %, at the current text scale and rounded: for heights that must hold text.
    int scaled(double pixels) const;
    bool reducedMotion() const { return m_reducedMotion; }
    void setReducedMotion(bool on);

    QPalette palette() const;
    /// For controls: radius, borders, control height. Widgets may set the dynamic properties `primary` (true on the
    /// one main QPushButton of a view), `card` (true on a QFrame) and `tone` ("muted", "hint", "ok", "warn", "error",
    /// "strong" on a QLabel). The focus ring is drawn by FocusRing, outside the control.
    QString styleSheet() const;

Q_SIGNALS:
    void changed();

private:
    void apply();

    Scope m_scope;
    QString m_name;
    QString m_icons; ///< folder of the control glyphs in this theme's colours
    QHash<int, QColor> m_colors;
    double m_textScale = 1.0;
    bool m_reducedMotion = false;
};

/// The 4-px grid.
namespace space {
inline constexpr int xs = 4, s = 8, m = 12, l = 16, xl = 24, xxl = 32, xxxl = 48;
}
inline constexpr int kControlRadius = 4, kCardRadius = 8, kControlHeight = 30;
/// How often, in ms, a view that follows a run or a stream is brought up to date: often enough to look alive.
inline constexpr int kPictureMs = 33;

} // namespace ridge::app
