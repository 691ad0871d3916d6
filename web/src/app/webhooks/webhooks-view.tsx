import type { ViewProps } from "../view.js";
import { ActivityChoice } from "./activity-choice.js";
import { ActivityWebhooks } from "./activity-webhooks.js";
import { WebhookPage } from "./webhook-page.js";
import "./webhooks.css";

/** `#/webhooks`, `#/webhooks/5` for an activity, and `#/webhooks/5/1` for one of its webhooks. */
export function WebhooksView(props: ViewProps) {
  const [activity, webhook] = props.params;
  if (activity === undefined) return <ActivityChoice {...props} />;
  if (webhook === undefined)
    return <ActivityWebhooks key={activity} {...props} activity={Number(activity)} />;
  return (
    <WebhookPage
      key={`${activity} ${webhook}`}
      {...props}
      activity={Number(activity)}
      webhook={Number(webhook)}
    />
  );
}
