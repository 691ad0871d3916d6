import type { ViewProps } from "../view.js";
import { AthleteList } from "./athlete-list.js";
import { AthletePage } from "./athlete-page.js";

/** The list of athletes that a manager may see, or one of them. */
export function AthletesView(props: ViewProps) {
  const [id] = props.params;
  return id === undefined ? <AthleteList {...props} /> : <AthletePage key={id} id={Number(id)} {...props} />;
}
