import type { FastifyInstance } from "fastify";
import {
  AccountDelivery,
  AccountDeliveryFilters,
  AccountWebhook,
  AccountWebhookFilters,
  AccountWebhookInput,
  AccountWebhookPatch,
  accountWebhookItem,
  NewAccountWebhook,
  RotatedWebhookSecret,
} from "../../domain/webhooks/account-resource.js";
import { rotateAccountWebhookSecret } from "../../domain/webhooks/account-secrets.js";
import {
  createAccountWebhook,
  deleteAccountWebhook,
  listAccountDeliveries,
  listAccountWebhooks,
  resendAccountDelivery,
  testAccountWebhook,
  updateAccountWebhook,
} from "../../domain/webhooks/account-webhooks.js";
import { CursorPage } from "../../wire/cursor.js";
import { route } from "../route.js";

/** Common properties of the operations. */
const webhooks = { tag: "Webhooks", version: 2 } as const;

const COLLECTION = "/api/v2/webhooks/";
const WEBHOOK = `${COLLECTION}{webhook}/`;

export function accountWebhookRoutes(app: FastifyInstance): void {
  route(app, {
    ...webhooks,
    id: "listAccountWebhooks",
    summary: "List your webhooks",
    description:
      "Returns the webhooks of your account, oldest first. Webhooks of activities are in version 1.",
    method: "GET",
    path: COLLECTION,
    query: AccountWebhookFilters,
    success: { status: 200, schema: CursorPage(AccountWebhook) },
    failures: [400],
    handle: ({ ctx, query }) => listAccountWebhooks(ctx, query),
  });

  route(app, {
    ...webhooks,
    id: "createAccountWebhook",
    summary: "Create a webhook that is called when samples are stored, jobs end, or sessions change",
    description:
      "Each call is a POST of `{type, timestamp, data}` according to Standard Webhooks 1.0, signed with the secret of the response, which is shown once and never sent. Any 2xx response within 15 s accepts the event. Otherwise the event is sent again after 5 s, 5 min, 30 min, 2 h, 5 h and 10 h. Calls can arrive twice and out of order. An event equal to one that has not been sent yet is not added. A 410 or 20 consecutive undelivered events disable the webhook; a change enables it again.",
    method: "POST",
    path: COLLECTION,
    body: AccountWebhookInput,
    success: {
      status: 201,
      schema: NewAccountWebhook,
      headers: { Location: "The path of the webhook" },
      collection: COLLECTION,
    },
    failures: [400, 409],
    isRepeatable: true,
    handle: ({ ctx, body }) => createAccountWebhook(ctx, body),
  });

  route(app, {
    ...webhooks,
    id: "retrieveAccountWebhook",
    summary: "Retrieve a webhook",
    method: "GET",
    path: WEBHOOK,
    success: { status: 200, schema: AccountWebhook },
    handle: async ({ target }) => accountWebhookItem(target),
  });

  route(app, {
    ...webhooks,
    id: "updateAccountWebhook",
    summary: "Change a webhook",
    description:
      "Absent fields do not change. Events before the change are sent to the previous URL. A disabled webhook is enabled again. The secret does not change.",
    method: "PATCH",
    path: WEBHOOK,
    body: AccountWebhookPatch,
    success: { status: 200, schema: AccountWebhook },
    failures: [400],
    handle: ({ ctx, ids, body }) => updateAccountWebhook(ctx, ids, body),
  });

  route(app, {
    ...webhooks,
    id: "deleteAccountWebhook",
    summary: "Delete a webhook",
    description: "Events that have not been delivered yet are not sent.",
    method: "DELETE",
    path: WEBHOOK,
    success: { status: 204 },
    handle: ({ ctx, ids }) => deleteAccountWebhook(ctx, ids),
  });

  route(app, {
    ...webhooks,
    id: "listAccountDeliveries",
    summary: "List the deliveries of a webhook",
    description:
      "Returns the oldest first. The service keeps the newest 20,000 deliveries of a webhook, and older deliveries only until they have ended.",
    method: "GET",
    path: `${WEBHOOK}deliveries/`,
    query: AccountDeliveryFilters,
    success: { status: 200, schema: CursorPage(AccountDelivery) },
    failures: [400],
    handle: ({ ctx, ids, query }) => listAccountDeliveries(ctx, ids.webhook, query),
  });

  route(app, {
    ...webhooks,
    id: "resendAccountDelivery",
    summary: "Send the event of a delivery again",
    description: "Sends the event immediately, with the same webhook-id, to the current URL of the webhook.",
    method: "POST",
    path: `${WEBHOOK}deliveries/{delivery}/resend/`,
    success: { status: 200, schema: AccountDelivery },
    failures: [409],
    handle: ({ ctx, ids }) => resendAccountDelivery(ctx, ids),
  });

  route(app, {
    ...webhooks,
    id: "rotateAccountWebhookSecret",
    summary: "Replace the secret of a webhook",
    description:
      "The response contains the new secret, which is shown once. For 24 hours, calls are signed with both secrets, so that receivers can change to the new one. After that, only the new secret signs calls. At most 3 replaced secrets sign calls; a further rotation ends the oldest one. If a secret was stolen, let the receiver refuse it at once. Calls that wait or are repeated are signed with the secrets that are valid when they are sent.",
    method: "POST",
    path: `${WEBHOOK}secret/`,
    success: { status: 200, schema: RotatedWebhookSecret },
    isRepeatable: true,
    handle: ({ ctx, ids }) => rotateAccountWebhookSecret(ctx, ids),
  });

  route(app, {
    ...webhooks,
    id: "testAccountWebhook",
    summary: "Call a webhook once with a test event",
    description: "The delivery shows the outcome. A failure is neither retried nor counted.",
    method: "POST",
    path: `${WEBHOOK}test/`,
    success: { status: 200, schema: AccountDelivery },
    failures: [409],
    handle: ({ ctx, ids }) => testAccountWebhook(ctx, ids),
  });
}
