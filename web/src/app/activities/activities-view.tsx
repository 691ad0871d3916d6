import { lazily } from "../parts/lazily.js";
import type { ViewProps } from "../view.js";
import "./activities.css";

// loaded separately, because each is as large as a whole view
const ActivityList = lazily(async () => (await import("./activity-list.js")).ActivityList);
const ActivityPage = lazily(async () => (await import("./activity-page.js")).ActivityPage);
const FramePage = lazily(async () => (await import("./frame-page.js")).FramePage);

/** `#/activities`, `#/activities/5`, `#/activities/5/new`, and `#/activities/5/8` for a time frame. */
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
