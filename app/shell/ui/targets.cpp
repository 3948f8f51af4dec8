// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/ui/targets.h"

#include "app/shell/ui/panels.h"

#include <QActionGroup>
#include <QComboBox>
#include <QMenu>
#include <QStandardItemModel>

namespace ridge::app {
namespace {

QString field(const Json& row, const char* name)
{
    const auto found = row.find(name);
    return found != row.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

} // namespace

std::vector<AppContext::Target> targetsOf(const AppContext& context)
{
    std::vector<AppContext::Target> targets;
    const Json& document = context.targets();
    const auto list = document.find("targets");
    if (list != document.end() && list->is_array())
        for (const Json& row : *list)
            if (row.is_object())
                targets.push_back(context.targetInfo(field(row, "id")));
    return targets;
}

std::vector<CompilerInfo> compilersOf(const AppContext& context)
{
    std::vector<CompilerInfo> compilers;
    const Json& document = context.targets();
    const auto list = document.find("compilers");
    if (list != document.end() && list->is_array())
        for (const Json& row : *list)
            if (row.is_object())
                compilers.push_back(
                    {field(row, "id"), field(row, "version"), field(row, "detail"), row.value("available", false)});
    return compilers;
}

QString whyNot(const AppContext::Target& target)
{
    return (asSentence(target.reason) + QLatin1Char(' ') + asSentence(target.fix)).trimmed();
}

void fillTargetMenu(QMenu* menu, AppContext& context)
{
    menu->clear();
    menu->setToolTipsVisible(true);
    auto* group = new QActionGroup(menu);
    for (const AppContext::Target& target : targetsOf(context)) {
        QString text = target.title;
        if (!target.available)
            text += QObject::tr(" — not available");
        QAction* action = menu->addAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setCheckable(true);
        action->setChecked(target.id == context.target());
        action->setEnabled(target.available);
        action->setToolTip(target.available ? target.id : whyNot(target));
        action->setStatusTip(action->toolTip());
        group->addAction(action);
        QObject::connect(action, &QAction::triggered, &context, [&context, id = target.id] { context.setTarget(id); });
        if (target.available)
            continue;
        // A greyed entry alone would leave the learner guessing.
        for (const QString& line : {asSentence(target.reason), asSentence(target.fix)})
            if (!line.isEmpty())
                menu->addAction(QStringLiteral("      ") + line)->setEnabled(false);
    }
    if (menu->isEmpty())
        menu->addAction(context.catalogueError() ? QString::fromStdString(context.catalogueError()->message)
                                                 : QObject::tr("Asking for the targets …"))
            ->setEnabled(false);
}

void setItemEnabled(QComboBox* box, int index, bool enabled, const QString& reason)
{
    if (auto* model = qobject_cast<QStandardItemModel*>(box->model())) {
        QStandardItem* item = model->item(index);
        item->setEnabled(enabled);
        item->setToolTip(enabled ? QString() : reason);
    }
}

Provenance provenanceOf(const AppContext& context, const QString& target)
{
    const Json& document = context.targets();
    const auto list = document.find("targets");
    if (list != document.end() && list->is_array())
        for (const Json& row : *list)
            if (row.is_object() && field(row, "id") == target)
                return provenanceFromText(field(row, "provenance").toStdString()).value_or(Provenance::Simulated);
    return Provenance::Simulated;
}

} // namespace ridge::app
