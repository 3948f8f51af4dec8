// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "base/parameters.h"

#include <QWidget>
#include <functional>

class QLineEdit;

namespace ridge::app {

class ThemedLabel;

/// A form made from parameter declarations: a list becomes a combo box, a range a slider with a field, a text a field
/// with a button that browses where it is a file. It always holds legal values; of text that is
/// not one it says below why, and the last legal value stays.
class ParameterForm : public QWidget {
    Q_OBJECT
public:
    /// `specs` in the order shown; `values` may be partial, defaults are for `targetClass`.
    ParameterForm(Theme& theme, std::vector<ParamSpec> specs, const ParamSet& values, const std::string& targetClass,
                  QWidget* parent = nullptr);

    const ParamSet& values() const { return m_values; }
    void setValue(const std::string& name, const ParamValue& value);
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void changed();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addRow(QWidget* editor, const ParamSpec& spec);
    QWidget* makeChoice(const ParamSpec& spec);
    QWidget* makeRange(const ParamSpec& spec);
    QWidget* makeText(const ParamSpec& spec);
    void browseFor(const ParamSpec& spec, const QString& title);
    void refuse(const ParamSpec& spec, const Error& error);
    void take(const std::string& name, const ParamValue& value);
    void alignRows();
    int nameWidth(const QFontMetrics& metrics) const;
    void arrange();

    struct Row {
        QWidget* head;
        ThemedLabel* name;
        QWidget* editor;
    };
    struct RangeRow {
        const ParamSpec* spec;
        QLineEdit* field;
        ThemedLabel* unit;
    };
    Theme& m_theme;
    std::vector<ParamSpec> m_specs;
    std::vector<Row> m_rows;
    std::vector<RangeRow> m_ranges;
    ThemedLabel* m_wrong; ///< why the last thing typed was not taken
    ParamSet m_values;
    std::map<std::string, std::function<void(const ParamValue&)>> m_show;
    std::map<std::string, ThemedLabel*> m_words; ///< of values whose unit takes a prefix: "256 MiB"
    int m_least = 0;                             ///< width with the names above
    int m_beside = 0;                            ///< width with the names beside
    bool m_above = false;
};

} // namespace ridge::app
