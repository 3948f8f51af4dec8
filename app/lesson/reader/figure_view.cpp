// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/figure_view.h"

#include "app/theme/accessible_role.h"
#include "base/experiment_info.h"

#include <QPainter>
#include <QSvgRenderer>

namespace ridge::app {

Result<QByteArray> themedSvg(const QByteArray& svg, const Theme& theme, const std::string& place)
{
    QHash<QByteArray, QByteArray> colors;
    std::vector<std::string> known;
    for (const Role role : Theme::roles()) {
        known.push_back(Theme::key(role).toStdString());
        colors.insert(QByteArray::fromStdString(known.back()), theme.color(role).name().toLatin1());
    }
    QByteArray out;
    out.reserve(svg.size());
    qsizetype from = 0;
    for (qsizetype open = svg.indexOf('{'); open >= 0; open = svg.indexOf('{', from)) {
        const qsizetype close = svg.indexOf('}', open);
        const QByteArray name = close < 0 ? svg.mid(open + 1, 20) : svg.mid(open + 1, close - open - 1);
        const auto color = colors.constFind(name);
        if (close < 0 || color == colors.constEnd()) {
            std::string near;
            for (const std::string& each : nearestNames(name.toStdString(), known))
                near += (near.empty() ? "" : ", ") + each;
            return Error{"unknown-role",
                         "The figure asks for the colour {" + name.toStdString() + "}, which no theme has.", place,
                         near.empty() ? "Use a role of assets/themes/light.json, as {accent}."
                                      : "Did you mean " + near + "?"};
        }
        out += svg.mid(from, open - from) + *color;
        from = close + 1;
    }
    return out + svg.mid(from);
}

FigureView::FigureView(Theme& theme, QByteArray svg, const std::string& place, const QString& alt, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_svg(std::move(svg)), m_place(place),
      m_renderer(std::make_unique<QSvgRenderer>())
{
    setAccessibleRole(this, QAccessible::Graphic);
    setAccessibleName(tr("Figure"));
    setAccessibleDescription(alt);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_renderer->setAspectRatioMode(Qt::KeepAspectRatio);
    connect(&theme, &Theme::changed, this, &FigureView::recolour);
    recolour();
}

FigureView::~FigureView() = default;

void FigureView::recolour()
{
    m_error.reset();
    auto svg = themedSvg(m_svg, m_theme, m_place);
    if (!svg)
        m_error = svg.error();
    else if (!m_renderer->load(*svg) || m_renderer->viewBoxF().isEmpty())
        m_error = Error{"bad-figure", "The figure is no SVG that can be drawn.", m_place,
                        "Check it with: ridge lesson lint; it needs a viewBox and the elements of SVG Tiny 1.2."};
    update();
}

QSize FigureView::sizeHint() const
{
    const int width = m_theme.scaled(680);
    return {width, heightForWidth(width)};
}

int FigureView::heightForWidth(int width) const
{
    const QRectF box = m_renderer->viewBoxF();
    return box.isEmpty() ? m_theme.scaled(space::xl) : qCeil(width * box.height() / box.width());
}

void FigureView::paintEvent(QPaintEvent*)
{
    if (m_error)
        return;
    QPainter painter(this);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    m_renderer->render(&painter, QRectF(rect()));
}

} // namespace ridge::app

#include "moc_figure_view.cpp"
