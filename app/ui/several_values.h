// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "base/parameters.h"

#include <QWidget>

class QAbstractButton;
class QLineEdit;

namespace ridge::app {

/// Several values of one parameter, for runs that one press starts: boxes to tick where it has named choices, else a
/// field with commas between the values, which also takes the ranges of a sweep ("1..64:log2").
class SeveralValues : public QWidget {
    Q_OBJECT
public:
    /// `values`: as parseSweep reads them behind the '='.
    SeveralValues(Theme& theme, const ParamSpec& spec, const std::string& values, QWidget* parent = nullptr);

    const std::string& name() const { return m_spec.name; }
    /// "fma_per_16=1,4,16". What is no legal value is found out where it is read.
    std::string axis() const;
    void setValues(const std::vector<ParamValue>& values);

Q_SIGNALS:
    void changed();

private:
    ParamSpec m_spec;
    std::vector<QAbstractButton*> m_boxes; ///< one for each choice
    QLineEdit* m_field = nullptr;
};

} // namespace ridge::app
