// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/formula_library.h"

#include <QFontInfo>
#include <QPainter>
#include <QSvgRenderer>
#include <QTextDocument>

namespace ridge::app {

namespace {

enum Property { AssetProperty = QTextFormat::UserProperty + 1, TexProperty, SpokenProperty, DisplayProperty };

double emOf(const QFont& font)
{
    return QFontInfo(font).pixelSize();
}

} // namespace

FormulaLibrary::FormulaLibrary(Theme& theme, std::filesystem::path dataFolder)
    : m_theme(theme), m_data(std::move(dataFolder))
{
    // A broken index is reported by the linter; here each formula then shows its TeX.
    if (auto index = lessons::loadFormulaIndex(m_data))
        m_index = std::move(*index);
}

const FormulaLibrary::Drawn* FormulaLibrary::find(const std::string& asset)
{
    if (m_inkOf != m_theme.name()) {
        m_drawn.clear();
        m_inkOf = m_theme.name();
    }
    auto found = m_drawn.find(asset);
    if (found == m_drawn.end()) {
        std::optional<Drawn> drawn;
        const auto entry = m_index.find(asset);
        const auto bytes = readFile(m_data / "assets" / "formulas" / asset);
        if (entry != m_index.end() && bytes) {
            const QByteArray svg = recoloured(QByteArray::fromStdString(*bytes), m_theme.color(Role::Text));
            auto renderer = std::make_shared<QSvgRenderer>(svg);
            if (renderer->isValid())
                drawn = Drawn{entry->second, std::move(renderer)};
        }
        found = m_drawn.emplace(asset, std::move(drawn)).first;
    }
    return found->second ? &*found->second : nullptr;
}

QString FormulaLibrary::spoken(const std::string& asset, const QString& tex)
{
    const auto entry = m_index.find(asset);
    return entry == m_index.end() ? tex : QString::fromStdString(entry->second.spoken);
}

QByteArray recoloured(const QByteArray& svg, const QColor& ink)
{
    QByteArray out = svg;
    const QByteArray name = ink.name().toLatin1();
    for (const QByteArray& black : {QByteArray("#000000"), QByteArray("currentColor")})
        out.replace(black, name);
    const auto root = out.indexOf("<svg");
    const auto close = root < 0 ? -1 : out.indexOf('>', root);
    if (close > root && !out.mid(root, close - root).contains(" fill="))
        out.insert(root + 4, " fill=\"" + name + "\"");
    return out;
}

FormulaObject::FormulaObject(FormulaLibrary& library, Theme& theme, QObject* parent)
    : QObject(parent), m_library(library), m_theme(theme)
{
}

QTextCharFormat FormulaObject::format(const std::string& asset, const QString& tex, const QFont& font, bool display)
{
    QTextCharFormat format;
    format.setFont(font);
    format.setObjectType(kType);
    format.setProperty(AssetProperty, QString::fromStdString(asset));
    format.setProperty(TexProperty, tex);
    format.setProperty(SpokenProperty, m_library.spoken(asset, tex));
    format.setProperty(DisplayProperty, display);
    format.setToolTip(format.property(SpokenProperty).toString());
    return format;
}

QString FormulaObject::spoken(const QTextCharFormat& format)
{
    return format.property(SpokenProperty).toString();
}

QSizeF FormulaObject::intrinsicSize(QTextDocument*, int, const QTextFormat& format)
{
    const QFont font = format.toCharFormat().font();
    const auto* formula = m_library.find(format.property(AssetProperty).toString().toStdString());
    if (!formula) {
        const QFontMetricsF metrics(font);
        return {metrics.horizontalAdvance(format.property(TexProperty).toString()), metrics.ascent()};
    }
    const bool display = format.property(DisplayProperty).toBool();
    // Qt sets an inline object wholly above the baseline: only that part is declared, drawObject paints below it.
    const double above = formula->asset.height - (display ? 0 : formula->asset.baseline);
    return QSizeF(formula->asset.width, above) * emOf(font);
}

void FormulaObject::drawObject(QPainter* painter, const QRectF& rect, QTextDocument*, int, const QTextFormat& format)
{
    const QFont font = format.toCharFormat().font();
    const auto* formula = m_library.find(format.property(AssetProperty).toString().toStdString());
    painter->save();
    if (formula) {
        const QSizeF size = QSizeF(formula->asset.width, formula->asset.height) * emOf(font);
        formula->renderer->render(painter, QRectF(rect.topLeft(), size));
    } else {
        QFont italic = font;
        italic.setItalic(true);
        painter->setFont(italic);
        painter->setPen(m_theme.color(Role::Text));
        painter->drawText(rect.bottomLeft(), format.property(TexProperty).toString());
    }
    painter->restore();
}

} // namespace ridge::app

#include "moc_formula_library.cpp"
