import type { FastifyInstance } from "fastify";
import { accountWebhookRoutes } from "./account-webhooks.js";
import { activityRoutes } from "./activities.js";
import { applicationRoutes } from "./applications.js";
import { athleteRoutes } from "./athletes.js";
import { authorizeRoutes } from "./authorize.js";
import { bluetoothRoutes } from "./bluetooth.js";
import { bulkLoadRoutes } from "./bulk-load.js";
import { changeRoutes } from "./changes.js";
import { computedDataRoutes } from "./computed-data.js";
import { conversionRoutes } from "./conversion.js";
import { deviceSignInRoutes } from "./device-sign-in.js";
import { deviceRoutes } from "./devices.js";
import { docsRoutes } from "./docs.js";
import { healthRoutes } from "./health.js";
import { jsonSchemaRoutes } from "./json-schemas.js";
import { liveRoutes } from "./live.js";
import { managerRoutes } from "./managers.js";
import { mcpRoutes } from "./mcp.js";
import { oauthMetadataRoutes } from "./oauth-metadata.js";
import { ownershipRoutes } from "./ownerships.js";
import { pageRoutes } from "./page.js";
import { passwordResetRoutes } from "./password-reset.js";
import { permissionRoutes } from "./permissions.js";
import { personalDataRoutes } from "./personal-data.js";
import { personalTokenRoutes } from "./personal-tokens.js";
import { providerSignInRoutes } from "./provider-sign-in.js";
import { rawDataRoutes } from "./raw-data.js";
import { recipeRoutes } from "./recipes.js";
import { recordingStreamRoutes } from "./recording-streams.js";
import { recordingRoutes } from "./recordings.js";
import { sampleFileRoutes } from "./sample-files.js";
import { sessionRoutes } from "./sessions.js";
import { squadRoleRoutes } from "./squad-roles.js";
import { squadSessionRoutes } from "./squad-sessions.js";
import { squadRoutes } from "./squads.js";
import { timeframeRoutes } from "./timeframes.js";
import { tokenRoutes } from "./tokens.js";
import { webhookRoutes } from "./webhooks.js";

/** All groups of operations, one file each. */
export const routes: readonly ((app: FastifyInstance) => void | Promise<void>)[] = [
  tokenRoutes,
  oauthMetadataRoutes,
  authorizeRoutes,
  sessionRoutes,
  providerSignInRoutes,
  deviceSignInRoutes,
  personalTokenRoutes,
  applicationRoutes,
  passwordResetRoutes,
  managerRoutes,
  deviceRoutes,
  rawDataRoutes,
  sampleFileRoutes,
  liveRoutes,
  bulkLoadRoutes,
  recordingRoutes,
  recordingStreamRoutes,
  conversionRoutes,
  bluetoothRoutes,
  ownershipRoutes,
  athleteRoutes,
  personalDataRoutes,
  permissionRoutes,
  jsonSchemaRoutes,
  activityRoutes,
  timeframeRoutes,
  computedDataRoutes,
  recipeRoutes,
  squadRoutes,
  squadRoleRoutes,
  squadSessionRoutes,
  changeRoutes,
  webhookRoutes,
  accountWebhookRoutes,
  mcpRoutes,
  docsRoutes,
  healthRoutes,
  pageRoutes,
];
