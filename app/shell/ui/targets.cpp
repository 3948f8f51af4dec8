// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/ui/targets.h"

#include "app/shell/ui/panels.h"
#include "base/target_choice.h"

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

void addTarget(QMenu* menu, QActionGroup* group, AppContext& context, const AppContext::Target& target)
{
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
        return;
    // A greyed entry alone would leave the learner guessing.
    for (const QString& line : {asSentence(target.reason), asSentence(target.fix)})
        if (!line.isEmpty())
            menu->addAction(QStringLiteral("      ") + line)->setEnabled(false);
}

std::vector<AppContext::Target> offered(const AppContext& context, const record::RemoteTarget& remote)
{
    std::vector<AppContext::Target> targets;
    for (const Json& row : record::offeredBy(remote))
        if (kindOfTarget(field(row, "id").toStdString()) != kModelTarget) // the same closed forms as here
            targets.push_back(context.targetInfo(field(row, "id")));
    return targets;
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
    for (const AppContext::Target& target : targets)
        addTarget(own, group, context, target);
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
    for (const AppContext::Target& target : targetsOf(context))
        if (splitTarget(target.id.toStdString()).remote.empty())
            addTarget(menu, group, context, target);
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
    const TargetParts parts = splitTarget(target.toStdString());
    const Json& document = context.targets();
    const auto list = document.find("targets");
    // The kind decides, so a remote target has what the same one has here.
    if (list != document.end() && list->is_array())
        for (const Json& row : *list)
            if (row.is_object() &&
                (field(row, "id").toStdString() == parts.local ||
                 (!parts.remote.empty() && kindOfTarget(field(row, "id").toStdString()) == kindOfTarget(parts.local))))
                return provenanceFromText(field(row, "provenance").toStdString()).value_or(Provenance::Simulated);
    return Provenance::Simulated;
}

} // namespace ridge::app
