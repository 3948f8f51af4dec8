// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QPushButton;

namespace ridge::app {

/// The chips that are chosen, each with the way to set the others against it and to take it out; while none is, what to
/// do. As many in a row as fit.
class ChoiceBar : public QWidget {
    Q_OBJECT
public:
    struct Entry {
        QString id, name;
        bool operator==(const Entry&) const = default;
    };
    explicit ChoiceBar(Theme& theme, QWidget* parent = nullptr);
    void show(const std::vector<Entry>& entries);
    void setCompareShown(bool shown); ///< off where they are compared already

Q_SIGNALS:
    void removed(const QString& id);
    void madeFirst(const QString& id);
    void compared();
    void cleared();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeTag(const Entry& entry, int index);
    void arrange();

    Theme& m_theme;
    std::vector<Entry> m_entries;
    QGridLayout* m_grid;
    QList<QWidget*> m_tags;
    QLabel* m_hint;
    QPushButton* m_compare;
    QPushButton* m_clear;
    int m_columns = 0;
};

} // namespace ridge::app
