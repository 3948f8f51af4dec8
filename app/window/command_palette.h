// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/overlay.h"
#include "app/window/palette_model.h"

class QLabel;
class QLineEdit;
class QListView;

namespace ridge::app {

/// Ctrl+K: every command, lesson, term, experiment and recent run by name, with the keyboard alone.
class CommandPalette : public Overlay {
    Q_OBJECT
public:
    CommandPalette(AppContext& context, QWidget* window);
    void openWith(const QString& pattern);
    PaletteModel* model() const { return m_model; }
    QLineEdit* field() const { return m_field; }

protected:
    QWidget* firstFocus() override;
    void aboutToOpen() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search();
    void choose();
    void showDetail();

    AppContext& m_context;
    PaletteModel* m_model;
    QLineEdit* m_field;
    QListView* m_list;
    QLabel* m_detail;
};

} // namespace ridge::app
