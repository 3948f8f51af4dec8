// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/gallery/gallery_model.h"

#include "app/ui/panels.h"

#include <algorithm>

namespace ridge::app {

GalleryModel::GalleryModel(AppContext& context, QObject* parent) : QAbstractListModel(parent), m_context(context) {}

void GalleryModel::setCards(std::vector<GalleryCard> cards)
{
    m_cards = std::move(cards);
    filter();
}

void GalleryModel::setRuns(std::map<std::string, CardRuns> runs)
{
    m_runs = std::move(runs);
    filter();
}

void GalleryModel::setStandings(std::map<std::string, TaskStanding> standings)
{
    m_standings = std::move(standings);
    filter();
}

void GalleryModel::setQuery(const GalleryQuery& query)
{
    m_query = query;
    filter();
}

void GalleryModel::setFavourites(const QStringList& keys)
{
    m_favourites = QSet<QString>(keys.begin(), keys.end());
    filter();
}

QStringList GalleryModel::favourites() const
{
    QStringList keys(m_favourites.begin(), m_favourites.end());
    keys.sort();
    return keys;
}

void GalleryModel::setFavourite(const GalleryCard& card, bool on)
{
    if (on)
        m_favourites.insert(card.key());
    else
        m_favourites.remove(card.key());
    filter();
}

bool GalleryModel::tried(const GalleryCard& card) const
{
    if (card.kind == GalleryCard::Kind::Task) {
        const auto standing = m_standings.find(card.id.toStdString());
        return standing != m_standings.end() && standing->second.state != TaskStanding::State::Untried;
    }
    return runs(card) != nullptr;
}

bool GalleryModel::fits(const GalleryCard& card) const
{
    using Show = GalleryQuery::Show;
    if (m_query.kind && *m_query.kind != card.kind)
        return false;
    if (m_query.module != 0 && m_query.module != card.module)
        return false;
    if ((m_query.show == Show::Favourites && !isFavourite(card)) || (m_query.show == Show::Recent && !tried(card)) ||
        (m_query.show == Show::Untried && (tried(card) || card.kind == GalleryCard::Kind::Kernel)))
        return false;
    const QString all = QStringList{card.id, card.title, card.about, card.lesson, kindWords(card.kind)}.join(u' ');
    return std::ranges::all_of(m_query.text.split(u' ', Qt::SkipEmptyParts),
                               [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

std::int64_t GalleryModel::newest(const GalleryCard& card) const
{
    const CardRuns* own = runs(card);
    return own && !own->latest.empty() ? own->latest.front().position : 0;
}

void GalleryModel::filter()
{
    beginResetModel();
    m_shown.clear();
    for (std::size_t i = 0; i < m_cards.size(); ++i)
        if (fits(m_cards[i]))
            m_shown.push_back(i);
    std::ranges::stable_sort(m_shown, std::greater(),
                             [this](std::size_t i) { return std::pair(isFavourite(m_cards[i]), newest(m_cards[i])); });
    endResetModel();
}

int GalleryModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_shown.size());
}

const GalleryCard* GalleryModel::card(const QModelIndex& index) const
{
    return index.isValid() && index.row() < rowCount() ? &m_cards[m_shown[std::size_t(index.row())]] : nullptr;
}

const CardRuns* GalleryModel::runs(const GalleryCard& card) const
{
    const auto found = card.kind == GalleryCard::Kind::Experiment ? m_runs.find(card.id.toStdString()) : m_runs.end();
    return found == m_runs.end() || found->second.latest.empty() ? nullptr : &found->second;
}

QModelIndex GalleryModel::indexOf(const QString& key) const
{
    for (std::size_t row = 0; row < m_shown.size(); ++row)
        if (m_cards[m_shown[row]].key() == key)
            return index(int(row));
    return {};
}

QString GalleryModel::stateWords(const GalleryCard& card) const
{
    if (card.kind == GalleryCard::Kind::Task) {
        const auto standing = m_standings.find(card.id.toStdString());
        return standingWords(standing == m_standings.end() ? TaskStanding() : standing->second);
    }
    if (card.kind == GalleryCard::Kind::Kernel)
        return tr("opens as a copy of your own");
    const CardRuns* own = runs(card);
    if (!own)
        return tr("not run yet");
    const record::RunHead& last = own->latest.front();
    return tr("%1 on %2")
        .arg(readableTime(last.createdAt), m_context.targetInfo(QString::fromStdString(last.target)).title);
}

QVariant GalleryModel::data(const QModelIndex& index, int role) const
{
    const GalleryCard* shown = card(index);
    if (!shown)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return shown->title;
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole:
        return shown->about;
    case Qt::AccessibleTextRole: {
        QStringList words{tr("%1: %2").arg(kindWords(shown->kind), shown->title)};
        if (shown->module > 0)
            words << tr("module %1").arg(shown->module);
        words << stateWords(*shown);
        if (isFavourite(*shown))
            words << tr("favourite");
        return words.join(QStringLiteral(", "));
    }
    default:
        return {};
    }
}

} // namespace ridge::app

#include "moc_gallery_model.cpp"
