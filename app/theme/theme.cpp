// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/theme.h"

#include "app/theme/color_science.h"
#include "app/theme/drags.h"
#include "app/theme/focus_ring.h"
#include "app/theme/paste_guard.h"
#include "app/theme/restyler.h"
#include "app/theme/type_tokens.h"
#include "base/json.h"
#include "base/paths.h"

#include <QApplication>
#include <QDir>
#include <QRegularExpression>
#include <QStyleFactory>
#include <cmath>

namespace ridge::app {
namespace {

struct RoleKey {
    Role role;
    const char* key;
};

constexpr RoleKey kRoles[] = {
    {Role::Window, "window"},
    {Role::Surface, "surface"},
    {Role::Surface2, "surface2"},
    {Role::CodeBackground, "codeBackground"},
    {Role::PlotBackground, "plotBackground"},
    {Role::Border, "border"},
    {Role::BorderStrong, "borderStrong"},
    {Role::Text, "text"},
    {Role::Text2, "text2"},
    {Role::Text3, "text3"},
    {Role::Accent, "accent"},
    {Role::OnAccent, "onAccent"},
    {Role::Link, "link"},
    {Role::Ok, "ok"},
    {Role::Warn, "warn"},
    {Role::Error, "error"},
    {Role::Selection, "selection"},
    {Role::Grid, "grid"},
    {Role::SyntaxKeyword, "syntaxKeyword"},
    {Role::SyntaxType, "syntaxType"},
    {Role::SyntaxQualifier, "syntaxQualifier"},
    {Role::SyntaxString, "syntaxString"},
    {Role::SyntaxNumber, "syntaxNumber"},
    {Role::SyntaxPreprocessor, "syntaxPreprocessor"},
    {Role::SyntaxComment, "syntaxComment"},
    {Role::Series1, "series1"},
    {Role::Series2, "series2"},
    {Role::Series3, "series3"},
    {Role::Series4, "series4"},
    {Role::Series5, "series5"},
    {Role::Series6, "series6"},
    {Role::Series7, "series7"},
    {Role::Series8, "series8"},
    {Role::Heat1, "heat1"},
    {Role::Heat2, "heat2"},
    {Role::Heat3, "heat3"},
    {Role::Heat4, "heat4"},
    {Role::Heat5, "heat5"},
    {Role::Map1, "map1"},
    {Role::Map2, "map2"},
    {Role::Map3, "map3"},
    {Role::Map4, "map4"},
    {Role::Map5, "map5"},
    {Role::Map6, "map6"},
    {Role::InkDark, "inkDark"},
    {Role::InkLight, "inkLight"},
};

Error badTheme(const QString& path, const std::string& what, const std::string& fix)
{
    return Error{"bad-theme", what, path.toStdString(), fix};
}

Result<QHash<int, QColor>> parseColors(const Json& json, const QString& path)
{
    if (!json.is_object() || !json.contains("roles") || !json["roles"].is_object())
        return badTheme(path, "a theme is an object with a member \"roles\"", "compare with assets/themes/light.json");
    const Json& given = json["roles"];
    static const QRegularExpression hex(QStringLiteral("^#[0-9A-Fa-f]{6}$"));
    QHash<int, QColor> colors;
    for (const RoleKey& role : kRoles) {
        const auto found = given.find(role.key);
        const std::string quoted = '"' + std::string(role.key) + '"';
        if (found == given.end())
            return badTheme(path, "the role " + quoted + " is missing", "add it under \"roles\"");
        const QString text = found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
        if (!hex.match(text).hasMatch())
            return badTheme(path, "the role " + quoted + " is not a colour", "write it as \"#RRGGBB\"");
        colors.insert(static_cast<int>(role.role), QColor(text));
    }
    for (const auto& entry : given.items()) {
        const std::string& name = entry.key();
        if (std::none_of(std::begin(kRoles), std::end(kRoles), [&](const RoleKey& role) { return name == role.key; }))
            return badTheme(path, "\"" + name + "\" is no role", "remove it or correct its spelling");
    }
    return colors;
}

} // namespace

Theme::Theme(QObject* parent, Scope scope) : QObject(parent), m_scope(scope)
{
    if (m_scope != Scope::Application || !qobject_cast<QApplication*>(QCoreApplication::instance()))
        return;
    new FocusRing(*this);
    new PasteGuard(*this);
    Drags::ofApplication();
}

QStringList Theme::names()
{
    return {QStringLiteral("light"), QStringLiteral("dark"), QStringLiteral("contrast")};
}

QString Theme::key(Role role)
{
    for (const RoleKey& entry : kRoles)
        if (entry.role == role)
            return QLatin1String(entry.key);
    return {};
}

const QList<Role>& Theme::roles()
{
    static const QList<Role> all = [] {
        QList<Role> list;
        for (const RoleKey& entry : kRoles)
            list.append(entry.role);
        return list;
    }();
    return all;
}

Result<void> Theme::load(const QString& name)
{
    if (!names().contains(name))
        return Error{"bad-theme", "there is no theme \"" + name.toStdString() + "\"", "theme",
                     "choose " + names().join(QStringLiteral(", ")).toStdString()};
    const auto data = dataFolder();
    if (!data)
        return data.error();
    return loadFile(QString::fromStdString((*data / "assets" / "themes" / (name.toStdString() + ".json")).string()),
                    name);
}

Result<void> Theme::loadFile(const QString& path, const QString& name)
{
    const auto bytes = readFile(path.toStdString());
    if (!bytes)
        return badTheme(path, bytes.error().message, "reinstall the program or restore the file");
    const auto json = parseJson(bytes.value(), path.toStdString());
    if (!json)
        return badTheme(path, toText(json.error()), "repair the file");
    auto colors = parseColors(json.value(), path);
    if (!colors)
        return colors.error();
    m_colors = std::move(colors).value();
    m_name = name;
    m_icons = QDir(QFileInfo(path).absolutePath()).filePath(QStringLiteral("icons/") + name);
    apply();
    Q_EMIT changed();
    return {};
}

bool Theme::isDark() const
{
    return relativeLuminance(color(Role::Window)) < 0.18;
}

QColor Theme::color(Role role) const
{
    return m_colors.value(static_cast<int>(role));
}

QColor Theme::series(int index) const
{
    const int wrapped = ((index % 8) + 8) % 8;
    return color(static_cast<Role>(static_cast<int>(Role::Series1) + wrapped));
}

QFont Theme::font(TextStyle style) const
{
    return tokenFont(style, m_textScale);
}

int Theme::lineHeight(TextStyle style) const
{
    return scaled(typeToken(style).lineHeight);
}

int Theme::scaled(double pixels) const
{
    return static_cast<int>(std::lround(pixels * m_textScale));
}

void Theme::setTextScale(double scale)
{
    const double wanted = std::clamp(scale, 0.8, 2.0);
    if (qFuzzyCompare(wanted, m_textScale))
        return;
    m_textScale = wanted;
    apply();
    Q_EMIT changed();
}

void Theme::setReducedMotion(bool on)
{
    if (on == m_reducedMotion)
        return;
    m_reducedMotion = on;
    Q_EMIT changed();
}

QPalette Theme::palette() const
{
    QPalette p;
    const auto all = [&](QPalette::ColorRole to, Role from) { p.setColor(to, color(from)); };
    all(QPalette::Window, Role::Window);
    all(QPalette::WindowText, Role::Text);
    all(QPalette::Base, Role::Surface);
    all(QPalette::AlternateBase, Role::Surface2);
    all(QPalette::Text, Role::Text);
    all(QPalette::Button, Role::Surface);
    all(QPalette::ButtonText, Role::Text);
    all(QPalette::BrightText, Role::Error);
    all(QPalette::Light, Role::Surface);
    all(QPalette::Midlight, Role::Surface2);
    all(QPalette::Mid, Role::Border);
    all(QPalette::Dark, Role::BorderStrong);
    all(QPalette::Shadow, Role::BorderStrong);
    all(QPalette::Highlight, Role::Selection);
    all(QPalette::HighlightedText, Role::Text);
    all(QPalette::Link, Role::Link);
    all(QPalette::LinkVisited, Role::SyntaxPreprocessor);
    all(QPalette::PlaceholderText, Role::Text3);
    all(QPalette::ToolTipBase, Role::Surface);
    all(QPalette::ToolTipText, Role::Text);
    for (const auto to : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, to, color(Role::Text3));
    return p;
}

void Theme::apply()
{
    auto* application = qobject_cast<QApplication*>(QCoreApplication::instance());
    if (m_scope == Scope::Detached || !application || m_colors.isEmpty())
        return;
    if (application->property("ridgeStyle").isNull()) {
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
        application->setProperty("ridgeStyle", true);
    }
    QApplication::setPalette(palette());
    // Every widget is told of a font, even of the same one, and that takes as long as the colours do.
    if (const QFont body = font(TextStyle::Body); QApplication::font() != body)
        QApplication::setFont(body);
    Restyler::of(*this).setStyleSheet(*application, styleSheet());
}

} // namespace ridge::app

#include "moc_theme.cpp"
