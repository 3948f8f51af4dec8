// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <optional>

namespace ridge::app {

/// What a learner is still typing, kept as a small file below the store's folder: it is learning data, so not in
/// QSettings, and not final, so not in the store. On disk within a second of the last key, at the latest after two,
/// and when the draft is closed.
class DraftFile : public QObject {
    Q_OBJECT
public:
    /// `folder` empty: nothing is kept (no store).
    DraftFile(const std::filesystem::path& folder, const std::string& lesson, const std::string& block,
              QObject* parent = nullptr);
    ~DraftFile() override;

    Json load() const; ///< an empty object when there is none or it is damaged
    void keep(Json content);
    void save();   ///< at once, if there is anything that is not on disk
    void remove(); ///< the text has been shipped
    const std::filesystem::path& path() const { return m_path; }

Q_SIGNALS:
    void saveFailed(const QString& message);

private:
    std::filesystem::path m_path;
    std::optional<JsonValue> m_pending;
    QTimer m_soon, m_latest;
};

} // namespace ridge::app
