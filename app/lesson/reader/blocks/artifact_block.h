// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/error_card.h"
#include "app/session/draft_file.h"

class QPlainTextEdit;
class QPushButton;

namespace ridge::app {

/// What the lesson ships: the claim filled from the reader's runs, a reflection typed in place and saved as it is
/// typed, what is still missing, and the shipped artifact afterwards.
class ArtifactBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    ArtifactBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);

    void activate() override { ship(); }
    bool canActivate() const override;
    void ship();
    /// What still has to be done, in the order of the lesson; empty: ready.
    QStringList missing() const;

private:
    void addPrompts();
    void addShipped();
    void refresh();
    void refreshForm();
    void showShipped(const record::ArtifactRow& row);
    std::string reflection() const;
    void shipFailed(const Error& error);

    const lessons::ArtifactBlock& m_artifact;
    DraftFile* m_draft;
    QWidget* m_form;
    ProseView* m_claim = nullptr;
    std::vector<QPlainTextEdit*> m_answers;
    ThemedLabel* m_missing;
    QPushButton* m_ship;
    ErrorCard* m_error;
    QWidget* m_shipped;
    ThemedLabel* m_shippedTitle;
    ThemedLabel* m_shippedText;
    QPushButton* m_open;
    ThemedLabel* m_shippedFacts;
    QString m_shippedId;
    bool m_shipping = false, m_again = false;
};

} // namespace ridge::app
