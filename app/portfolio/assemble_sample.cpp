// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/assemble_sample.h"

#include "app/theme/kept_units.h"
#include "app/ui/panels.h"
#include "base/json.h"
#include "base/units.h"

#include <QDesktopServices>
#include <QHBoxLayout>
#include <QPainter>
#include <QSettings>
#include <QSvgRenderer>
#include <QUrl>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

const QString kHidden = QStringLiteral("portfolio/sampleHidden");

/// QtSvg takes a list of families for the name of one, and then draws in whatever the system has.
QByteArray withOneFamily(const std::filesystem::path& file)
{
    const auto svg = readFile(file);
    return svg ? QByteArray::fromStdString(*svg).replace("font-family=\"Inter, sans-serif\"", "font-family=\"Inter\"")
               : QByteArray();
}

/// A chart of the sample as it was exported: on paper, in the light theme.
class SampleChart : public QWidget {
public:
    SampleChart(Theme& theme, const std::filesystem::path& file, const QString& summary)
        : m_theme(theme), m_renderer(withOneFamily(file))
    {
        setAccessibleName(summary);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        setFixedHeight(sizeHint().height());
    }
    QSize sizeHint() const override
    {
        const QSizeF whole = m_renderer.defaultSize();
        return whole.isEmpty() ? QSize(320, 40)
                               : QSize(m_theme.scaled(560), int(m_theme.scaled(560) * whole.height() / whole.width()));
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        QSizeF size = m_renderer.defaultSize();
        size.scale(QSizeF(this->size()), Qt::KeepAspectRatio);
        m_renderer.render(&painter, QRectF(QPointF(0, 0), size));
    }

private:
    Theme& m_theme;
    QSvgRenderer m_renderer;
};

QString text(const Json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

std::filesystem::path folderOf(const AppContext& context)
{
    return context.dataFolder() / "assets/samples/portfolio";
}

} // namespace

AssembleSample::AssembleSample(AppContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_scroll(new ColumnScroll(840, tr("Sample portfolio")))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
}

QWidget* AssembleSample::pane() const
{
    return m_scroll;
}

Result<void> AssembleSample::load()
{
    if (m_loaded)
        return {};
    const std::filesystem::path folder = folderOf(m_context);
    const auto bytes = readFile(folder / "manifest.json");
    if (!bytes)
        return bytes.error();
    const auto manifest = parseJson(*bytes, (folder / "manifest.json").string());
    if (!manifest)
        return manifest.error();
    Theme& theme = m_context.theme();
    QVBoxLayout* column = m_scroll->column();
    column->setSpacing(space::l);
    column->addWidget(makeText(theme, tr("Sample portfolio: %1").arg(text(*manifest, "title")), TextStyle::ReadH1));
    column->addWidget(makeText(theme,
                               tr("This one ships with the program and cannot be changed. Its numbers come from "
                                  "the simulator and from a model; the author is invented."),
                               TextStyle::Body, QStringLiteral("muted")));
    auto* row = new QHBoxLayout;
    QPushButton* open = makeButton(tr("Open in the browser"), tr("Shows the pages as a reader gets them"), true);
    QPushButton* hide = makeButton(tr("Hide the sample"), tr("Takes it out of the portfolio page"));
    row->addWidget(open);
    row->addWidget(hide);
    row->addStretch(1);
    column->addLayout(row);
    connect(open, &QPushButton::clicked, this, [folder] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString((folder / "index.html").string())));
    });
    connect(hide, &QPushButton::clicked, this, [this] {
        setHidden(true);
        Q_EMIT m_context.openRequested(QStringLiteral("portfolio"));
    });
    for (const Json& artifact : manifest->value("artifacts", Json::array()))
        addArtifact(artifact, folder);
    column->addStretch(1);
    m_loaded = true;
    return {};
}

void AssembleSample::addArtifact(const Json& artifact, const std::filesystem::path& folder)
{
    Theme& theme = m_context.theme();
    auto* card = new Card(text(artifact, "title"));
    card->column()->addWidget(makeText(theme, text(artifact, "title"), TextStyle::ReadH3));
    card->column()->addWidget(makeText(theme, keptUnits(text(artifact, "claim")), TextStyle::ReadBody));
    const Json predictions = artifact.value("predictions", Json::array());
    const Json charts = artifact.value("charts", Json::array());
    if (!predictions.empty()) {
        const Json& first = predictions.front();
        const std::string unit = text(first, "unit").toStdString();
        const Json result = first.value("result", Json());
        QString said = tr("Predicted %1").arg(QString::fromStdString(formatQuantity(first.value("point", 0.0), unit)));
        if (result.is_number())
            said += tr(", result %1").arg(QString::fromStdString(formatQuantity(result.get<double>(), unit)));
        card->column()->addWidget(makeText(theme, said, TextStyle::Body, QStringLiteral("muted")));
    }
    if (!charts.empty())
        card->column()->addWidget(new SampleChart(theme, folder / text(charts.front(), "file").toStdString(),
                                                  text(charts.front(), "summary")));
    card->column()->addWidget(makeText(theme, tr("Machine: %1").arg(text(artifact, "machine")), TextStyle::Body));
    const Json commands = artifact.value("commands", Json::array());
    if (!commands.empty() && commands.front().is_string())
        card->column()->addWidget(
            makeText(theme, QString::fromStdString(commands.front().get<std::string>()), TextStyle::Code));
    m_scroll->column()->addWidget(card);
}

bool AssembleSample::hidden()
{
    return QSettings().value(kHidden, false).toBool();
}

void AssembleSample::setHidden(bool hidden)
{
    QSettings().setValue(kHidden, hidden);
}

} // namespace ridge::app

#include "moc_assemble_sample.cpp"
