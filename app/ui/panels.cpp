// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/panels.h"

#include "app/theme/restyler.h"
#include "app/theme/type_tokens.h"
#include "app/ui/icons.h"
#include "app/ui/scrolled.h"
#include "app/ui/sized_label.h"

#include <QAbstractItemView>
#include <QCoreApplication>
#include <QDateTime>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>
#include <QScrollBar>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

namespace ridge::app {

QLabel* makeLabel(Theme& theme, const QString& text, TextStyle style, const QString& tone)
{
    auto* label = new SizedLabel(text);
    label->setFont(theme.font(style));
    followTheme(theme, label, [&theme, label, style] { label->setFont(theme.font(style)); });
    if (!tone.isEmpty())
        label->setProperty("tone", tone);
    return label;
}

QLabel* makeText(Theme& theme, const QString& text, TextStyle style, const QString& tone)
{
    QLabel* label = makeLabel(theme, text, style, tone);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

void setTone(QLabel* label, const QString& tone)
{
    if (label->property("tone").toString() == tone)
        return;
    label->setProperty("tone", tone);
    label->style()->unpolish(label);
    label->style()->polish(label);
}

QString asSentence(const QString& text)
{
    QString sentence = text.trimmed();
    if (sentence.isEmpty())
        return sentence;
    sentence[0] = sentence[0].toUpper();
    if (!QStringLiteral(".!?…").contains(sentence.back()))
        sentence += QLatin1Char('.');
    return sentence;
}

QString whatIsWrong(const Error& error)
{
    return (asSentence(QString::fromStdString(error.message)) + QLatin1Char(' ') +
            asSentence(QString::fromStdString(error.fix)))
        .trimmed();
}

QPushButton* makeButton(const QString& text, const QString& help, bool primary)
{
    auto* button = new QPushButton(text);
    button->setToolTip(help);
    button->setAccessibleDescription(help);
    button->setAutoDefault(true);
    button->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    if (primary)
        button->setProperty("primary", true);
    return button;
}

Card::Card(const QString& accessibleName, QWidget* parent) : QFrame(parent), m_column(new QVBoxLayout(this))
{
    setProperty("card", true);
    setAccessibleName(accessibleName);
    m_column->setContentsMargins(space::l, space::l, space::l, space::l);
    m_column->setSpacing(space::s);
}

ProvenanceBadge::ProvenanceBadge(Theme& theme, QWidget* parent) : QLabel(parent), m_theme(theme)
{
    setFont(theme.font(TextStyle::Caption));
    connect(&theme, &Theme::changed, this, [this] {
        setFont(m_theme.font(TextStyle::Caption));
        updateGeometry();
    });
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setProvenance(Provenance::Simulated);
}

void ProvenanceBadge::setProvenance(Provenance provenance)
{
    m_provenance = provenance;
    const auto label = shortLabel(provenance);
    setText(QString::fromLatin1(label.data(), static_cast<qsizetype>(label.size())));
    const auto full = toText(provenance);
    setAccessibleName(QString::fromLatin1(full.data(), static_cast<qsizetype>(full.size())));
    setAccessibleDescription(provenanceHelp(provenance));
    setToolTip(provenanceHelp(provenance));
    updateGeometry();
    update();
}

QSize ProvenanceBadge::sizeHint() const
{
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(text()) + 2 * space::s, metrics.height() + space::xs};
}

void ProvenanceBadge::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    // As in the charts: filled is measured, open is simulated, dotted is modelled; the word is there in any case.
    const bool filled = m_provenance == Provenance::Measured;
    QPen pen(m_theme.color(Role::BorderStrong), 1);
    if (m_provenance == Provenance::Modelled)
        pen.setStyle(Qt::DotLine);
    if (m_provenance == Provenance::Recorded)
        pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(filled ? QBrush(m_theme.color(Role::Text2)) : Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kControlRadius, kControlRadius);
    painter.setPen(m_theme.color(filled ? Role::Surface : Role::Text2));
    painter.drawText(rect(), Qt::AlignCenter, text());
}

QString provenanceHelp(Provenance provenance)
{
    switch (provenance) {
    case Provenance::Measured:
        return QObject::tr("Measured: timed or counted on real hardware in this run.");
    case Provenance::Simulated:
        return QObject::tr("Simulated: the simulator executed the same kernel; its counts are exact, its times come "
                           "from a timing model.");
    case Provenance::Modelled:
        return QObject::tr("Modelled: computed from a formula and a table of parameters.");
    case Provenance::Recorded:
        return QObject::tr("Recorded: measured earlier, on another machine whose fingerprint is kept with it.");
    }
    return {};
}

EmptyState::EmptyState(Theme& theme, const QString& title, const QString& text, const QString& button, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_body(nullptr)
{
    setAccessibleName(title);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* inner = new QWidget;
    inner->setAccessibleName(title);
    QScrollArea* scroll = scrolled(inner, title);
    scroll->setFocusPolicy(Qt::NoFocus);
    outer->addWidget(scroll);
    auto* column = new QVBoxLayout(inner);
    column->setSpacing(space::s);
    column->addStretch(2);
    auto* mark = new QLabel;
    const auto paint = [mark, &theme] {
        mark->setPixmap(iconPixmap(QStringLiteral("ridgepoint"), theme.color(Role::Text3), 64, 2.0));
    };
    paint();
    followTheme(theme, mark, paint);
    mark->setAlignment(Qt::AlignCenter);
    mark->setAccessibleName(tr("Prediction and result, joined"));
    column->addWidget(mark);
    QLabel* heading = makeLabel(theme, title, TextStyle::ReadH3);
    heading->setAlignment(Qt::AlignCenter);
    column->addWidget(heading);
    QLabel* body = makeText(theme, text, TextStyle::Body, QStringLiteral("muted"));
    body->setAlignment(Qt::AlignCenter);
    m_body = body;
    followTheme(theme, this, [this] { fit(); });
    column->addWidget(body, 0, Qt::AlignHCenter);
    if (!button.isEmpty()) {
        QPushButton* go = makeButton(button, text, true);
        connect(go, &QPushButton::clicked, this, &EmptyState::clicked);
        column->addSpacing(space::s);
        column->addWidget(go, 0, Qt::AlignHCenter);
    }
    column->addStretch(3);
}

// A box layout asks a wrapping label for its height before it knows the width; it is told both.
void EmptyState::fit()
{
    const int width = std::max(160, std::min(m_theme.scaled(440), this->width() - 2 * space::l));
    m_body->setFixedSize(width, m_body->heightForWidth(width));
}

void EmptyState::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

Banner::Banner(Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_icon(new QLabel), m_message(makeText(theme, {}, TextStyle::Strong)),
      m_fix(makeText(theme, {}, TextStyle::Body, QStringLiteral("muted"))), m_close(new QToolButton)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(space::l, space::s, space::s, space::s);
    row->setSpacing(space::m);
    m_icon->setAccessibleName(tr("Notice"));
    row->addWidget(m_icon, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(2);
    column->addWidget(m_message);
    column->addWidget(m_fix);
    row->addLayout(column, 1);
    setThemedIcon(theme, m_close, QStringLiteral("close"));
    m_close->setAccessibleName(tr("Close this message"));
    m_close->setToolTip(tr("Close this message"));
    connect(m_close, &QToolButton::clicked, this, [this] {
        hide();
        Q_EMIT closed();
    });
    row->addWidget(m_close, 0, Qt::AlignTop);
    followTheme(theme, this, [this] { setMessage(m_message->text(), m_fix->text(), m_warning); });
    setMinimumWidth(0);
    hide();
}

void Banner::setError(const Error& error)
{
    QString message = asSentence(QString::fromStdString(error.message));
    if (!error.place.empty())
        message += QStringLiteral(" (") + QString::fromStdString(error.place) + QLatin1Char(')');
    setMessage(message, QString::fromStdString(error.fix), false);
}

void Banner::setMessage(const QString& message, const QString& fix, bool warning)
{
    m_warning = warning;
    m_message->setText(message);
    m_fix->setText(asSentence(fix));
    m_fix->setVisible(!fix.isEmpty());
    m_icon->setPixmap(iconPixmap(warning ? QStringLiteral("warning") : QStringLiteral("error"),
                                 m_theme.color(warning ? Role::Warn : Role::Error), 20, 2.0));
    setAccessibleName(text());
    update();
}

void Banner::setClosable(bool closable)
{
    m_close->setVisible(closable);
}

QPushButton* Banner::setAction(const QString& text, const QString& about)
{
    if (!m_action) {
        m_action = makeButton(text, about);
        auto* row = static_cast<QHBoxLayout*>(layout());
        row->insertWidget(row->indexOf(m_close), m_action, 0, Qt::AlignTop);
    }
    m_action->setText(text);
    m_action->setToolTip(about);
    return m_action;
}

QString Banner::text() const
{
    return m_fix->text().isEmpty() ? m_message->text() : m_message->text() + QLatin1Char(' ') + m_fix->text();
}

void Banner::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QColor edge = m_theme.color(m_warning ? Role::Warn : Role::Error);
    painter.fillRect(rect(), m_theme.color(Role::Surface));
    painter.fillRect(QRect(0, 0, space::xs, height()), edge);
    painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.color(Role::Border));
}

ColumnScroll::ColumnScroll(int width, const QString& accessibleName, QWidget* parent)
    : StillScroll(parent), m_width(width), m_body(new QWidget), m_column(nullptr)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(accessibleName);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* holder = new QWidget;
    holder->setAccessibleName(accessibleName);
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(space::xl, space::xxl, space::xl, space::xxl);
    m_body->setAccessibleName(accessibleName);
    m_body->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    fit();
    m_column = new QVBoxLayout(m_body);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(space::l);
    row->addStretch(1);
    row->addWidget(m_body, 1000);
    row->addStretch(1);
    setWidget(holder);
    viewport()->setAutoFillBackground(false);
    holder->setAutoFillBackground(false);
}

namespace {

/// Widgets of nested layouts belong to the same parent; deleting the layout alone would leave them standing.
void empty(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->layout())
            empty(item->layout());
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

} // namespace

void ColumnScroll::fit()
{
    const double larger = font().pointSizeF() / tokenFont(TextStyle::Body, 1).pointSizeF();
    m_body->setMaximumWidth(qRound(m_width * std::max(1.0, larger)));
}

void ColumnScroll::changeEvent(QEvent* event)
{
    StillScroll::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fit();
}

void ColumnScroll::clear()
{
    empty(m_column);
}

namespace {

class RowDelegate : public QStyledItemDelegate {
public:
    RowDelegate(Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return {QStyledItemDelegate::sizeHint(option, index).width(), m_theme.scaled(28)};
    }

private:
    Theme& m_theme;
};

} // namespace

void useRowHeight(Theme& theme, QAbstractItemView* view)
{
    view->setItemDelegate(new RowDelegate(theme, view));
    // Cells begin where the text of their header begins.
    view->setStyleSheet(QStringLiteral("QTreeView::item { padding: 0 5px; }"));
    followTheme(theme, view, [view] { view->doItemsLayout(); });
}

void setScrollFraction(QScrollArea* area, double fraction)
{
    QScrollBar* bar = area->verticalScrollBar();
    bar->setValue(static_cast<int>(std::lround(fraction * bar->maximum())));
}

double scrollFraction(const QScrollArea* area)
{
    const QScrollBar* bar = area->verticalScrollBar();
    return bar->maximum() > 0 ? static_cast<double>(bar->value()) / bar->maximum() : 0;
}

namespace {
/// Where nobody chose a locale, Qt's short form has seconds.
QString clockText(QTime time)
{
    return QLocale().language() == QLocale::C ? time.toString(QStringLiteral("HH:mm"))
                                              : QLocale().toString(time, QLocale::ShortFormat);
}
} // namespace

QString readableTime(const std::string& iso)
{
    const QDateTime then = QDateTime::fromString(QString::fromStdString(iso), Qt::ISODateWithMs).toLocalTime();
    if (!then.isValid())
        return QString::fromStdString(iso);
    const QDateTime now = QDateTime::currentDateTime();
    const qint64 seconds = then.secsTo(now);
    if (seconds >= 0 && seconds < 60)
        return QObject::tr("just now");
    if (seconds >= 0 && seconds < 3600)
        return QObject::tr("%1 min ago").arg(seconds / 60);
    const QString clock = clockText(then.time());
    if (then.date() == now.date())
        return QObject::tr("today %1").arg(clock);
    if (then.date() == now.date().addDays(-1))
        return QObject::tr("yesterday %1").arg(clock);
    return QLocale().toString(then.date(), QLocale::ShortFormat) + QLatin1Char(' ') + clock;
}

int timeColumnWidth(const Theme& theme)
{
    const QFontMetrics metrics(theme.font(TextStyle::Body));
    const QDate wide(2028, 12, 28); // digits are of one width, month and weekday names are not
    // Where the clock has no PM, none needs room.
    const QString late = clockText(QTime(22, 0));
    int widest = metrics.horizontalAdvance(QObject::tr("yesterday %1").arg(late));
    for (int month = 1; month <= 12; ++month)
        widest = std::max(widest, metrics.horizontalAdvance(
                                      QLocale().toString(QDate(wide.year(), month, wide.day()), QLocale::ShortFormat) +
                                      QLatin1Char(' ') + late));
    return widest + 2 * space::s + space::xs;
}

void openExportDialog(QWidget* parent, const QString& title, const QString& filters, const QString& name,
                      std::function<Result<void>(const QString& path)> write,
                      std::function<void(const QString& text, bool isError)> tell)
{
    auto* dialog = new QFileDialog(parent, title, {}, filters);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(name.section(QLatin1Char('.'), -1));
    dialog->selectFile(name);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).chopped(1));
    });
    QObject::connect(dialog, &QFileDialog::fileSelected, parent,
                     [write = std::move(write), tell = std::move(tell)](const QString& path) {
                         const auto written = write(path);
                         tell(written ? QCoreApplication::translate("Export", "Exported %1").arg(path)
                                      : QString::fromStdString(toText(written.error())),
                              !written);
                     });
    dialog->open();
}

} // namespace ridge::app

#include "moc_panels.cpp"
