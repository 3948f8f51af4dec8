// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/window/overlay.h"
#include "search/search_service.h"

class QLabel;
class QLineEdit;
class QListView;

namespace ridge::app {

class SearchModel;

/// Ctrl+Shift+F: words in lessons, terms, runs, notes and artifacts, answered while one types. Opens a hit at the
/// block in which it stands. Keyboard alone: the field keeps the focus, arrows choose, Enter opens.
class SearchOverlay : public Overlay {
    Q_OBJECT
public:
    SearchOverlay(AppContext& context, QWidget* window);
    void openWith(const QString& typed);
    /// Brings the index up to date in a while, on its own thread, where there are more than `many` runs: else the first
    /// search of a large record waits for seconds.
    void prepareSoon(std::int64_t many = 20000, int afterMs = 8000);
    QLineEdit* field() const { return m_field; }
    QListView* list() const { return m_list; }
    /// True when what is shown answers what stands in the field.
    bool settled() const;

Q_SIGNALS:
    void settledChanged();

protected:
    QWidget* firstFocus() override;
    void aboutToOpen() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    SearchService& service();
    void ask();
    void show(const SearchAnswer& answer);
    void choose();

    AppContext& m_context;
    std::unique_ptr<SearchService> m_service; ///< made when first needed
    SearchModel* m_model;
    QLineEdit* m_field;
    QListView* m_list;
    QLabel* m_count;
    QString m_answered;
};

} // namespace ridge::app
