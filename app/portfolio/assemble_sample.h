// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QWidget>

namespace ridge::app {

class ColumnScroll;

/// The portfolio that ships with the program, to be looked at and not to be changed: what an empty portfolio page will
/// look like.
class AssembleSample : public QWidget {
    Q_OBJECT
public:
    explicit AssembleSample(AppContext& context, QWidget* parent = nullptr);
    /// Reads it when it is first shown. Errors: "cannot-read", and that of a manifest that is none.
    Result<void> load();
    QWidget* pane() const;

    /// Whether it was taken out of view; a preference, the files stay.
    static bool hidden();
    static void setHidden(bool hidden);

private:
    void addArtifact(const Json& artifact, const std::filesystem::path& folder);

    AppContext& m_context;
    ColumnScroll* m_scroll;
    bool m_loaded = false;
};

} // namespace ridge::app
