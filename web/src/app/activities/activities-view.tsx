import type { ViewProps } from "../view.js";
import { ActivityList } from "./activity-list.js";
import { ActivityPage } from "./activity-page.js";
import { FramePage } from "./frame-page.js";
import "./activities.css";

/** `#/activities`, `#/activities/5`, `#/activities/5/new` and `#/activities/5/8`, a time frame. */
export function ActivitiesView(props: ViewProps) {
  const [activity, frame] = props.params;
  if (activity === undefined) return <ActivityList {...props} />;
  if (frame === undefined) return <ActivityPage key={activity} {...props} id={Number(activity)} />;
  return (
    <FramePage
      key={`${activity} ${frame}`}
      {...props}
      activity={Number(activity)}
      id={frame === "new" ? null : Number(frame)}
    />
  );
}
