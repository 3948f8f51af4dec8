// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/parameter_form.h"

#include "app/drawing/charts/chart_text.h"
#include "app/theme/announce.h"
#include "app/ui/elided_box.h"
#include "app/ui/themed_label.h"
#include "app/ui/wheel_guard.h"
#include "base/number_text.h"
#include "base/units.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <cmath>

namespace ridge::app {

namespace {

constexpr int kSliderSteps = 400;
constexpr int kMostName = 150;   ///< at 100 % text
constexpr int kLeastSlider = 48; ///< shorter ones cannot be dragged with any care

ParamValue defaultOf(const ParamSpec& spec, const std::string& targetClass)
{
    const auto found = spec.defaultFor.find(targetClass);
    return found == spec.defaultFor.end() ? spec.defaultValue : found->second;
}

constexpr std::size_t kMostListed = 16; ///< more legal values than that are a slider and not a list
constexpr int kPartsOfOctave = 4;

/// Slider positions for a range: every legal value of a long list, every integer where they are few, powers of two on a
/// log scale (quarter octaves of a real number), else even steps.
struct Steps {
    const ParamSpec& spec;

    bool listed() const { return !spec.choices.empty(); }
    bool powers() const { return spec.scale == ParamScale::Log2 && spec.min > 0; }
    int parts() const { return spec.type == ParamType::Real ? kPartsOfOctave : 1; }
    bool unit() const { return spec.type == ParamType::Integer && spec.max - spec.min <= kSliderSteps; }
    int count() const
    {
        if (listed())
            return int(spec.choices.size()) - 1;
        if (powers())
            return int(std::floor(parts() * std::log2(spec.max / spec.min) + 1e-9));
        return unit() ? int(spec.max - spec.min) : kSliderSteps;
    }
    double value(int step) const
    {
        if (listed())
            return asNumber(spec.choices[std::size_t(step)]).value_or(spec.min);
        if (powers() && step % parts() == 0)
            return spec.min * std::exp2(step / parts());
        if (powers()) // three digits are enough between the powers
            return leadingNumber(formatNumber(spec.min * std::exp2(double(step) / parts())));
        return unit() ? spec.min + step : spec.min + (spec.max - spec.min) * step / count();
    }
    int step(double value) const
    {
        if (listed()) {
            const auto nearer = [value](const ParamValue& a, const ParamValue& b) {
                return std::abs(asNumber(a).value_or(0) - value) < std::abs(asNumber(b).value_or(0) - value);
            };
            return int(std::min_element(spec.choices.begin(), spec.choices.end(), nearer) - spec.choices.begin());
        }
        if (powers())
            return int(std::lround(parts() * std::log2(std::max(value, spec.min) / spec.min)));
        return int(std::lround((value - spec.min) / (spec.max - spec.min) * count()));
    }
};

ParamValue typed(const ParamSpec& spec, double value)
{
    if (spec.type == ParamType::Integer)
        return std::int64_t(std::llround(value));
    return value;
}

} // namespace

ParameterForm::ParameterForm(Theme& theme, std::vector<ParamSpec> specs, const ParamSet& values,
                             const std::string& targetClass, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_specs(std::move(specs))
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::l);
    grid->setVerticalSpacing(space::xs);
    grid->setColumnStretch(1, 1);
    m_wrong = new ThemedLabel(m_theme, {}, TextStyle::Caption, "error", this);
    m_wrong->setObjectName(QStringLiteral("wrong"));
    m_wrong->setWordWrap(true);
    m_wrong->hide();
    for (const ParamSpec& spec : m_specs) {
        const auto given = values.find(spec.name);
        const auto checked =
            given == values.end() ? Result<ParamValue>(defaultOf(spec, targetClass)) : checkValue(spec, given->second);
        m_values[spec.name] = checked ? *checked : defaultOf(spec, targetClass);
        const bool list =
            spec.type == ParamType::Choice || (spec.scale == ParamScale::List && spec.choices.size() <= kMostListed);
        addRow(spec.type == ParamType::Text ? makeText(spec) : list ? makeChoice(spec) : makeRange(spec), spec);
        m_show[spec.name](m_values[spec.name]);
    }
    alignRows();
    connect(&m_theme, &Theme::changed, this, &ParameterForm::alignRows);
}

/// Fields of one width and units of one width: sliders end on one edge. Room for the longest value that is legal.
void ParameterForm::alignRows()
{
    const QFontMetrics metrics(m_theme.font(TextStyle::Body));
    int field = m_theme.scaled(84), unit = 0;
    for (const RangeRow& row : m_ranges) {
        for (const double end : {row.spec->min, row.spec->max})
            field = std::max(field, metrics.horizontalAdvance(QString::fromStdString(toText(typed(*row.spec, end)))) +
                                        2 * space::m + space::s);
        unit = std::max(unit, metrics.horizontalAdvance(row.unit->text()));
    }
    for (const RangeRow& row : m_ranges) {
        row.field->setFixedWidth(field);
        row.unit->setFixedWidth(unit);
        row.unit->setVisible(unit > 0);
    }
    // What the editors need, and what they need with the names beside them.
    m_least = m_theme.scaled(84);
    if (!m_ranges.empty())
        m_least = std::max(m_least, kLeastSlider + space::m + field + (unit > 0 ? space::m + unit : 0));
    m_beside = m_least + space::l + nameWidth(metrics);
    arrange();
}

/// Of the column of names where it stands beside the editors: a long name takes a second line.
int ParameterForm::nameWidth(const QFontMetrics& metrics) const
{
    int width = 0;
    for (const Row& row : m_rows)
        width = std::max(width, metrics.horizontalAdvance(row.name->text()));
    return std::min(width, m_theme.scaled(kMostName));
}

void ParameterForm::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (m_above != (width() < m_beside))
        arrange();
}

QSize ParameterForm::minimumSizeHint() const
{
    return {m_least, layout()->totalMinimumSize().height()};
}

/// Names beside their editors, or above them where there is no room for both.
void ParameterForm::arrange()
{
    m_above = width() < m_beside;
    auto* grid = static_cast<QGridLayout*>(layout());
    const QFontMetrics metrics(m_theme.font(TextStyle::Body));
    const int most = m_theme.scaled(kMostName);
    int at = 0;
    for (const Row& row : m_rows) {
        grid->removeWidget(row.head);
        grid->removeWidget(row.editor);
        const bool isLong = metrics.horizontalAdvance(row.name->text()) > most;
        row.name->setWordWrap(m_above || isLong);
        row.name->setMinimumWidth(!m_above && isLong ? most : 0);
        row.name->setMaximumWidth(!m_above && isLong ? most : QWIDGETSIZE_MAX);
        const auto side = qobject_cast<QComboBox*>(row.editor) ? Qt::AlignLeft : Qt::Alignment();
        if (m_above) {
            grid->addWidget(row.head, at++, 0, 1, 2);
            grid->addWidget(row.editor, at++, 0, 1, 2, side);
        } else {
            grid->addWidget(row.head, at, 0, Qt::AlignVCenter);
            grid->addWidget(row.editor, at++, 1, side);
        }
    }
    grid->addWidget(m_wrong, at, 0, 1, 2);
    updateGeometry();
}

void ParameterForm::addRow(QWidget* editor, const ParamSpec& spec)
{
    const QString help = QString::fromStdString(spec.help);
    auto* head = new QWidget(this);
    auto* lines = new QVBoxLayout(head);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    auto* name = new ThemedLabel(m_theme, QString::fromStdString(spec.title), TextStyle::Body, "muted", head);
    name->setToolTip(help);
    editor->setToolTip(help);
    lines->addWidget(name);
    if (!qobject_cast<QComboBox*>(editor) && takesPrefix(spec.unit)) {
        // 268435456 is read as "256 MiB"; below the name it takes no room from the slider.
        auto* words = new ThemedLabel(m_theme, {}, TextStyle::Caption, "hint", head);
        words->setWordWrap(false);
        words->setObjectName(QStringLiteral("words:") + QString::fromStdString(spec.name));
        m_words[spec.name] = words;
        lines->addWidget(words);
    }
    m_rows.push_back({head, name, editor});
}

QWidget* ParameterForm::makeChoice(const ParamSpec& spec)
{
    auto* box = new ElidedBox(this);
    box->setMinimumWidth(m_theme.scaled(84)); // a panel may be narrower than the longest name
    connect(&m_theme, &Theme::changed, box, [this, box] { box->setMinimumWidth(m_theme.scaled(84)); });
    ignoreWheel(box);
    box->setObjectName(QStringLiteral("param:") + QString::fromStdString(spec.name));
    box->setAccessibleName(QString::fromStdString(spec.title));
    box->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    for (const ParamValue& choice : spec.choices) {
        QString text = QString::fromStdString(valueText(spec, choice));
        const bool named = asNumber(choice) && text != QString::fromStdString(toText(choice)); // "as few as fit"
        if (!spec.unit.empty() && !takesPrefix(spec.unit) && !named)
            text += QLatin1Char(' ') + QString::fromStdString(spec.unit);
        box->addItem(text);
    }
    connect(box, &QComboBox::activated, this, [this, &spec](int index) {
        if (index >= 0)
            take(spec.name, spec.choices[std::size_t(index)]);
    });
    m_show[spec.name] = [box, &spec](const ParamValue& value) {
        const auto found = std::ranges::find(spec.choices, value);
        box->setCurrentIndex(found == spec.choices.end() ? -1 : int(found - spec.choices.begin()));
    };
    return box;
}

QWidget* ParameterForm::makeRange(const ParamSpec& spec)
{
    auto* holder = new QWidget(this);
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::m);
    auto* slider = new QSlider(Qt::Horizontal, holder);
    auto* field = new QLineEdit(holder);
    const QString title = QString::fromStdString(spec.title);
    const QString unit = QString::fromStdString(spec.unit);
    slider->setRange(0, Steps{spec}.count());
    slider->setPageStep(std::max(1, slider->maximum() / 8));
    slider->setObjectName(QStringLiteral("slider:") + QString::fromStdString(spec.name));
    slider->setAccessibleName(tr("%1, slider").arg(title));
    field->setObjectName(QStringLiteral("param:") + QString::fromStdString(spec.name));
    field->setAccessibleName(unit.isEmpty() ? title : tr("%1 in %2").arg(title, unit));
    field->setAlignment(Qt::AlignRight);
    row->addWidget(slider, 1);
    row->addWidget(field);
    auto* unitLabel =
        new ThemedLabel(m_theme, takesPrefix(spec.unit) ? QString() : unit, TextStyle::Body, "hint", holder);
    unitLabel->setWordWrap(false);
    row->addWidget(unitLabel);
    m_ranges.push_back({&spec, field, unitLabel});
    ignoreWheel(slider);
    connect(slider, &QSlider::valueChanged, this,
            [this, &spec](int step) { take(spec.name, typed(spec, Steps{spec}.value(step))); });
    connect(field, &QLineEdit::editingFinished, this, [this, &spec, field] {
        const auto value = parseValue(spec, field->text().trimmed().toStdString());
        if (value)
            take(spec.name, *value);
        else
            refuse(spec, value.error());
    });
    m_show[spec.name] = [this, &spec, slider, field](const ParamValue& value) {
        field->setText(QString::fromStdString(ridge::toText(value)));
        if (const auto words = m_words.find(spec.name); words != m_words.end())
            words->second->setText(QString::fromStdString(formatQuantity(asNumber(value).value_or(0), spec.unit)));
        const QSignalBlocker quiet(slider);
        slider->setValue(Steps{spec}.step(asNumber(value).value_or(spec.min)));
    };
    return holder;
}

QWidget* ParameterForm::makeText(const ParamSpec& spec)
{
    auto* holder = new QWidget(this);
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::m);
    auto* field = new QLineEdit(holder);
    const QString title = QString::fromStdString(spec.title);
    field->setObjectName(QStringLiteral("param:") + QString::fromStdString(spec.name));
    field->setAccessibleName(title);
    field->setPlaceholderText(spec.file ? tr("No file") : tr("Nothing"));
    row->addWidget(field, 1);
    connect(field, &QLineEdit::editingFinished, this, [this, &spec, field] {
        QString text = field->text().trimmed();
        if (spec.file && text.startsWith(QStringLiteral("~/")))
            text = QDir::homePath() + text.mid(1);
        if (spec.file && !text.isEmpty())
            text = QFileInfo(text).absoluteFilePath(); // a worker has no folder of its own
        const auto value = parseValue(spec, text.toStdString());
        if (!value)
            return refuse(spec, value.error());
        take(spec.name, *value);
        m_show[spec.name](m_values[spec.name]);
    });
    if (spec.file) {
        auto* browse = new QPushButton(tr("Browse…"), holder);
        browse->setObjectName(QStringLiteral("browse:") + QString::fromStdString(spec.name));
        browse->setAccessibleName(tr("Browse for %1").arg(inSentence(title)));
        browse->setAutoDefault(false);
        row->addWidget(browse);
        connect(browse, &QPushButton::clicked, this, [this, &spec, title] { browseFor(spec, title); });
    }
    m_show[spec.name] = [field, &spec](const ParamValue& value) {
        const QString text = QString::fromStdString(ridge::toText(value));
        field->setText(text);
        field->setToolTip(spec.file && !text.isEmpty() ? text : QString::fromStdString(spec.help));
    };
    return holder;
}

/// Beside the file that is there; without one, in the home folder.
void ParameterForm::browseFor(const ParamSpec& spec, const QString& title)
{
    const QString now = QString::fromStdString(ridge::toText(m_values[spec.name]));
    const QString filters = spec.fileFilter.empty()
                                ? QString()
                                : QString::fromStdString(spec.fileFilter) + QStringLiteral(";;") + tr("All files (*)");
    auto* dialog = new QFileDialog(this, title, now.isEmpty() ? QDir::homePath() : QFileInfo(now).path(), filters);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, &spec](const QString& file) {
        if (const auto value = checkValue(spec, ParamValue(file.toStdString())))
            take(spec.name, *value);
    });
    dialog->open();
}

void ParameterForm::setValue(const std::string& name, const ParamValue& value)
{
    take(name, value);
}

/// A field that puts back what was there without a word would look broken.
void ParameterForm::refuse(const ParamSpec& spec, const Error& error)
{
    m_show[spec.name](m_values[spec.name]);
    m_wrong->setText(tr("%1: %2; %3. It stays %4.")
                         .arg(QString::fromStdString(spec.title), QString::fromStdString(error.message),
                              QString::fromStdString(error.fix),
                              QString::fromStdString(valueText(spec, m_values[spec.name]))));
    m_wrong->show();
    announce(this, m_wrong->text());
}

void ParameterForm::take(const std::string& name, const ParamValue& value)
{
    const auto show = m_show.find(name);
    if (show == m_show.end())
        return;
    m_wrong->hide();
    const bool same = m_values[name] == value;
    m_values[name] = value;
    show->second(value);
    if (!same)
        Q_EMIT changed();
}

} // namespace ridge::app

#include "moc_parameter_form.cpp"
