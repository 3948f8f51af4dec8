// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "lessons/formula_index.h"

#include <QTextCharFormat>
#include <QTextObjectInterface>
#include <filesystem>
#include <memory>

class QSvgRenderer;

namespace ridge::app {

/// The formulas drawn when lessons were authored, read once and recoloured when the theme changes. GUI thread.
class FormulaLibrary {
public:
    FormulaLibrary(Theme& theme, std::filesystem::path dataFolder);

    struct Drawn {
        lessons::FormulaAsset asset;
        std::shared_ptr<QSvgRenderer> renderer;
    };
    /// Null where the asset is missing or damaged.
    const Drawn* find(const std::string& asset);
    /// Its reading for a screen reader; the TeX itself where there is no asset.
    QString spoken(const std::string& asset, const QString& tex);

private:
    Theme& m_theme;
    std::filesystem::path m_data;
    std::map<std::string, lessons::FormulaAsset> m_index;
    QString m_inkOf; ///< theme the renderers were made for
    std::map<std::string, std::optional<Drawn>> m_drawn;
};

/// The SVG with its black ink replaced by `ink`.
QByteArray recoloured(const QByteArray& svg, const QColor& ink);

/// Draws formulas inside a QTextDocument, on the text's baseline. One a document.
class FormulaObject : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)
public:
    static constexpr int kType = QTextFormat::UserObject + 1;
    FormulaObject(FormulaLibrary& library, Theme& theme, QObject* parent);

    /// Format of one formula; `display` stands on its own line. A missing asset shows the TeX in italics.
    QTextCharFormat format(const std::string& asset, const QString& tex, const QFont& font, bool display);
    static QString spoken(const QTextCharFormat& format);

    QSizeF intrinsicSize(QTextDocument* document, int position, const QTextFormat& format) override;
    void drawObject(QPainter* painter, const QRectF& rect, QTextDocument* document, int position,
                    const QTextFormat& format) override;

private:
    FormulaLibrary& m_library;
    Theme& m_theme;
};

} // namespace ridge::app
