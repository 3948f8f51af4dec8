// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/lab/sweep_editor.h"

#include "app/ui/elided_box.h"
#include "app/ui/panels.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <algorithm>
#include <cmath>

namespace ridge::app {

SweepEditor::SweepEditor(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setAccessibleName(tr("Sweep"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::s);
    grid->setVerticalSpacing(space::xs);
    grid->setColumnStretch(0, 2);
    grid->setColumnStretch(1, 3);
    for (int row = 0; row < 3; ++row)
        makeRow(row);
}

void SweepEditor::makeRow(int index)
{
    Row& row = m_rows[static_cast<std::size_t>(index)];
    row.parameter = new ElidedBox;
    row.parameter->setAccessibleName(tr("Swept parameter %1").arg(index + 1));
    row.parameter->setToolTip(tr("Which parameter changes from run to run"));
    row.parameter->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    row.values = new QLineEdit;
    row.values->setAccessibleName(tr("Values of swept parameter %1").arg(index + 1));
    row.values->setPlaceholderText(tr("1..128:log2"));
    row.values->setToolTip(tr("1..128:log2 doubles, 0..64:8 steps by 8, 1..33 steps by 1, 1,2,5 lists"));
    row.note = makeText(m_theme, {}, TextStyle::Caption, QStringLiteral("hint"));
    auto* grid = static_cast<QGridLayout*>(layout());
    grid->addWidget(row.parameter, index * 2, 0);
    grid->addWidget(row.values, index * 2, 1);
    grid->addWidget(row.note, index * 2 + 1, 0, 1, 2);
    connect(row.parameter, &QComboBox::activated, this, [this, index] { pick(index); });
    connect(row.values, &QLineEdit::textChanged, this, [this] {
        validate();
        Q_EMIT changed();
    });
}

void SweepEditor::setParameters(std::vector<ParamSpec> specs, const std::string& first, const std::string& targetClass)
{
    m_specs = std::move(specs);
    m_targetClass = targetClass;
    for (Row& row : m_rows) {
        const QSignalBlocker quiet(row.values);
        row.parameter->clear();
        row.parameter->addItem(tr("Nothing"), QString());
        for (const ParamSpec& each : m_specs)
            row.parameter->addItem(QString::fromStdString(each.title), QString::fromStdString(each.name));
        row.values->clear();
    }
    if (const ParamSpec* swept = spec(QString::fromStdString(first)))
        setAxis(0, QString::fromStdString(swept->name), defaultRange(*swept, m_targetClass));
    validate();
    Q_EMIT changed();
}

const ParamSpec* SweepEditor::spec(const QString& name) const
{
    const auto found = std::find_if(m_specs.begin(), m_specs.end(), [&name](const ParamSpec& each) {
        return QString::fromStdString(each.name) == name;
    });
    return found == m_specs.end() ? nullptr : &*found;
}

QString SweepEditor::defaultRange(const ParamSpec& spec, const std::string& targetClass)
{
    if (const auto own = spec.sweepFor.find(targetClass); own != spec.sweepFor.end())
        return QString::fromStdString(own->second);
    if (!spec.choices.empty()) {
        QStringList values;
        for (const ParamValue& value : spec.choices)
            values << QString::fromStdString(toText(value));
        return values.join(QLatin1Char(','));
    }
    if (spec.type == ParamType::Text)
        return {}; // words and files are listed by whoever has them
    const QString from = QString::fromStdString(toText(
        spec.type == ParamType::Integer ? ParamValue(static_cast<std::int64_t>(spec.min)) : ParamValue(spec.min)));
    const QString to = QString::fromStdString(toText(
        spec.type == ParamType::Integer ? ParamValue(static_cast<std::int64_t>(spec.max)) : ParamValue(spec.max)));
    if (spec.scale == ParamScale::Log2 && spec.min > 0)
        return QStringLiteral("%1..%2:log2").arg(from, to);
    const double span = spec.max - spec.min;
    if (spec.type == ParamType::Integer && span <= 32)
        return QStringLiteral("%1..%2").arg(from, to);
    const double step = spec.type == ParamType::Integer ? std::ceil(span / 16) : span / 16;
    return QStringLiteral("%1..%2:%3").arg(from, to).arg(step);
}

void SweepEditor::pick(int index)
{
    Row& row = m_rows[static_cast<std::size_t>(index)];
    const ParamSpec* chosen = spec(row.parameter->currentData().toString());
    row.values->setText(chosen ? defaultRange(*chosen, m_targetClass) : QString());
    row.values->setCursorPosition(0); // of a long list the beginning is shown
    validate();
    Q_EMIT changed();
}

void SweepEditor::setAxes(const std::vector<std::string>& sweep)
{
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        const QString text = row < sweep.size() ? QString::fromStdString(sweep[row]) : QString();
        setAxis(static_cast<int>(row), text.section(QLatin1Char('='), 0, 0), text.section(QLatin1Char('='), 1));
    }
}

void SweepEditor::setAxis(int row, const QString& parameter, const QString& values)
{
    Row& target = m_rows[static_cast<std::size_t>(row)];
    target.parameter->setCurrentIndex(std::max(0, target.parameter->findData(parameter)));
    target.values->setText(values);
    target.values->setCursorPosition(0);
    validate();
}

QStringList SweepEditor::names() const
{
    QStringList names;
    for (const Row& row : m_rows)
        if (!row.parameter->currentData().toString().isEmpty())
            names << row.parameter->currentData().toString();
    return names;
}

Result<SweepAxis> SweepEditor::read(const Row& row) const
{
    const std::string name = row.parameter->currentData().toString().toStdString();
    const std::string values = row.values->text().trimmed().toStdString();
    if (values.empty())
        return Error{"bad-sweep", "there are no values to sweep over", name,
                     "write 1..128:log2 (doubling), 0..64:8 (in steps) or 1,2,4"};
    return parseSweep(m_specs, name + "=" + values);
}

std::vector<std::string> SweepEditor::texts() const
{
    std::vector<std::string> texts;
    for (const Row& row : m_rows)
        if (const QString name = row.parameter->currentData().toString(); !name.isEmpty())
            texts.push_back(name.toStdString() + '=' + row.values->text().trimmed().toStdString());
    return texts;
}

Result<std::vector<SweepAxis>> SweepEditor::axes() const
{
    std::vector<SweepAxis> axes;
    for (const Row& row : m_rows) {
        const QString name = row.parameter->currentData().toString();
        if (name.isEmpty())
            continue;
        for (const SweepAxis& other : axes)
            if (QString::fromStdString(other.name) == name)
                return Error{"bad-sweep", "The parameter " + name.toStdString() + " is swept twice.",
                             name.toStdString(), "Choose another parameter or Nothing in one of the rows."};
        auto axis = read(row);
        if (!axis)
            return axis.error();
        axes.push_back(std::move(axis.value()));
    }
    return axes;
}

void SweepEditor::validate()
{
    bool open = true;
    for (Row& row : m_rows) {
        const QString name = row.parameter->currentData().toString();
        // The next row is offered only when the one before is in use: most sweeps have one parameter.
        row.parameter->setVisible(open);
        row.values->setVisible(open && !name.isEmpty());
        row.note->setVisible(open && !name.isEmpty());
        open = open && !name.isEmpty();
        if (name.isEmpty())
            continue;
        const auto axis = read(row);
        row.note->setText(axis ? tr("%1 values").arg(axis->values.size()) : whatIsWrong(axis.error()));
        setTone(row.note, axis ? QStringLiteral("hint") : QStringLiteral("error"));
    }
}

} // namespace ridge::app

#include "moc_sweep_editor.cpp"
