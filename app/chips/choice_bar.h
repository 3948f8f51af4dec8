// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace ridge::app {

/// The chips that are chosen, each with the way to set the others against it and to take it out; while none is, what to
/// do. One row: names give way where there is little room.
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
    QWidget* makeTag(const Entry& entry, int index, int width);
    void arrange();

    Theme& m_theme;
    std::vector<Entry> m_entries;
    QHBoxLayout* m_tagRow;
    QList<QWidget*> m_tags;
    QLabel* m_hint;
    QPushButton* m_compare;
    QPushButton* m_clear;
    int m_tagWidth = 0; ///< that the tags were made for
};

} // namespace ridge::app
