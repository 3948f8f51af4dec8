// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/target_box.h"

#include "app/ui/panels.h"
#include "app/ui/targets.h"

#include <QActionGroup>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QWidgetAction>
#include <algorithm>
#include <utility>

namespace ridge::app {
namespace {

QString field(const Json& row, const char* name)
{
    const auto found = row.find(name);
    return found != row.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

Json rowOf(const AppContext& context, const QString& target)
{
    if (const std::string remote = splitTarget(target.toStdString()).remote; !remote.empty()) {
        for (const record::RemoteTarget& each : context.remotes().targets())
            if (each.name == remote)
                for (const Json& row : record::offeredBy(each))
                    if (field(row, "id") == target)
                        return row;
        return Json::object();
    }
    const auto list = context.targets().find("targets");
    if (list != context.targets().end() && list->is_array())
        for (const Json& row : *list)
            if (row.is_object() && field(row, "id") == target)
                return row;
    return Json::object();
}

struct GroupTitle {
    const char* id;
    const char* title;
};
constexpr GroupTitle kGroups[] = {{"datacenter", QT_TRANSLATE_NOOP("Targets", "Data centre")},
                                  {"desktop", QT_TRANSLATE_NOOP("Targets", "Desktop")},
                                  {"laptop", QT_TRANSLATE_NOOP("Targets", "Laptop")},
                                  {"edge", QT_TRANSLATE_NOOP("Targets", "Embedded")}};

QString groupTitle(const QString& id)
{
    for (const GroupTitle& group : kGroups)
        if (id == QLatin1String(group.id))
            return QCoreApplication::translate("Targets", group.title);
    return id;
}

/// A menu is as wide as its longest line, and a reason may be a sentence of any length.
QStringList inLines(const QString& sentence)
{
    constexpr int kMostLetters = 56;
    QStringList lines = {QString()};
    for (const QString& word : sentence.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        if (!lines.last().isEmpty() && lines.last().size() + 1 + word.size() > kMostLetters)
            lines << QString();
        lines.last() += (lines.last().isEmpty() ? QString() : QStringLiteral(" ")) + word;
    }
    return lines;
}

QAction* addEntry(QMenu* menu, QActionGroup* group, const TargetEntry& entry,
                  const std::function<void(const QString&)>& choose)
{
    QString text = entry.title;
    text.replace(QLatin1Char('&'), QStringLiteral("&&"));
    if (!entry.enabled)
        text += QCoreApplication::translate("Targets", " — not available");
    if (!entry.offer.gives.isEmpty())
        text += QLatin1Char('\t') + entry.offer.gives;
    QAction* action = menu->addAction(text);
    action->setData(entry.id);
    action->setCheckable(true);
    action->setChecked(entry.checked);
    action->setEnabled(entry.enabled);
    const QString sentence = entry.offer.sentence();
    action->setToolTip(!entry.enabled       ? entry.tip
                       : sentence.isEmpty() ? entry.id
                                            : QStringLiteral("%1. %2").arg(entry.id, sentence));
    action->setStatusTip(action->toolTip());
    if (group != nullptr)
        group->addAction(action);
    QObject::connect(action, &QAction::triggered, menu, [choose, id = entry.id] { choose(id); });
    return action;
}

/// What is typed into a menu of many chips shows those that have it in their name, in place of the groups.
class MenuSearch : public QWidgetAction {
public:
    MenuSearch(QMenu* menu, QActionGroup* group, const std::vector<TargetEntry>& entries,
               const std::function<void(const QString&)>& choose)
        : QWidgetAction(menu), m_menu(menu), m_field(new QLineEdit)
    {
        m_field->setObjectName(QStringLiteral("targetSearch"));
        m_field->setPlaceholderText(QCoreApplication::translate("Targets", "Search %1 chips").arg(entries.size()));
        m_field->setAccessibleName(m_field->placeholderText());
        m_field->setClearButtonEnabled(true);
        setDefaultWidget(m_field);
        menu->addAction(this);
        for (const TargetEntry& entry : entries) {
            QAction* found = addEntry(menu, group, entry, choose);
            found->setVisible(false);
            m_found.emplace_back((entry.title + QLatin1Char(' ') + entry.id + QLatin1Char(' ') + entry.offer.group +
                                  QLatin1Char(' ') + entry.offer.gives)
                                     .toCaseFolded(),
                                 found);
        }
        m_nothing = menu->addAction(QString());
        m_nothing->setEnabled(false);
        m_nothing->setVisible(false);
        connect(m_field, &QLineEdit::textChanged, this, [this] { show(); });
        connect(m_field, &QLineEdit::returnPressed, this, [this] {
            for (const auto& [words, action] : m_found)
                if (action->isVisible() && action->isEnabled()) {
                    m_menu->close();
                    return action->trigger();
                }
        });
        m_field->installEventFilter(this);
        menu->installEventFilter(this);
    }

    /// Menus that stand there while nothing is searched for.
    void addGroup(QAction* menu) { m_groups.push_back(menu); }

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::KeyPress)
            return false;
        auto* key = static_cast<QKeyEvent*>(event);
        if (watched == m_field && (key->key() == Qt::Key_Down || key->key() == Qt::Key_Up)) {
            m_menu->setFocus();
            QCoreApplication::sendEvent(m_menu, event);
            return true;
        }
        const bool typed = !key->text().isEmpty() && key->text().front().isPrint() && key->key() != Qt::Key_Space &&
                           !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
        if (watched == m_menu && (typed || (key->key() == Qt::Key_Backspace && !m_field->text().isEmpty()))) {
            m_field->setFocus();
            QCoreApplication::sendEvent(m_field, event);
            return true;
        }
        return false;
    }

private:
    void show()
    {
        const QStringList words = m_field->text().toCaseFolded().split(QLatin1Char(' '), Qt::SkipEmptyParts);
        bool any = false;
        for (const auto& [name, action] : m_found) {
            const bool fits = !words.isEmpty() && std::ranges::all_of(words, [&name = name](const QString& word) {
                return name.contains(word);
            });
            action->setVisible(fits);
            any = any || fits;
        }
        for (QAction* group : m_groups)
            group->setVisible(words.isEmpty());
        m_nothing->setVisible(!words.isEmpty() && !any);
        m_nothing->setText(QCoreApplication::translate("Targets", "No chip is called “%1”").arg(m_field->text()));
    }

    QMenu* m_menu;
    QLineEdit* m_field;
    std::vector<std::pair<QString, QAction*>> m_found;
    std::vector<QAction*> m_groups;
    QAction* m_nothing = nullptr;
};

} // namespace

QString TargetOffer::sentence() const
{
    if (gives.isEmpty())
        return {};
    if (countsOnly)
        return QCoreApplication::translate("Targets", "It gives counts only: its clock is not known.");
    return derivedFrom.isEmpty()
               ? QCoreApplication::translate("Targets", "It gives times and counts.")
               : QCoreApplication::translate("Targets", "It gives times and counts, its clock derived by rule from %1.")
                     .arg(derivedFrom);
}

TargetOffer offerOf(const AppContext& context, const QString& target)
{
    const Json row = rowOf(context, target);
    TargetOffer offer;
    if (const QString id = field(row, "group"); !id.isEmpty())
        offer.group = groupTitle(id);
    const QString gives = field(row, "gives");
    offer.countsOnly = gives == QLatin1String("counts only");
    offer.gives = gives.isEmpty()    ? QString()
                  : offer.countsOnly ? QCoreApplication::translate("Targets", "counts only")
                                     : QCoreApplication::translate("Targets", "times and counts");
    offer.nearest = field(row, "nearest");
    offer.derivedFrom = field(row, "derived_from");
    return offer;
}

QString countsOnlyNote(const AppContext& context, const QString& target)
{
    const TargetOffer offer = offerOf(context, target);
    if (!offer.countsOnly)
        return {};
    const QString counts =
        QCoreApplication::translate("Targets", "%1 gives counts only, no times.").arg(context.targetInfo(target).title);
    return offer.nearest.isEmpty()
               ? counts
               : counts + QLatin1Char(' ') +
                     QCoreApplication::translate("Targets", "The nearest chip that gives times is %1.")
                         .arg(context.targetInfo(offer.nearest).title);
}

int placeOfGroup(const QString& group)
{
    int place = group.isEmpty() ? 0 : 1;
    for (const GroupTitle& each : kGroups) {
        if (group.isEmpty() || group == QCoreApplication::translate("Targets", each.title))
            return place;
        ++place;
    }
    return place;
}

void addTargetEntries(QMenu* menu, QActionGroup* group, const std::vector<TargetEntry>& entries,
                      const std::function<void(const QString& id)>& choose)
{
    std::vector<TargetEntry> own, chips;
    for (const TargetEntry& entry : entries)
        (entry.offer.group.isEmpty() ? own : chips).push_back(entry);
    std::ranges::stable_sort(chips, {}, [](const TargetEntry& entry) { return placeOfGroup(entry.offer.group); });
    const bool many = static_cast<int>(chips.size()) > kManyChips;
    MenuSearch* search = many ? new MenuSearch(menu, group, chips, choose) : nullptr;
    if (many)
        menu->addSeparator();
    for (const TargetEntry& entry : own)
        if (entry.enabled)
            addEntry(menu, group, entry, choose);
    if (!many && !own.empty() && !chips.empty())
        menu->addSeparator();
    // The chosen chip stands with what is at hand, too: to find it in its group takes a second menu.
    if (many)
        for (const TargetEntry& entry : chips)
            if (entry.checked)
                addEntry(menu, nullptr, entry, choose);
    QMenu* into = menu;
    for (std::size_t i = 0; i < chips.size(); ++i) {
        if (many && (i == 0 || chips[i].offer.group != chips[i - 1].offer.group)) {
            const auto count = std::ranges::count(chips, chips[i].offer.group,
                                                  [](const TargetEntry& entry) { return entry.offer.group; });
            into = menu->addMenu(QStringLiteral("%1 (%2)").arg(chips[i].offer.group).arg(count));
            into->setObjectName(QStringLiteral("group-") + chips[i].offer.group);
            into->setAccessibleName(into->title());
            into->setToolTipsVisible(true);
            search->addGroup(into->menuAction());
        }
        addEntry(into, group, chips[i], choose);
    }
    // What cannot be used comes last, with the reason: a greyed entry alone would leave the learner guessing.
    const auto last = [&](QAction* action) {
        if (search)
            search->addGroup(action); // away while something is searched for
        return action;
    };
    bool first = true;
    for (const TargetEntry& entry : own) {
        if (entry.enabled)
            continue;
        if (std::exchange(first, false) && !menu->isEmpty())
            last(menu->addSeparator());
        last(addEntry(menu, group, entry, choose));
        for (const QString& line : entry.tip.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
            for (const QString& part : inLines(line))
                last(menu->addAction(QStringLiteral("      ") + part))->setEnabled(false);
    }
}

TargetBox::TargetBox(AppContext& context, QWidget* parent) : ElidedBox(parent), m_context(context) {}

void TargetBox::addTargets(const std::function<bool(const std::string& id)>& fits)
{
    struct Row {
        AppContext::Target target;
        TargetOffer offer;
    };
    std::vector<Row> rows;
    for (const AppContext::Target& target : targetsOf(m_context))
        if (fits(target.id.toStdString()))
            rows.push_back({target, offerOf(m_context, target.id)});
    std::ranges::stable_sort(rows, {}, [](const Row& row) { return placeOfGroup(row.offer.group); });
    for (const Row& row : rows) {
        addItem(row.offer.countsOnly ? tr("%1, %2").arg(row.target.title, row.offer.gives) : row.target.title,
                row.target.id);
        setItemEnabled(this, count() - 1, row.target.available, whyNot(row.target));
    }
}

void TargetBox::showPopup()
{
    std::vector<TargetEntry> entries;
    int chips = 0;
    for (int i = 0; i < count(); ++i) {
        const QString id = itemData(i).toString();
        const AppContext::Target target = id.isEmpty() ? AppContext::Target{} : m_context.targetInfo(id);
        const bool enabled = id.isEmpty() || target.available;
        entries.push_back({.id = id,
                           .title = id.isEmpty() ? itemText(i) : target.title,
                           .offer = offerOf(m_context, id),
                           .tip = enabled ? QString() : whyNot(target),
                           .enabled = enabled,
                           .checked = i == currentIndex()});
        chips += entries.back().offer.group.isEmpty() ? 0 : 1;
    }
    if (chips <= kManyChips)
        return ElidedBox::showPopup();
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("targetMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(accessibleName());
    menu->setToolTipsVisible(true);
    auto* group = new QActionGroup(menu);
    addTargetEntries(menu, group, entries, [this](const QString& id) {
        const int index = findData(id);
        if (index < 0)
            return;
        setCurrentIndex(index);
        Q_EMIT activated(index);
        Q_EMIT textActivated(itemText(index));
    });
    menu->popup(mapToGlobal(QPoint(0, height())));
}

} // namespace ridge::app

#include "moc_target_box.cpp"
