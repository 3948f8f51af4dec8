// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/targets.h"

#include "app/ui/panels.h"
#include "app/ui/target_box.h"
#include "base/target_kind.h"

#include <QActionGroup>
#include <QComboBox>
#include <QMenu>
#include <QStandardItemModel>
#include <algorithm>

namespace ridge::app {
namespace {

QString field(const Json& row, const char* name)
{
    const auto found = row.find(name);
    return found != row.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

/// `group` is null where a choice takes none of the others back.
void addTargetsOf(QMenu* menu, QActionGroup* group, AppContext& context, const std::vector<AppContext::Target>& targets)
{
    std::vector<TargetEntry> entries;
    for (const AppContext::Target& target : targets)
        entries.push_back({.id = target.id,
                           .title = target.title,
                           .offer = offerOf(context, target.id),
                           .tip = target.available
                                      ? QString()
                                      : asSentence(target.reason) + QLatin1Char('\n') + asSentence(target.fix),
                           .enabled = target.available,
                           .checked = context.isChosen(target.id)});
    addTargetEntries(menu, group, entries, [&context](const QString& id) { context.setTarget(id); });
}

std::vector<AppContext::Target> offered(const AppContext& context, const record::RemoteTarget& remote)
{
    std::vector<AppContext::Target> targets;
    for (const Json& row : record::offeredBy(remote))
        if (provenanceOfTarget(field(row, "id").toStdString()) != Provenance::Modelled) // the same closed forms as here
            targets.push_back(context.targetInfo(field(row, "id")));
    return targets;
}

bool isMachine(const AppContext::Target& target)
{
    return !machineOfTarget(target.id.toStdString()).empty();
}

/// Each answers for the experiments of its own engine, so they are a menu beside what all others run on.
void addMachines(QMenu* menu, AppContext& context, const std::vector<AppContext::Target>& targets)
{
    if (std::ranges::none_of(targets, isMachine))
        return;
    QMenu* own = menu->addMenu(QObject::tr("Simulated machines"));
    own->setObjectName(QStringLiteral("machines"));
    own->setToolTipsVisible(true);
    own->setAccessibleName(own->title());
    std::vector<AppContext::Target> machines;
    std::ranges::copy_if(targets, std::back_inserter(machines), isMachine);
    addTargetsOf(own, nullptr, context, machines);
}

void addRemote(QMenu* menu, QActionGroup* group, AppContext& context, const record::RemoteTarget& remote)
{
    const RemoteHosts& hosts = context.remotes();
    const QString name = QString::fromStdString(remote.name);
    QMenu* own = menu->addMenu(QStringLiteral("%1 (%2)").arg(name, hosts.reachText(remote.name)));
    own->setObjectName(QStringLiteral("remote-") + name);
    own->setToolTipsVisible(true);
    own->setAccessibleName(QObject::tr("Targets of %1, %2").arg(name, hosts.reachText(remote.name)));
    QAction* ask = own->addAction(QObject::tr("Ask %1 now").arg(name));
    ask->setObjectName(QStringLiteral("ask"));
    ask->setEnabled(hosts.reach(remote.name) != RemoteHosts::Reach::Asking);
    ask->setToolTip(QObject::tr("Goes through %1, copies the worker there if it is another one, and lists what can run")
                        .arg(QString::fromStdString(remote.launcher)));
    QObject::connect(ask, &QAction::triggered, &context, [&context, id = remote.name] { context.remotes().ask(id); });
    if (const Error* why = hosts.why(remote.name))
        for (const std::string& line : {why->message, why->fix})
            if (!line.empty())
                own->addAction(QStringLiteral("      ") + asSentence(QString::fromStdString(line)))->setEnabled(false);
    own->addSeparator();
    const auto targets = offered(context, remote);
    std::vector<AppContext::Target> others;
    std::ranges::remove_copy_if(targets, std::back_inserter(others), isMachine);
    addTargetsOf(own, group, context, others);
    addMachines(own, context, targets);
    if (targets.empty())
        own->addAction(QObject::tr("What it can run is known once it was asked."))->setEnabled(false);
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
    if (!targets.empty())
        for (const record::RemoteTarget& remote : context.remotes().targets())
            std::ranges::move(offered(context, remote), std::back_inserter(targets));
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
    for (QMenu* old : menu->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly))
        old->deleteLater();
    menu->setToolTipsVisible(true);
    auto* group = new QActionGroup(menu);
    context.remotes().reload();
    std::vector<AppContext::Target> here = targetsOf(context);
    std::erase_if(here, [](const AppContext::Target& target) { return !isLocal(target.id.toStdString()); });
    std::vector<AppContext::Target> others;
    std::ranges::remove_copy_if(here, std::back_inserter(others), isMachine);
    addTargetsOf(menu, group, context, others);
    addMachines(menu, context, here);
    if (!menu->isEmpty() && !context.remotes().targets().empty())
        menu->addSeparator();
    for (const record::RemoteTarget& remote : context.remotes().targets())
        addRemote(menu, group, context, remote);
    if (const auto& error = context.remotes().error())
        menu->addAction(QString::fromStdString(toText(*error)))->setEnabled(false);
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
    return provenanceOfTarget(target.toStdString());
}

} // namespace ridge::app
