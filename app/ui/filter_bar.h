// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QWidget>
#include <utility>
#include <vector>

class QBoxLayout;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;

namespace ridge::app {

/// What stands above a list that can be filtered: a field for words, pickers, how many are left. Two rows where one is
/// too narrow for all of it.
class FilterBar : public QWidget {
    Q_OBJECT
public:
    FilterBar(Theme& theme, const QString& textName, const QString& placeholder, QWidget* parent = nullptr);

    QLineEdit* text() const { return m_text; }
    /// A picker whose first entry, `all`, lets everything through.
    QComboBox* addPicker(const QString& name, const QString& all);
    /// Puts values, as (shown, value), behind the first entry; what was chosen stays chosen where it is still there.
    void fill(QComboBox* picker, const std::vector<std::pair<QString, QString>>& values);
    void fill(QComboBox* picker, const QStringList& values);
    /// A further control beside the pickers.
    void addControl(QWidget* control);
    void setCount(const QString& words);
    QString countText() const;
    /// Lets everything through again and takes the focus to the field.
    void clear();

Q_SIGNALS:
    void changed();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void arrange();

    QBoxLayout* m_rows;
    QWidget* m_words;
    QWidget* m_controls;
    QHBoxLayout* m_pickers;
    QLineEdit* m_text;
    QLabel* m_count;
    std::vector<QComboBox*> m_all;
};

} // namespace ridge::app
