// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/assemble_privacy.h"

#include <QCheckBox>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

QString examplesText(const folio::PrivacyItem& item)
{
    QStringList examples;
    for (const std::string& example : item.examples) {
        QString text = QString::fromStdString(example).simplified();
        if (text.size() > 36)
            text = text.left(35) + QStringLiteral("…");
        examples << text;
    }
    return examples.join(QStringLiteral(", "));
}

} // namespace

AssemblePrivacy::AssemblePrivacy(Theme& theme, QWidget* parent) : Card(tr("What a reader learns about you"), parent)
{
    column()->addWidget(makeText(theme, tr("What a reader learns about you"), TextStyle::ReadH3));
    column()->addWidget(makeText(theme, tr("Nothing of this is in the portfolio unless you turn it on."),
                                 TextStyle::Body, QStringLiteral("muted")));
    for (const folio::DetailText& text : folio::detailTexts()) {
        auto* box = new QCheckBox(QString::fromUtf8(text.title));
        box->setObjectName(QStringLiteral("show-") + QString::fromUtf8(text.key));
        box->setToolTip(QString::fromUtf8(text.effect));
        box->setAccessibleDescription(QString::fromUtf8(text.effect));
        QLabel* found = makeText(theme, QString::fromUtf8(text.effect), TextStyle::Caption, QStringLiteral("hint"));
        found->setContentsMargins(theme.scaled(24), 0, 0, 0);
        column()->addWidget(box);
        column()->addWidget(found);
        connect(box, &QCheckBox::toggled, this, &AssemblePrivacy::changed);
        m_switches.push_back({text.detail, box, found});
    }
}

folio::Shown AssemblePrivacy::shown() const
{
    folio::Shown shown;
    for (const Switch& one : m_switches)
        if (one.box->isChecked())
            shown.insert(one.detail);
    return shown;
}

void AssemblePrivacy::setShown(folio::Detail detail, bool shown)
{
    for (const Switch& one : m_switches)
        if (one.detail == detail)
            one.box->setChecked(shown);
}

void AssemblePrivacy::setPreview(const std::vector<folio::PrivacyItem>& items)
{
    for (const Switch& one : m_switches)
        for (const folio::PrivacyItem& item : items) {
            if (item.detail != one.detail)
                continue;
            const QString count = tr("%1 in these artifacts").arg(item.count);
            one.found->setText(item.count == 0 ? tr("Nothing of it was found in these artifacts.")
                               : item.shown    ? tr("Added: %1, for example %2").arg(count, examplesText(item))
                                               : tr("Left out: %1, for example %2").arg(count, examplesText(item)));
        }
}

} // namespace ridge::app

#include "moc_assemble_privacy.cpp"
