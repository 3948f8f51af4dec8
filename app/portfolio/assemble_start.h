// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QWidget>
#include <vector>

namespace ridge::app {

/// The way to a portfolio: a button for each template, and the sample as long as it is not hidden.
class AssembleStart : public QWidget {
    Q_OBJECT
public:
    explicit AssembleStart(AppContext& context, QWidget* parent = nullptr);
    /// Without artifacts there is only the sample to see.
    void setArtifacts(int count);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void look();
    std::vector<QWidget*> m_templates;
    QWidget* m_sample;
    int m_artifacts = 0;
};

} // namespace ridge::app
