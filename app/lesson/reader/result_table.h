// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "base/experiment_info.h"
#include "record/rows.h"

#include <QWidget>

namespace ridge::app {

/// The metrics of one run with unit, bound and what each counts; above them the point, provenance and validity.
class ResultTable : public QWidget {
    Q_OBJECT
public:
    explicit ResultTable(Theme& theme, QWidget* parent = nullptr);
    void show(const ExperimentInfo& experiment, const record::RunRow& row, const QString& point);

private:
    Theme& m_theme;
    QWidget* m_content = nullptr;
};

} // namespace ridge::app
