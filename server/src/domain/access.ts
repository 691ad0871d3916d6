import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { preparedOnce, type Queries } from "../store/database.js";
import { type accounts, devices, jobs, ownerships, type Role } from "../store/schema.js";
import { CURRENT_END } from "../wire/types.js";
import { findAccount } from "./accounts/find.js";
import { anyActivity, ownActivity } from "./activities/rules.js";
import {
  athletesManager,
  athletesManagerWhoManages,
  managersWhoManage,
  readersOrThatAthlete,
  thatAthlete,
  thatAthleteOrManager,
  thatAthleteOrManagerWhoManages,
} from "./athletes/rules.js";
import type { Context } from "./context.js";
import { errors } from "./errors.js";
import { jsonSchemaForManagers } from "./json-schemas/rules.js";
import { thatAthleteAndManager, thatAthletesPermission } from "./permissions/rules.js";
import { ownTimeframe, readableTimeframe } from "./timeframes/rules.js";
import { ownDelivery, ownWebhook } from "./webhooks/rules.js";

/** Ids that a path can carry. */
export interface PathIds {
  manager: number;
  athlete: number;
  device: number;
  device_ownership: number;
  permission: number;
  json_schema: number;
  activity: number;
  webhook: number;
  delivery: number;
  timeframe: number;
  job: string;
}

export interface Look {
  queries: Queries;
  /** Lock the object's row until the end of the transaction. */
  lock: boolean;
}

/** Who may call an operation, and on which objects. */
export interface Rule<P extends keyof PathIds, Target> {
  /** In words, for the OpenAPI document. */
  words: string;
  /** Null: anyone. Otherwise the roles that may call. */
  roles: readonly Role[] | null;
  /**
   * Finds the object of the path. Throws `notFound` when it is not there or not visible to the caller, `forbidden` when
   * it is but the caller has no right on it.
   */
  find(ctx: Context, ids: Pick<PathIds, P>, look: Look): Promise<Target>;
}

const nothing = async () => undefined;
const ALL: readonly Role[] = ["MANAGER", "ATHLETE", "ADMINISTRATOR"];

const anyone: Rule<never, undefined> = { words: "Anyone", roles: null, find: nothing };
const authenticated: Rule<never, undefined> = { words: "Any authenticated user", roles: ALL, find: nothing };
const managersAndAthletes: Rule<never, undefined> = {
  words: "Managers and athletes",
  roles: ["MANAGER", "ATHLETE"],
  find: nothing,
};
const manager: Rule<never, undefined> = { words: "Managers", roles: ["MANAGER"], find: nothing };

export type Account = typeof accounts.$inferSelect;
export type Device = typeof devices.$inferSelect;
export type Ownership = typeof ownerships.$inferSelect;

const thatManager: Rule<"manager", Account> = {
  words: "The manager himself or herself",
  roles: ["MANAGER"],
  async find(ctx, ids, look) {
    const account = await findAccount("MANAGER", ids.manager, look);
    if (account.id !== ctx.caller?.id) throw errors.forbidden();
    return account;
  },
};

/** A device and the ownership by which the caller owns it now. */
export interface OwnedDevice {
  device: Device;
  ownership: Ownership;
}

async function findOwnedDevice(ctx: Context, id: number, look: Look, neverActivated?: () => Error) {
  const { device, ownership } = await (look.lock ? lockCurrentOwnership : findCurrentOwnership)(
    look.queries,
    id,
  );
  if (device === undefined) throw errors.notFound();
  if (neverActivated !== undefined && device.activationTime === null) throw neverActivated();
  if (!ownership || ownership.managerId !== ctx.caller?.id) throw errors.forbidden();
  return { device, ownership };
}

const currentOwnershipOfDevice = preparedOnce((queries) =>
  queries
    .select({ device: devices, ownership: ownerships })
    .from(devices)
    .leftJoin(ownerships, and(eq(ownerships.deviceId, devices.id), eq(ownerships.endTime, CURRENT_END)))
    .where(eq(devices.id, sql.placeholder("device")))
    .prepare("current_ownership_of_device"),
);

async function findCurrentOwnership(queries: Queries, device: number) {
  const [row] = await currentOwnershipOfDevice(queries).execute({ device });
  return { device: row?.device, ownership: row?.ownership };
}

/** By two statements: only one that begins after the lock sees what the one before did with the ownership. */
async function lockCurrentOwnership(queries: Queries, id: number) {
  const [device] = await queries.select().from(devices).where(eq(devices.id, id)).for("update");
  const [ownership] = await queries
    .select()
    .from(ownerships)
    .where(and(eq(ownerships.deviceId, id), eq(ownerships.endTime, CURRENT_END)));
  return { device, ownership };
}

const currentOwner: Rule<"device", OwnedDevice> = {
  words: "The manager who currently owns the device",
  roles: ["MANAGER"],
  find: (ctx, ids, look) => findOwnedDevice(ctx, ids.device, look),
};

const currentOwnerToRelease: Rule<"device", OwnedDevice> = {
  ...currentOwner,
  find: (ctx, ids, look) =>
    findOwnedDevice(ctx, ids.device, look, () =>
      errors.conflict("device_not_activated", "The device has never been activated."),
    ),
};

/** A device and every ownership of it that the caller has or had. */
export interface OnceOwnedDevice {
  device: Device;
  ownerships: Ownership[];
}

const ownershipsOfDevice = preparedOnce((queries) =>
  queries
    .select({ device: devices, ownership: ownerships })
    .from(devices)
    .leftJoin(
      ownerships,
      and(eq(ownerships.deviceId, devices.id), eq(ownerships.managerId, sql.placeholder("manager"))),
    )
    .where(eq(devices.id, sql.placeholder("device")))
    .orderBy(ownerships.startTime)
    .prepare("ownerships_of_device"),
);

const everOwner: Rule<"device", OnceOwnedDevice> = {
  words:
    "The manager who owned the device between start and stop; what was recorded at other times is left out",
  roles: ["MANAGER"],
  async find(ctx, ids, { queries }) {
    const rows = await ownershipsOfDevice(queries).execute({
      device: ids.device,
      manager: ctx.caller?.id ?? 0,
    });
    const device = rows[0]?.device;
    if (device === undefined) throw errors.notFound();
    const own = rows.flatMap(({ ownership }) => ownership ?? []);
    if (own.length === 0) throw errors.forbidden();
    return { device, ownerships: own };
  },
};

export type Job = Omit<typeof jobs.$inferSelect, "body" | "payload">;

const ownJob: Rule<"job", Job> = {
  words: "Any authenticated user, on his or her own jobs",
  roles: ALL,
  async find(ctx, { job }, { queries }) {
    const { body: _body, payload: _payload, ...columns } = getTableColumns(jobs);
    const named = /^\d+$/.test(job) ? eq(jobs.id, Number(job)) : eq(jobs.jobId, job);
    const [found] = await queries
      .select(columns)
      .from(jobs)
      .where(and(named, eq(jobs.accountId, ctx.caller?.id ?? 0)));
    if (found === undefined) throw errors.notFound();
    return found;
  },
};

const ownOwnership: Rule<"device_ownership", Ownership> = {
  words: "Managers, on their own ownerships",
  roles: ["MANAGER"],
  async find(ctx, ids, look) {
    const [ownership] = await look.queries
      .select()
      .from(ownerships)
      .where(eq(ownerships.id, ids.device_ownership));
    if (ownership === undefined || ownership.managerId !== ctx.caller?.id) throw errors.notFound();
    return ownership;
  },
};

/**
 * The one table of who may do what. Its keys are the operation ids of the OpenAPI document; an operation without an
 * entry here cannot be routed.
 */
export const access = {
  obtainToken: anyone,
  authorize: anyone,
  retrieveAccount: authenticated,

  createManager: anyone,
  retrieveManagerByExternalId: manager,
  retrieveManager: thatManager,
  updateManager: thatManager,
  changeManagerPassword: thatManager,

  listDevices: manager,
  retrieveDevice: currentOwner,
  setCustomName: currentOwner,

  fetchRawData: everOwner,
  listRawDataRanges: everOwner,
  fetchLatestRawData: currentOwner,
  retrieveLatestTimestamp: currentOwner,

  convertFile: authenticated,
  bulkLoad: currentOwner,
  retrieveJob: ownJob,

  retrieveBluetoothConfiguration: currentOwner,
  configureBluetooth: currentOwner,

  listOwnerships: manager,
  retrieveOwnership: ownOwnership,
  takeOwnership: manager,
  releaseOwnership: currentOwnerToRelease,

  listAthletes: manager,
  createAthlete: anyone,
  createManagedAthlete: managersWhoManage,
  // The object is found by the query, so the verb itself asks for the right on it.
  retrieveAthleteByExternalId: managersAndAthletes,
  retrieveAthlete: readersOrThatAthlete,
  updateAthlete: thatAthleteOrManagerWhoManages,
  deleteAthlete: thatAthleteOrManager,
  updateManagedAthlete: athletesManagerWhoManages,
  deleteManagedAthlete: athletesManager,
  changeAthletePassword: thatAthlete,

  listPermissions: thatAthlete,
  listManagerPermissions: thatAthleteAndManager,
  createPermissions: thatAthleteAndManager,
  revokePermissions: thatAthleteAndManager,
  revokePermission: thatAthletesPermission,

  listJsonSchemas: manager,
  retrieveJsonSchema: jsonSchemaForManagers,

  listActivities: manager,
  createActivity: manager,
  retrieveActivity: ownActivity,
  updateActivity: ownActivity,
  deleteActivity: ownActivity,
  retrieveActivityComputedData: anyActivity,

  listTimeframes: manager,
  createTimeframe: manager,
  retrieveTimeframe: ownTimeframe,
  updateTimeframe: ownTimeframe,
  updateTimeframePartially: ownTimeframe,
  deleteTimeframe: ownTimeframe,
  retrieveTimeframeComputedData: readableTimeframe,

  listWebhooks: ownActivity,
  createWebhook: ownActivity,
  retrieveWebhook: ownWebhook,
  updateWebhook: ownWebhook,
  deleteWebhook: ownWebhook,
  listDeliveries: ownWebhook,
  resendDelivery: ownDelivery,
  testWebhook: ownWebhook,
} satisfies Record<string, Rule<never, unknown>>;

export type OperationId = keyof typeof access;
type RuleOf<Op extends OperationId> = (typeof access)[Op];
export type IdsOf<Op extends OperationId> = Parameters<RuleOf<Op>["find"]>[1];
export type TargetOf<Op extends OperationId> = Awaited<ReturnType<RuleOf<Op>["find"]>>;

/**
 * Refuses a caller whose role may not call the operation at all.
 * @throws ServiceError `unauthenticated`, `forbidden`
 */
export function authorizeRole(ctx: Context, operation: OperationId): void {
  const { roles }: Rule<never, unknown> = access[operation];
  if (roles === null) return;
  if (ctx.caller === null) throw errors.unauthenticated(false);
  if (!roles.includes(ctx.caller.role)) throw errors.forbidden();
}

/**
 * The check of every operation: the caller's role, then the object of the path, then the caller's right on it.
 * @returns the object of the path
 * @throws ServiceError `unauthenticated`, `forbidden`, `not_found`
 */
export async function authorize<Op extends OperationId>(
  ctx: Context,
  operation: Op,
  ids: IdsOf<Op>,
  look: Look = { queries: ctx.queries, lock: false },
): Promise<TargetOf<Op>> {
  authorizeRole(ctx, operation);
  const rule = access[operation] as unknown as Rule<keyof PathIds, TargetOf<Op>>;
  return rule.find(ctx, ids as PathIds, look);
}
