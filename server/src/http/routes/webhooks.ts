import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import {
  DeliveryFilters,
  listDeliveries,
  resendDelivery,
  testWebhook,
} from "../../domain/webhooks/deliveries.js";
import { createWebhook, deleteWebhook, listWebhooks, updateWebhook } from "../../domain/webhooks/manage.js";
import {
  Webhook,
  WebhookDelivery,
  WebhookInput,
  WebhookUpdate,
  webhookItem,
} from "../../domain/webhooks/resource.js";
import { Page, PageQuery } from "../../wire/types.js";
import { route } from "../route.js";

const tag = "Activity webhooks";
const deprecated = true;

export function webhookRoutes(app: FastifyInstance): void {
  route(app, {
    id: "listWebhooks",
    tag,
    summary: "List an activity's webhooks",
    deprecated,
    method: "GET",
    path: "/api/v1/activities/{activity}/webhooks/",
    query: Type.Object(PageQuery),
    success: { status: 200, schema: Page(Webhook) },
    failures: [404],
    handle: ({ ctx, ids, query }) => listWebhooks(ctx, ids.activity, query),
  });

  route(app, {
    id: "createWebhook",
    tag,
    summary: "Create a webhook that is called when the activity or its time frames change",
    description:
      "Each call is a POST of {event, webhook_id, data} with the secret in X-Asi-Api-Token, signed according to Standard Webhooks with the UTF-8 bytes of the secret as the key. Any 2xx response within 15 s accepts the event. Otherwise the event is sent again after 5 s, 5 min, 30 min, 2 h, 5 h and 10 h. Calls can arrive twice and out of order. A 410 or 20 consecutive undelivered events disable the webhook; an update enables it again.",
    deprecated,
    method: "POST",
    path: "/api/v1/activities/{activity}/webhooks/",
    body: WebhookInput,
    success: { status: 200, schema: Webhook },
    failures: [400],
    handle: ({ ctx, ids, body }) => createWebhook(ctx, ids.activity, body),
  });

  route(app, {
    id: "retrieveWebhook",
    tag,
    summary: "Retrieve a webhook",
    deprecated,
    method: "GET",
    path: "/api/v1/activities/{activity}/webhooks/{webhook}/",
    success: { status: 200, schema: Webhook },
    handle: async ({ ctx, target }) => webhookItem(ctx, target),
  });

  route(app, {
    id: "updateWebhook",
    tag,
    summary: "Update a webhook",
    description:
      "PUT requires all fields; PATCH changes the fields sent. Sending back the masked secret_token keeps the secret. A URL with another scheme, host or port needs the full secret_token: without it, the status is 400 with the code `secret_token_required`. Events before the change are sent to the previous URL. A disabled webhook is enabled again.",
    deprecated,
    method: "PUT",
    path: "/api/v1/activities/{activity}/webhooks/{webhook}/",
    body: WebhookInput,
    success: { status: 200, schema: Webhook },
    failures: [400],
    handle: ({ ctx, ids, body }) => updateWebhook(ctx, ids, body),
    patch: { body: WebhookUpdate, handle: ({ ctx, ids, body }) => updateWebhook(ctx, ids, body) },
  });

  route(app, {
    id: "deleteWebhook",
    tag,
    summary: "Delete a webhook",
    description: "Events that have not been delivered yet are not sent.",
    deprecated,
    method: "DELETE",
    path: "/api/v1/activities/{activity}/webhooks/{webhook}/",
    success: { status: 204 },
    handle: ({ ctx, ids }) => deleteWebhook(ctx, ids),
  });

  route(app, {
    id: "listDeliveries",
    tag,
    summary: "List a webhook's deliveries",
    description:
      "The service keeps the newest 20,000 deliveries of a webhook, and older deliveries only until they have ended.",
    deprecated,
    method: "GET",
    path: "/api/v1/activities/{activity}/webhooks/{webhook}/deliveries/",
    query: DeliveryFilters,
    success: { status: 200, schema: Page(WebhookDelivery) },
    failures: [400, 404],
    handle: ({ ctx, ids, query }) => listDeliveries(ctx, ids.webhook, query),
  });

  route(app, {
    id: "resendDelivery",
    tag,
    summary: "Send a delivery's event again",
    description: "Sends the event immediately, with the same webhook-id, to the current URL of the webhook.",
    deprecated,
    method: "POST",
    path: "/api/v1/activities/{activity}/webhooks/{webhook}/deliveries/{delivery}/resend/",
    success: { status: 200, schema: WebhookDelivery },
    handle: ({ ctx, ids }) => resendDelivery(ctx, ids),
  });

  route(app, {
    id: "testWebhook",
    tag,
    summary: "Call the webhook once with a test event",
    description: "The delivery shows the outcome. A failure is neither retried nor counted.",
    deprecated,
    method: "POST",
    path: "/api/v1/activities/{activity}/webhooks/{webhook}/test/",
    success: { status: 200, schema: WebhookDelivery },
    handle: ({ ctx, ids }) => testWebhook(ctx, ids),
  });
}
