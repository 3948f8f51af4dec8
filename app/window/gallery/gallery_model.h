// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/gallery/gallery_cards.h"

#include <QAbstractListModel>
#include <QSet>

namespace ridge::app {

/// What of the gallery is shown, and in which order.
struct GalleryQuery {
    enum class Show { All, Favourites, Recent, Untried };
    QString text; ///< every word must occur
    std::optional<GalleryCard::Kind> kind;
    int module = 0; ///< 0: any
    Show show = Show::All;
};

/// The cards that a query lets through; favourites come first, of what was run the newest.
class GalleryModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit GalleryModel(AppContext& context, QObject* parent = nullptr);

    void setCards(std::vector<GalleryCard> cards);
    void setRuns(std::map<std::string, CardRuns> runs);
    void setStandings(std::map<std::string, TaskStanding> standings);
    void setQuery(const GalleryQuery& query);
    void setFavourites(const QStringList& keys);
    QStringList favourites() const;
    void setFavourite(const GalleryCard& card, bool on);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    int total() const { return int(m_cards.size()); }
    const GalleryCard* card(const QModelIndex& index) const; ///< null: none
    const CardRuns* runs(const GalleryCard& card) const;     ///< null: none
    QModelIndex indexOf(const QString& key) const;
    bool isFavourite(const GalleryCard& card) const { return m_favourites.contains(card.key()); }
    /// "last run today 20:10 on H100 SXM, SIM", "not run yet"; of a task how far the learner is.
    QString stateWords(const GalleryCard& card) const;

private:
    void filter();
    bool fits(const GalleryCard& card) const;
    bool tried(const GalleryCard& card) const;
    std::int64_t newest(const GalleryCard& card) const; ///< position of its newest run; 0: none

    AppContext& m_context;
    std::vector<GalleryCard> m_cards;
    std::vector<std::size_t> m_shown;
    std::map<std::string, CardRuns> m_runs;
    std::map<std::string, TaskStanding> m_standings;
    QSet<QString> m_favourites;
    GalleryQuery m_query;
};

} // namespace ridge::app
