// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/several_values.h"

#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/themed_label.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QVBoxLayout>

namespace ridge::app {

SeveralValues::SeveralValues(Theme& theme, const ParamSpec& spec, const std::string& values, QWidget* parent)
    : QWidget(parent), m_spec(spec)
{
    const QString title = QString::fromStdString(spec.title), help = QString::fromStdString(spec.help);
    setAccessibleName(title);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::xs);
    auto* name = new ThemedLabel(theme, title, TextStyle::Body, "muted", this);
    name->setToolTip(help);
    column->addWidget(name);
    if (spec.type != ParamType::Choice) {
        m_field = new QLineEdit(QString::fromStdString(values), this);
        m_field->setObjectName(QStringLiteral("several:") + QString::fromStdString(spec.name));
        m_field->setAccessibleName(tr("%1, several values").arg(title));
        m_field->setToolTip(help);
        m_field->setPlaceholderText(tr("1, 4, 16"));
        column->addWidget(m_field);
        column->addWidget(new ThemedLabel(theme, tr("Several values, with commas between them: one press runs each."),
                                          TextStyle::Caption, "hint", this));
        connect(m_field, &QLineEdit::editingFinished, this, &SeveralValues::changed);
        return;
    }
    auto* bar = new QWidget(this);
    bar->setAccessibleName(title);
    auto* row = new FlowLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::m);
    for (const ParamValue& choice : spec.choices) {
        auto* box = new QCheckBox(QString::fromStdString(valueText(spec, choice)), bar);
        box->setObjectName(QString::fromStdString("several:" + spec.name + ":" + toText(choice)));
        box->setToolTip(help);
        row->addWidget(box);
        m_boxes.push_back(box);
        connect(box, &QAbstractButton::toggled, this, &SeveralValues::changed);
    }
    column->addWidget(bar);
    if (const auto axis = parseSweep(std::span(&m_spec, 1), m_spec.name + "=" + values))
        setValues(axis->values);
}

std::string SeveralValues::axis() const
{
    if (m_field) {
        QString text = m_field->text();
        text.remove(QLatin1Char(' '));
        return m_spec.name + "=" + text.toStdString();
    }
    std::string text;
    for (std::size_t i = 0; i < m_boxes.size(); ++i)
        if (m_boxes[i]->isChecked())
            text += (text.empty() ? "" : ",") + toText(m_spec.choices[i]);
    return m_spec.name + "=" + text;
}

void SeveralValues::setValues(const std::vector<ParamValue>& values)
{
    QStringList texts;
    for (const ParamValue& value : values)
        texts += QString::fromStdString(toText(value));
    if (m_field)
        m_field->setText(texts.join(QStringLiteral(", ")));
    for (std::size_t i = 0; i < m_boxes.size(); ++i)
        m_boxes[i]->setChecked(std::ranges::find(values, m_spec.choices[i]) != values.end());
    Q_EMIT changed();
}

} // namespace ridge::app

#include "moc_several_values.cpp"
