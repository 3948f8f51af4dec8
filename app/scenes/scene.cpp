// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/scenes/scene.h"

namespace ridge::app {

std::unique_ptr<Scene> makeScene(const QString& id)
{
    if (id == QLatin1String("lanes_sectors"))
        return makeLanesSectorsScene();
    if (id == QLatin1String("shared_banks"))
        return makeSharedBanksScene();
    return nullptr;
}

Json describe(const SceneDrawing& drawing)
{
    Json json;
    json["summary"] = drawing.summary.toStdString();
    json["size"] = {qRound(drawing.size.width()), qRound(drawing.size.height())};
    json["items"] = Json::array();
    for (const SceneItem& item : drawing.items)
        json["items"].push_back({{"id", item.id.toStdString()},
                                 {"text", item.text.toStdString()},
                                 {"rect", Json{qRound(item.rect.x()), qRound(item.rect.y()), qRound(item.rect.width()),
                                               qRound(item.rect.height())}}});
    json["labels"] = Json::array();
    for (const Label& label : drawing.labels)
        json["labels"].push_back(label.text.toStdString());
    json["counts"] = {{"quads", drawing.quads.size()}, {"links", drawing.links.size()}};
    return json;
}

} // namespace ridge::app
