// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QWidget>

class QLineEdit;

namespace ridge::app {

class FlowLayout;

/// The labels on something, each a button that takes it off, and a field in which one is typed. Enter puts it on.
class TagField : public QWidget {
    Q_OBJECT
public:
    explicit TagField(Theme& theme, QWidget* parent = nullptr);
    /// `known`: labels that are used somewhere, offered while typing.
    void setTags(const QStringList& tags, const QStringList& known);
    /// What the labels are put on, for a screen reader: "3 runs".
    void setSubject(const QString& what);
    void startTyping();
    const QStringList& tags() const { return m_tags; }
    QLineEdit* field() const { return m_field; }

Q_SIGNALS:
    void added(const QString& label);
    void removed(const QString& label);

private:
    void take();

    Theme& m_theme;
    FlowLayout* m_flow;
    QLineEdit* m_field;
    QStringList m_tags, m_known;
    QList<QWidget*> m_chips;
};

} // namespace ridge::app
