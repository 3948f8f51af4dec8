// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/page.h"
#include "app/window/gallery/gallery_model.h"

class QComboBox;
class QLabel;
class QListView;
class QMenu;
class QPushButton;
class QVBoxLayout;

namespace ridge::app {

class Card;
class CardDelegate;
class FilterBar;

/// Everything that can be tried in the Lab, as cards: experiments, tasks that are graded, kernels. Page "gallery".
class GalleryPage : public Page {
    Q_OBJECT
public:
    explicit GalleryPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("Gallery"); }
    bool ready() const override;
    bool can(Command command) const override { return command == Command::Find; }
    void perform(Command command) override;
    QList<QWidget*> panes() const override;

    GalleryModel* model() const { return m_model; }
    QListView* view() const { return m_view; }
    FilterBar* filter() const { return m_filter; }
    QComboBox* kinds() const { return m_kinds; }
    QComboBox* modules() const { return m_modules; }
    QComboBox* shows() const { return m_shows; }
    QPushButton* openButton() const { return m_open; }
    QPushButton* favouriteButton() const { return m_favourite; }
    QPushButton* otherChipButton() const { return m_other; }
    QLabel* latest() const { return m_latest; } ///< the last runs of what is chosen, in words
    const GalleryCard* chosen() const;          ///< null: none is shown
    bool readsRecord() const { return m_reading; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeSide();
    void fillCards();
    void refresh();
    void applyQuery();
    void choose(const QString& key);
    void showChosen();
    void openChosen();
    void toggleFavourite();
    void fillChips();
    void fit();
    void fitCards();

    AppContext& m_context;
    GalleryModel* m_model;
    CardDelegate* m_delegate;
    FilterBar* m_filter;
    QComboBox* m_kinds;
    QComboBox* m_modules;
    QComboBox* m_shows;
    QListView* m_view;
    Card* m_side = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_state = nullptr;
    QLabel* m_about = nullptr;
    QLabel* m_latest = nullptr;
    QPushButton* m_open = nullptr;
    QPushButton* m_favourite = nullptr;
    QPushButton* m_other = nullptr;
    QPushButton* m_lesson = nullptr;
    QMenu* m_chips = nullptr;
    bool m_reading = false;
};

} // namespace ridge::app
