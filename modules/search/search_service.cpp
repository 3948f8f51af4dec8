// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/search_service.h"

#include <QMetaObject>

namespace ridge::app {

struct SearchService::Side : QObject {
    std::filesystem::path curriculum, dataRoot, storeFolder;
    std::optional<lessons::Curriculum> loaded;
    std::unique_ptr<record::Store> store;
    std::unique_ptr<SearchDesk> desk;

    SearchDesk& open()
    {
        if (desk)
            return *desk;
        loaded = lessons::loadCurriculum(curriculum).curriculum;
        if (!storeFolder.empty())
            if (auto opened = record::Store::openReadOnly(storeFolder))
                store = std::move(*opened);
        desk = std::make_unique<SearchDesk>(store ? searchIndexFile(storeFolder) : std::filesystem::path(), *loaded,
                                            dataRoot, store.get());
        return *desk;
    }
};

SearchService::SearchService(std::filesystem::path curriculum, std::filesystem::path dataRoot,
                             std::filesystem::path storeFolder, QObject* parent)
    : QObject(parent), m_side(std::make_unique<Side>())
{
    m_side->curriculum = std::move(curriculum);
    m_side->dataRoot = std::move(dataRoot);
    m_side->storeFolder = std::move(storeFolder);
    m_side->moveToThread(&m_thread);
    m_thread.setObjectName(QStringLiteral("search"));
    m_thread.start(QThread::LowPriority);
}

SearchService::~SearchService()
{
    // Connections are closed by the thread that opened them.
    QMetaObject::invokeMethod(m_side.get(), [this] {
        m_side->desk.reset();
        m_side->store.reset();
        m_thread.quit();
    });
    m_thread.wait();
}

void SearchService::refresh()
{
    QMetaObject::invokeMethod(m_side.get(), [this] { update(); });
}

void SearchService::update()
{
    auto all = m_side->open().update();
    if (!all)
        Q_EMIT failed(all.error());
    else if (*all)
        Q_EMIT updated();
    else
        QMetaObject::invokeMethod(
            m_side.get(), [this] { update(); }, Qt::QueuedConnection);
}

void SearchService::ask(const QString& typed, const HeldLessons& held)
{
    const int number = ++m_newest;
    QMetaObject::invokeMethod(m_side.get(), [this, typed, held, number] {
        if (number != m_newest)
            return;
        auto answer = m_side->open().search(typed, kHitsPerKind, held);
        if (number != m_newest)
            return;
        if (answer)
            Q_EMIT answered(*answer);
        else
            Q_EMIT failed(answer.error());
    });
}

} // namespace ridge::app

#include "moc_search_service.cpp"
