import { managingManager } from "./people.js";
import { newRecipe } from "./recipes.js";
import { walk } from "./recordings.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";
import { newActivity, schemaId } from "./team.js";

/** People who have different rights to the objects of one manager. The authorization matrix defines these rights. */
export interface Scene {
  owner: TestAccount;
  formerOwner: TestAccount;
  anotherManager: TestAccount;
  /** The athlete in `ids.athlete`. */
  thatAthlete: TestAccount;
  anotherAthlete: TestAccount;
  device: TestDevice;
  /** External id of `thatAthlete`. */
  externalId: string;
  /** Id of the owner's managed athlete. */
  managedAthlete: number;
  /** Ids of objects of the owner or of that athlete, for every path parameter. The webhook belongs to an activity. */
  ids: Record<string, number>;
  /** Returns the ids for a path. In paths of version 2, the webhook belongs to the account. */
  idsFor(path: string): Record<string, number>;
  /** Grants the permission in `ids` to the former owner again after it was revoked. */
  permitFormerOwner(): Promise<void>;
  /** Adds an application again after it was deleted. */
  addApplication(): Promise<void>;
  /** Invites the former owner again after the invitation was deleted. */
  inviteFormerOwner(): Promise<void>;
  /** Invites another manager again after the invitation was accepted. */
  inviteAnotherManager(): Promise<void>;
}

/**
 * Creates the scene. The owner owns a device that the former owner has released, has loaded a recording into it, and manages an
 * athlete. The owner has an activity with a webhook and a time frame of that athlete, a recipe, and a squad with a session, and
 * may now read `thatAthlete`, whom the former owner could read until 2021.
 */
export async function newScene(s: TestService): Promise<Scene> {
  const owner = await managingManager({}, "?create_default_athlete=true", s);
  const [formerOwner, anotherManager, thatAthlete, anotherAthlete] = await Promise.all([
    s.manager(),
    s.manager(),
    s.athlete(),
    s.athlete(),
  ]);
  const device = await s.ownedDevice(formerOwner);
  await s.release(device, formerOwner);
  await s.take(device, owner);
  const [ownership] = (await s.get("/api/v1/device-ownerships/", owner.token)).body.results;

  const [managed] = (await s.get("/api/v1/athletes/?is_managed=true", owner.token)).body.results;
  const externalId = `external-${thatAthlete.id}`;
  await s.send("PATCH", `/api/v1/athletes/${thatAthlete.id}/`, {
    token: thatAthlete.token,
    json: { external_id: externalId },
  });
  const give = (manager: TestAccount, expiration_time: string) =>
    s.post(
      `/api/v1/athletes/${thatAthlete.id}/managers/${manager.id}/permissions/`,
      { start_time: "2020-01-01T00:00:00Z", expiration_time, permission: "READ" },
      thatAthlete.token,
    );
  await give(owner, "2999-01-01T00:00:00Z");
  const permitFormerOwner = async () => (await give(formerOwner, "2021-01-01T00:00:00Z")).body.id;

  const activity = await newActivity(s, owner);
  const frame = await s.post(
    "/api/v1/timeframes/",
    {
      start_time: "2024-06-01T10:00:00.000Z",
      end_time: "2024-06-01T11:00:00.000Z",
      params: {},
      device: device.id,
      activity,
      athlete: managed.id,
      owner: owner.id,
      json_schema: await schemaId(s, "timeframe_soccer"),
    },
    owner.token,
  );
  // The recording is from the next minute, when the device belongs to the owner.
  const recording = await walk(device.serial_number, new Date(Date.now() + 60_000).toISOString(), 1);
  const { body: job } = await s.post(
    `/api/v1/devices/${device.id}/bulk-load/`,
    { asi_b64: Buffer.from(recording).toString("base64") },
    owner.token,
  );
  await s.runJobs();
  // Store the webhook while private addresses are allowed, because no delivery may leave the machine.
  const open = await TestService.start(s.store, { webhookAllowPrivate: true });
  const webhooks = `/api/v1/activities/${activity}/webhooks/`;
  const { body: webhook } = await open.post(
    webhooks,
    {
      webhook_url: "http://127.0.0.1:9/",
      secret_token: "secret",
      activity_events: true,
      timeframes_events: true,
    },
    owner.token,
  );
  const hooks = "/api/v2/webhooks/";
  const events = ["session.changed"];
  const { body: accountWebhook } = await open.post(
    hooks,
    { url: "http://127.0.0.1:9/", events },
    owner.token,
  );
  await open.stop();
  // Start a session other than the session of the owner's token.
  await s.logIn(owner.username, owner.password);
  const { body: sessions } = await s.get("/session/", owner.token);
  const another = sessions.results.find(({ is_current }: { is_current: boolean }) => !is_current);
  const { body: token } = await s.post(
    "/api/v2/tokens/",
    { name: "Warehouse", scopes: ["samples:read"], valid_days: 1, password: owner.password },
    owner.token,
  );
  const addApplication = async (): Promise<number> => {
    const wanted = { name: "Warehouse", scopes: ["samples:read"], password: owner.password };
    return (await s.post("/api/v2/applications/", wanted, owner.token)).body.id;
  };
  const { body: delivery } = await s.post(`${webhooks}${webhook.id}/test/`, undefined, owner.token);

  const { body: accountDelivery } = await s.post(
    `${hooks}${accountWebhook.id}/test/`,
    undefined,
    owner.token,
  );
  const { body: recipe } = await s.post("/api/v2/recipes/", newRecipe(), owner.token);

  const { body: squad } = await s.post("/api/v2/squads/", { name: "First team" }, owner.token);
  // Create the squad before the members and assignments in the examples.
  const worn = {
    athlete: managed.id,
    start_time: "2024-01-01T00:00:00.000Z",
    end_time: "2024-07-01T00:00:00.000Z",
  };
  const { body: member } = await s.post("/api/v2/members/", { squad: squad.id, ...worn }, owner.token);
  const { body: assignment } = await s.post(
    "/api/v2/assignments/",
    { device: device.id, ...worn },
    owner.token,
  );
  const session = await newSession(s, owner, squad.id);
  const grants = `/api/v2/squads/${squad.id}/grants/`;
  const invite = async ({ username }: TestAccount) =>
    (await s.post(grants, { username, role: "coach" }, owner.token)).body.id;

  const scene = {
    owner,
    formerOwner,
    anotherManager,
    thatAthlete,
    anotherAthlete,
    device,
    externalId,
    managedAthlete: managed.id,
    ids: {
      manager: owner.id,
      athlete: thatAthlete.id,
      device: device.id,
      device_ownership: ownership.id,
      permission: await permitFormerOwner(),
      json_schema: await schemaId(s, "activity_soccer"),
      activity,
      timeframe: frame.body.id,
      webhook: webhook.id,
      delivery: delivery.id,
      job: job.id,
      page_session: another.id,
      token: token.id,
      application: await addApplication(),
      session,
      recipe: recipe.id,
      squad: squad.id,
      member: member.id,
      assignment: assignment.id,
      grant: await invite(formerOwner),
      invitation: await invite(anotherManager),
    },
    idsFor: (path: string): Record<string, number> =>
      path.startsWith(hooks)
        ? { ...scene.ids, webhook: accountWebhook.id, delivery: accountDelivery.id }
        : scene.ids,
    async addApplication() {
      scene.ids.application = await addApplication();
    },
    async inviteFormerOwner() {
      scene.ids.grant = await invite(formerOwner);
    },
    async inviteAnotherManager() {
      await s.send("DELETE", `${grants}${scene.ids.invitation}/`, { token: owner.token });
      scene.ids.invitation = await invite(anotherManager);
    },
    async permitFormerOwner() {
      scene.ids.permission = await permitFormerOwner();
    },
  };
  return scene;
}

/** Creates a session of a squad with a period, at the time of the session in the examples. @returns its id */
async function newSession(s: TestService, owner: TestAccount, squad: number): Promise<number> {
  const times = {
    start_time: "2024-01-01T13:30:00.000Z",
    end_time: "2024-01-01T15:30:00.000Z",
  };
  const { body } = await s.post(
    "/api/v2/sessions/",
    { name: "Round 3", squad, kind: "match", sport: "soccer", ...times },
    owner.token,
  );
  await s.send("PUT", `/api/v2/sessions/${body.id}/periods/`, {
    token: owner.token,
    json: [{ name: "1st half", ...times, athlete: null }],
  });
  await s.get(`/api/v2/sessions/${body.id}/figures/`, owner.token);
  return body.id;
}
