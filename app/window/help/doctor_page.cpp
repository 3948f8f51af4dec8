// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help/doctor_page.h"

#include "app/session/background.h"
#include "app/theme/announce.h"
#include "app/ui/facts.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QVBoxLayout>
#include <algorithm>

namespace ridge::app {
namespace {

using doctor::Finding;
using doctor::Health;

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

DoctorPage::DoctorPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_scroll(new ColumnScroll(960, tr("What works here"), this))
{
    setAccessibleName(tr("What works here"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
    rebuild();
}

Result<void> DoctorPage::open(const QString& part)
{
    if (!part.isEmpty())
        return Error{"unknown-page", "This page has no part " + part.toStdString() + ".", "--open", "Open doctor"};
    if (m_findings.empty())
        look();
    return {};
}

/// Asks worker and store on a thread: a library that hangs when it is loaded must not hang the window.
void DoctorPage::look()
{
    if (m_looking)
        return;
    m_looking = true;
    m_again->setEnabled(false);
    Background::of(m_context).run(
        this, [] { return doctor::examine(); },
        [this](std::vector<Finding> findings) {
            m_looking = false;
            show(std::move(findings));
            Q_EMIT readyChanged();
        });
}

void DoctorPage::show(std::vector<Finding> findings)
{
    m_findings = std::move(findings);
    rebuild();
}

void DoctorPage::rebuild()
{
    const bool again = m_again && m_again->hasFocus();
    m_scroll->clear();
    Theme& theme = m_context.theme();
    QVBoxLayout* column = m_scroll->column();
    column->addWidget(makeText(theme, tr("What works here"), TextStyle::ReadH1));
    const auto absent = std::ranges::count(m_findings, Health::Missing, &Finding::health);
    const QString summary =
        m_findings.empty()              ? tr("Looking at every part …")
        : !doctor::allWorks(m_findings) ? tr("Something that has to work does not. What mends it stands beside it.")
        : absent == 0                   ? tr("Everything works.")
                      : tr("Everything that has to work works. What is absent is optional, and every lesson runs "
                           "without it.");
    auto* said = makeText(theme, summary, TextStyle::ReadBody);
    said->setObjectName(QStringLiteral("summary"));
    column->addWidget(said);
    auto* buttons = new QWidget;
    buttons->setAccessibleName(tr("Check again, copy the report"));
    auto* row = new FlowLayout(buttons);
    m_again = makeButton(tr("Check again"), tr("Looks at every part anew"));
    m_again->setObjectName(QStringLiteral("again"));
    m_again->setEnabled(!m_looking && !m_findings.empty());
    connect(m_again, &QPushButton::clicked, this, &DoctorPage::look);
    m_copy = makeButton(tr("Copy report"), tr("Puts everything below on the clipboard as a Markdown table"));
    m_copy->setObjectName(QStringLiteral("copyReport"));
    m_copy->setEnabled(!m_findings.empty());
    connect(m_copy, &QPushButton::clicked, this,
            [this] { copy(text(doctor::reportText(m_findings)), tr("The report is on the clipboard.")); });
    row->addWidget(m_again);
    row->addWidget(m_copy);
    column->addWidget(buttons);
    for (QWidget* group :
         {makeGroup(tr("Needs mending"), {}, Health::Broken),
          makeGroup(tr("Worth a look"), tr("It works, and you should know of it."), Health::Warning),
          makeGroup(tr("Absent"), tr("Nothing needs these. With them more can be measured."), Health::Missing),
          makeGroup(tr("Works"), {}, Health::Good)})
        if (group)
            column->addWidget(group);
    column->addStretch(1);
    if (again)
        m_again->setFocus();
}

/// All parts in one state, or null where there is none.
QWidget* DoctorPage::makeGroup(const QString& title, const QString& about, Health health)
{
    if (std::ranges::count(m_findings, health, &Finding::health) == 0)
        return nullptr;
    Theme& theme = m_context.theme();
    auto* card = new Card(title);
    card->column()->addWidget(makeLabel(theme, title, TextStyle::ReadH3));
    if (!about.isEmpty())
        card->column()->addWidget(makeText(theme, about, TextStyle::Body, QStringLiteral("muted")));
    auto* facts = new FactTable(theme, tr("%1: part, what was found, what mends it").arg(title));
    facts->setNameRoom(150);
    for (const Finding& finding : m_findings) {
        if (finding.health != health)
            continue;
        QString found = text(finding.detail).simplified();
        QPushButton* button = nullptr;
        if (!finding.fix.empty()) {
            found += QLatin1Char('\n') + tr("Fix: %1").arg(text(finding.fix));
            button = makeButton(tr("Copy fix"), tr("Puts what mends it on the clipboard"));
            button->setAccessibleName(tr("Copy the fix of %1").arg(text(finding.part)));
            button->setObjectName(QStringLiteral("fix:") + text(finding.part));
            connect(button, &QPushButton::clicked, this, [this, fix = text(finding.fix), part = text(finding.part)] {
                copy(fix, tr("The fix of %1 is on the clipboard.").arg(part));
            });
        }
        facts->addRow(text(finding.part), found, {}, button);
    }
    card->column()->addWidget(facts);
    return card;
}

void DoctorPage::copy(const QString& text, const QString& what)
{
    QGuiApplication::clipboard()->setText(text);
    announce(this, what);
}

QList<QWidget*> DoctorPage::panes() const
{
    return {m_copy->isEnabled() ? m_copy : m_scroll->widget()};
}

double DoctorPage::scrollFraction() const
{
    return app::scrollFraction(m_scroll);
}

void DoctorPage::setScrollFraction(double fraction)
{
    app::setScrollFraction(m_scroll, fraction);
}

} // namespace ridge::app

#include "moc_doctor_page.cpp"
