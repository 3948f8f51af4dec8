// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/transport_bar.h"

#include <QtWidgets>
#include <cmath>

namespace ridge::app {
namespace {

enum class Glyph { Back, Play, Pause, Forward };

QIcon glyphIcon(Glyph glyph, const Theme& theme, double ratio)
{
    constexpr int size = 16;
    QIcon icon;
    for (const auto& [mode, role] :
         {std::pair{QIcon::Normal, Role::Text}, std::pair{QIcon::Disabled, Role::BorderStrong}}) {
        QPixmap pixmap(QSize(size, size) * ratio);
        pixmap.setDevicePixelRatio(ratio);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(role));
        switch (glyph) {
        case Glyph::Back:
            painter.drawRect(QRectF(3, 3, 2, 10));
            painter.drawPolygon(QPolygonF({{13, 3}, {6, 8}, {13, 13}}));
            break;
        case Glyph::Play:
            painter.drawPolygon(QPolygonF({{4, 2.5}, {13.5, 8}, {4, 13.5}}));
            break;
        case Glyph::Pause:
            painter.drawRect(QRectF(4, 3, 3, 10));
            painter.drawRect(QRectF(9, 3, 3, 10));
            break;
        case Glyph::Forward:
            painter.drawRect(QRectF(11, 3, 2, 10));
            painter.drawPolygon(QPolygonF({{3, 3}, {10, 8}, {3, 13}}));
            break;
        }
        painter.end();
        icon.addPixmap(pixmap, mode);
    }
    return icon;
}

// The slider moves evenly through 1, 2, 3, 5, 10 … steps a second.
constexpr int kSpeeds[] = {1, 2, 3, 5, 8, 12, 20, 30, 50, 100};
constexpr int kLastSpeed = static_cast<int>(std::size(kSpeeds)) - 1;

} // namespace

ScrubBar::ScrubBar(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    m_title = new QLabel;
    m_slider = new QSlider(Qt::Horizontal);
    m_slider->setPageStep(10);
    m_slider->setAccessibleName(tr("Frame"));
    m_slider->setToolTip(tr("Scrub: comma and full stop step by one, with Shift by 100; Page Up and Page Down where "
                            "the scene has a time axis"));
    m_position = new QLabel;
    m_position->setProperty("tone", QStringLiteral("hint"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::m);
    layout->addWidget(m_title);
    layout->addWidget(m_slider, 1);
    layout->addWidget(m_position);
    connect(m_slider, &QSlider::valueChanged, this, &ScrubBar::frameChosen);
    connect(&m_theme, &Theme::changed, this, &ScrubBar::restyle);
    setFrames({});
}

void ScrubBar::setFrames(const QStringList& titles)
{
    m_titles = titles;
    const QSignalBlocker quiet(m_slider);
    m_slider->setRange(0, std::max(0, static_cast<int>(titles.size()) - 1));
    m_slider->setEnabled(titles.size() > 1);
    m_slider->setVisible(titles.size() > 1);
    m_position->setVisible(titles.size() > 1);
    restyle();
}

void ScrubBar::setFrame(int frame)
{
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(frame);
    m_title->setText(m_titles.value(frame));
    m_position->setText(m_titles.isEmpty() ? QString() : tr("%1 of %2").arg(frame + 1).arg(m_titles.size()));
    m_slider->setAccessibleDescription(m_titles.value(frame));
}

void ScrubBar::restyle()
{
    m_title->setFont(m_theme.font(TextStyle::ChartTitle));
    // As wide as the longest title, so that the slider stands still under the hand.
    int widest = 0;
    for (const QString& title : m_titles)
        widest = std::max(widest, QFontMetrics(m_title->font()).horizontalAdvance(title));
    m_title->setMinimumWidth(std::min(widest + 2, 320));
    setFrame(m_slider->value());
}

TransportBar::TransportBar(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    m_back = button(tr("Step back"), tr("One step back (Shift+F7)"));
    m_play = button(tr("Play"), tr("Play or pause (Space)"));
    m_forward = button(tr("Step"), tr("One step: the next sector, wavefront or state (F7)"));
    m_table = button(tr("Show as table"), tr("Show the numbers behind the picture"));
    m_table->setText(tr("Table"));
    m_table->setCheckable(true);
    m_table->setProperty("outlined", true);
    m_speed = new QSlider(Qt::Horizontal);
    m_speed->setRange(0, kLastSpeed);
    m_speed->setFixedWidth(88);
    m_speed->setAccessibleName(tr("Steps per second"));
    m_speedText = new QLabel;
    m_speedText->setProperty("tone", QStringLiteral("hint"));
    m_zoomOut = button(tr("Zoom out"), tr("Show more of the time axis (−)"));
    m_zoomIn = button(tr("Zoom in"), tr("Show less of the time axis (+, or the wheel over it)"));
    m_zoomFit = button(tr("Show all"), tr("Show the whole time axis (Home)"));
    m_zoomOut->setText(QStringLiteral("−"));
    m_zoomIn->setText(QStringLiteral("+"));
    m_zoomFit->setText(tr("All"));
    m_requestText = new QLabel(tr("Request"));
    m_requestText->setProperty("tone", QStringLiteral("muted"));
    m_request = new QSpinBox;
    m_request->setAccessibleName(tr("Request of the warp"));
    m_request->setToolTip(tr("Which memory instruction is shown ([ and ])"));
    m_requestText->setBuddy(m_request);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::xs);
    for (QToolButton* each : {m_back, m_play, m_forward})
        layout->addWidget(each);
    layout->addSpacing(space::s);
    layout->addWidget(m_speed);
    layout->addSpacing(space::xs);
    layout->addWidget(m_speedText);
    layout->addSpacing(space::s);
    for (QToolButton* each : {m_zoomOut, m_zoomFit, m_zoomIn})
        layout->addWidget(each);
    layout->addStretch(1);
    layout->addWidget(m_requestText);
    layout->addSpacing(space::xs);
    layout->addWidget(m_request);
    layout->addSpacing(space::s);
    layout->addWidget(m_table);

    connect(m_back, &QToolButton::clicked, this, [this] { Q_EMIT stepped(-1); });
    connect(m_forward, &QToolButton::clicked, this, [this] { Q_EMIT stepped(1); });
    connect(m_play, &QToolButton::clicked, this, &TransportBar::playToggled);
    connect(m_speed, &QSlider::valueChanged, this, [this](int at) { Q_EMIT speedChosen(kSpeeds[at]); });
    connect(m_request, &QSpinBox::valueChanged, this, [this](int value) { Q_EMIT requestChosen(value - 1); });
    connect(m_zoomOut, &QToolButton::clicked, this, [this] { Q_EMIT zoomed(1 / 1.5); });
    connect(m_zoomIn, &QToolButton::clicked, this, [this] { Q_EMIT zoomed(1.5); });
    connect(m_zoomFit, &QToolButton::clicked, this, [this] { Q_EMIT zoomed(0); });
    connect(m_table, &QToolButton::toggled, this, &TransportBar::tableToggled);
    connect(&m_theme, &Theme::changed, this, &TransportBar::restyle);
    setSpeed(5);
    restyle();
}

QToolButton* TransportBar::button(const QString& name, const QString& tip)
{
    auto* made = new QToolButton;
    made->setAccessibleName(name);
    made->setToolTip(tip);
    made->setIconSize({16, 16});
    made->setFocusPolicy(Qt::StrongFocus);
    return made;
}

void TransportBar::setTracks(int count, int current, const QString& noun)
{
    const QSignalBlocker quiet(m_request);
    m_requestText->setText(noun);
    m_request->setAccessibleName(noun.isEmpty() ? tr("Request of the warp") : noun);
    m_request->setToolTip(tr("Which of them is shown ([ and ])"));
    m_request->setRange(1, std::max(1, count));
    m_request->setSuffix(tr(" of %1").arg(std::max(1, count)));
    m_request->setValue(current + 1);
    m_request->setVisible(count > 1);
    m_requestText->setVisible(count > 1);
}

void TransportBar::setZoomable(bool on)
{
    for (QToolButton* each : {m_zoomOut, m_zoomIn, m_zoomFit})
        each->setVisible(on);
}

void TransportBar::setPlaying(bool on)
{
    m_playing = on;
    m_play->setAccessibleName(on ? tr("Pause") : tr("Play"));
    m_play->setIcon(glyphIcon(on ? Glyph::Pause : Glyph::Play, m_theme, devicePixelRatioF()));
}

void TransportBar::setTable(bool on)
{
    m_table->setChecked(on);
}

void TransportBar::setSpeed(int stepsPerSecond)
{
    const QSignalBlocker quiet(m_speed);
    int nearest = 0;
    for (int i = 0; i <= kLastSpeed; ++i)
        if (std::abs(kSpeeds[i] - stepsPerSecond) < std::abs(kSpeeds[nearest] - stepsPerSecond))
            nearest = i;
    m_speed->setValue(nearest);
    m_speedText->setText(tr("%1/s").arg(stepsPerSecond));
    m_speed->setToolTip(tr("%1 steps per second").arg(stepsPerSecond));
    m_speed->setAccessibleDescription(m_speed->toolTip());
}

void TransportBar::setRunnable(bool shown, bool moves)
{
    m_table->setEnabled(shown);
    for (QWidget* each : {static_cast<QWidget*>(m_back), static_cast<QWidget*>(m_play),
                          static_cast<QWidget*>(m_forward), static_cast<QWidget*>(m_speed)})
        each->setEnabled(shown && moves);
}

void TransportBar::restyle()
{
    m_back->setIcon(glyphIcon(Glyph::Back, m_theme, devicePixelRatioF()));
    m_forward->setIcon(glyphIcon(Glyph::Forward, m_theme, devicePixelRatioF()));
    setPlaying(m_playing);
    m_speedText->setMinimumWidth(QFontMetrics(m_theme.font(TextStyle::Body)).horizontalAdvance(tr("%1/s").arg(100)));
}

} // namespace ridge::app

#include "moc_transport_bar.cpp"
