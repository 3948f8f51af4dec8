// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/draft_file.h"

#include "base/json.h"

#include <QDir>
#include <QSaveFile>

namespace ridge::app {

DraftFile::DraftFile(const std::filesystem::path& folder, const std::string& lesson, const std::string& block,
                     QObject* parent)
    : QObject(parent)
{
    if (!folder.empty())
        m_path = folder / "drafts" / lesson / (block + ".json");
    m_soon.setSingleShot(true);
    m_soon.setInterval(800);
    m_latest.setSingleShot(true);
    m_latest.setInterval(1800); // somebody who types without a pause still loses at most two seconds
    connect(&m_soon, &QTimer::timeout, this, &DraftFile::save);
    connect(&m_latest, &QTimer::timeout, this, &DraftFile::save);
}

DraftFile::~DraftFile()
{
    if (m_pending)
        save();
}

Json DraftFile::load() const
{
    if (m_path.empty())
        return Json::object();
    const auto bytes = readFile(m_path);
    if (!bytes)
        return Json::object();
    auto json = parseJson(*bytes, m_path.string());
    return json && json->is_object() ? *json : Json::object();
}

void DraftFile::keep(Json content)
{
    if (m_path.empty())
        return;
    m_pending = std::move(content);
    m_soon.start();
    if (!m_latest.isActive())
        m_latest.start();
}

void DraftFile::save()
{
    m_soon.stop();
    m_latest.stop();
    if (!m_pending)
        return;
    const QString path = QString::fromStdString(m_path.string());
    QDir().mkpath(QString::fromStdString(m_path.parent_path().string()));
    QSaveFile file(path);
    const std::string bytes = (*m_pending)->dump(1);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes.data(), qint64(bytes.size())) == qint64(bytes.size()) &&
        file.flush() && file.commit()) // Qt 6.4's commit() does not look at what its own flush says
        m_pending.reset();
    else
        Q_EMIT saveFailed(tr("%1: the draft could not be saved (%2). Free some space or copy the text.")
                              .arg(path, file.errorString()));
}

void DraftFile::remove()
{
    m_soon.stop();
    m_latest.stop();
    m_pending.reset();
    std::error_code ignored;
    std::filesystem::remove(m_path, ignored);
}

} // namespace ridge::app

#include "moc_draft_file.cpp"
