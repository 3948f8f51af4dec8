// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/search_index.h"

namespace ridge::app {

SearchDesk::SearchDesk(std::filesystem::path file, const lessons::Curriculum& curriculum,
                       std::filesystem::path dataRoot, const record::Store* store)
    : m_file(std::move(file)), m_dataRoot(std::move(dataRoot)), m_curriculum(curriculum), m_store(store)
{
}

SearchDesk::~SearchDesk() = default;

Result<void> SearchDesk::begin()
{
    if (m_index)
        return {};
    auto opened = SearchIndex::open(m_file);
    if (!opened)
        return opened.error();
    m_index = std::move(*opened);
    return {};
}

Result<bool> SearchDesk::renew()
{
    if (!m_index || m_index->inMemory())
        return false;
    m_index.reset();
    discardIndex(m_file);
    if (auto begun = begin(); !begun)
        return begun.error();
    return true;
}

Result<bool> SearchDesk::update()
{
    if (auto begun = begin(); !begun)
        return begun.error();
    auto done = m_index->update(m_curriculum, m_dataRoot, m_store);
    if (done || done.error().code == "store-locked")
        return done;
    auto fresh = renew();
    if (!fresh || !*fresh)
        return fresh ? done : fresh;
    return m_index->update(m_curriculum, m_dataRoot, m_store);
}

Result<SearchAnswer> SearchDesk::search(const QString& typed, int perKind, const HeldLessons& held)
{
    if (auto begun = begin(); !begun)
        return begun.error();
    auto answer = m_index->search(typed, perKind, held);
    if (answer || answer.error().code == "store-locked")
        return answer;
    auto fresh = renew();
    if (!fresh)
        return fresh.error();
    for (bool all = !*fresh; !all;) {
        auto updated = m_index->update(m_curriculum, m_dataRoot, m_store);
        if (!updated)
            return updated.error();
        all = *updated;
    }
    return *fresh ? m_index->search(typed, perKind, held) : answer;
}

} // namespace ridge::app
