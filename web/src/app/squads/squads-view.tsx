import { lazily } from "../parts/lazily.js";
import type { ViewProps } from "../view.js";
import "./squads.css";

// loaded separately, because each is as large as a whole view
const SquadList = lazily(async () => (await import("./squad-list.js")).SquadList);
const SquadPage = lazily(async () => (await import("./squad-page.js")).SquadPage);

/** `#/squads`, `#/squads/5`, `#/squads/5/trackers`, `#/squads/5/season` and `#/squads/5/access`. */
export function SquadsView(props: ViewProps) {
  const [squad, tab = "players"] = props.params;
  return squad === undefined ? (
    <SquadList {...props} />
  ) : (
    <SquadPage key={squad} {...props} id={Number(squad)} tab={tab} />
  );
}
