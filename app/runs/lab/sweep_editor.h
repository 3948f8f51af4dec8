// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "base/parameters.h"

#include <QWidget>
#include <array>

class QComboBox;
class QLabel;
class QLineEdit;

namespace ridge::app {

/// Up to three swept parameters, picked from the experiment's own and typed in the form `ridge` takes
/// ("1..128:log2", "0..64:8", "1,2,3"). Picking a parameter offers a range that fits it.
class SweepEditor : public QWidget {
    Q_OBJECT
public:
    explicit SweepEditor(Theme& theme, QWidget* parent = nullptr);

    /// Starts over; `first` is swept from the beginning when the experiment has it.
    void setParameters(std::vector<ParamSpec> specs, const std::string& first, const std::string& targetClass);
    /// Errors of parseSweep, and "bad-sweep" for a parameter chosen twice.
    Result<std::vector<SweepAxis>> axes() const;
    QStringList names() const; ///< of the swept parameters
    /// The rows as they are typed, right or not yet: what setAxes() takes.
    std::vector<std::string> texts() const;
    void setAxis(int row, const QString& parameter, const QString& values);
    /// All three rows from "stride=1..128:log2"; rows that are not given sweep nothing.
    void setAxes(const std::vector<std::string>& sweep);

    /// The range a parameter is swept over unless told otherwise: what the experiment says for the class of targets,
    /// else its whole range in at most 33 points.
    static QString defaultRange(const ParamSpec& spec, const std::string& targetClass);

Q_SIGNALS:
    void changed();

private:
    struct Row {
        QComboBox* parameter = nullptr;
        QLineEdit* values = nullptr;
        QLabel* note = nullptr;
    };
    void makeRow(int index);
    void pick(int index);
    Result<SweepAxis> read(const Row& row) const;
    void validate();
    const ParamSpec* spec(const QString& name) const;

    Theme& m_theme;
    std::vector<ParamSpec> m_specs;
    std::string m_targetClass;
    std::array<Row, 3> m_rows;
};

} // namespace ridge::app
