import type { Resource } from "asi-client";
import { RECIPES } from "asi-convert/metrics";
import { expectStatus } from "./http.js";
import type { Receiver } from "./receiver.js";

/** Data that the client gets from the operator, and the data of the client itself. */
export interface Given {
  /** Address of the API. */
  url: string;
  /** The OAuth application. */
  client: { client_id: string; client_secret: string };
  /** The device, as printed on its case. */
  device: { serial_number: string; device_name: string };
  recording: Uint8Array;
  /**
   * Called when the operator must move the start of the ownership back to the recording, which is older than the
   * ownership.
   */
  backdateOwnership(): Promise<void>;
  /** First and last time of the two halves of the recording, in the form of the API. */
  halves: readonly [{ start: string; end: string }, { start: string; end: string }];
  receiver: Receiver;
}

/** A page of a list. */
interface Page<T> {
  results: T[];
  /** Number of the next page. */
  next: number | null;
}

/** Time limit for work that the service does after its response. */
const PATIENCE_MS = 30_000;

/**
 * Sends the requests of a complete client, from the registration to computed data after a change.
 * @param tell prints progress, one line per call
 * @throws Error if the service does not behave as documented
 */
export async function tellStory(given: Given, tell: (line: string) => void): Promise<void> {
  const { url, client, receiver } = given;
  const account = { username: `coach-${Date.now()}`, password: "correct horse battery" };

  const registration = {
    ...account,
    email: "coach@example.org",
    athlete_profile: { first_name: "Ada", last_name: "Ash", birth_date: "1996-06-02" },
  };
  const manager = await expectStatus<Resource["Manager"]>(
    201,
    `${url}/api/v1/managers/?create_default_athlete=true`,
    {
      json: registration,
    },
  );
  tell(`Registered ${account.username} as manager ${manager.id}.`);

  const form = { grant_type: "password", ...account, ...client };
  const { access_token: token } = await expectStatus<Resource["Token"]>(200, `${url}/oauth2/token/`, {
    form,
  });
  const api = <Body>(status: number, method: string, path: string, json?: unknown) =>
    expectStatus<Body>(status, `${url}/api/v1${path}`, {
      method,
      token,
      ...(json === undefined ? {} : { json }),
    });
  tell("Obtained a token with the password grant.");

  const athlete = await defaultAthlete((page) =>
    api<Page<Resource["Athlete"]>>(200, "GET", `/athletes/?managed_by=${manager.id}&page=${page}`),
  );
  tell(`Found the default athlete by paging: ${athlete.athlete_profile.first_name}, id ${athlete.id}.`);

  const device = await api<Resource["Device"]>(201, "POST", "/devices/take-ownership/", given.device);
  await given.backdateOwnership();
  tell(
    `Took ${device.device_name}, id ${device.id}; the operator moved the start of the ownership back before the match.`,
  );

  const asi_b64 = Buffer.from(given.recording).toString("base64");
  const job = await api<Resource["Job"]>(200, "POST", `/devices/${device.id}/bulk-load/`, { asi_b64 });
  const loaded = await until("the load", async () => {
    const now = await api<Resource["Job"]>(200, "GET", `/jobs/${job.job_id}/`);
    if (now.state === "FAILURE") throw new Error(`The load failed: ${JSON.stringify(now.details)}`);
    return now.state === "SUCCESS" ? now : undefined;
  });
  tell(`Loaded a recording of ${given.recording.length} bytes: ${loaded.details.samples_stored} samples.`);

  const schema = async (name: string) => {
    const path = `/json-schemas/?search=${name}`;
    const [found] = (await api<Page<Resource["JsonSchema"]>>(200, "GET", path)).results;
    if (found === undefined) throw new Error(`There is no JSON schema ${name}`);
    return found.id;
  };
  const activity = await api<Resource["Activity"]>(201, "POST", "/activities/", {
    name: "Friendly match",
    json: { sport: "soccer" },
    json_schema: await schema("activity_soccer"),
    owner: manager.id,
  });
  await api(200, "POST", `/activities/${activity.id}/webhooks/`, {
    webhook_url: receiver.url,
    secret_token: "a secret of the receiver",
    activity_events: true,
    timeframes_events: true,
  });
  tell(`Created activity ${activity.id} with a webhook to ${receiver.url}.`);

  const [first, second] = given.halves;
  const timeframe = await api<Resource["Timeframe"]>(201, "POST", "/timeframes/", {
    start_time: first.start,
    end_time: first.end,
    params: {},
    device: device.id,
    activity: activity.id,
    athlete: athlete.id,
    owner: manager.id,
    json_schema: await schema("timeframe_soccer"),
  });
  await told(receiver, "timeframe-created", activity.id, timeframe.id);
  tell(`Created time frame ${timeframe.id} of the first half; its webhook delivered timeframe-created.`);

  const path = `/timeframes/${timeframe.id}/`;
  const half = await api<Resource["ComputedData"]>(200, "GET", `${path}computed-data/`);
  if (!(distanceM(half) > 0)) throw new Error("The first half has no distance");
  tell(summary("The first half", half));

  const [preset] = RECIPES;
  const recipe = await expectStatus<Resource["Recipe"]>(201, `${url}/api/v2/recipes/`, {
    token,
    json: { name: "Sprints", recipe: preset?.recipe },
  });
  await api(200, "PATCH", path, { end_time: second.end, params: { recipes: [{ hash: recipe.hash }] } });
  await told(receiver, "timeframe-updated", activity.id, timeframe.id);
  const whole = await api<Resource["ComputedData"]>(200, "GET", `${path}computed-data/`);
  if (!(distanceM(whole) > distanceM(half) && whole.last_computation > half.last_computation)) {
    throw new Error("The computed data was not updated after the change to the time frame");
  }
  tell(summary("Changed the time frame, and its data were recomputed. The whole match", whole));
  const [counted] = whole.recipes ?? [];
  if (counted?.count !== whole.sprint.threshold_1.values.length) {
    throw new Error("The recipe of the preset and the preset count different sprints");
  }
  tell(`With the recipe ${recipe.name}, version ${recipe.version}: ${counted.count} sprints.`);

  await api(204, "DELETE", `/activities/${activity.id}/`);
  await told(receiver, "timeframe-deleted", activity.id, timeframe.id);
  await told(receiver, "activity-deleted", activity.id);
  tell("Deleted the activity; the webhook delivered the deletions of the activity and of its time frame.");
}

const distanceM = ({ total_distance }: Resource["ComputedData"]) => total_distance ?? 0;

/** Reads pages until the default athlete of the manager is found. */
async function defaultAthlete(
  read: (page: number) => Promise<Page<Resource["Athlete"]>>,
): Promise<Resource["Athlete"]> {
  for (let page: number | null = 1; page !== null; ) {
    const { results, next }: Page<Resource["Athlete"]> = await read(page);
    const found = results.find((athlete) => athlete.is_default_athlete);
    if (found !== undefined) return found;
    page = next;
  }
  throw new Error("There is no default athlete");
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const begin = Date.now(); Date.now() - begin < PATIENCE_MS; ) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Timed out while waiting for ${what}`);
}

const told = (receiver: Receiver, event: string, activity_id: number, timeframe_id?: number) =>
  until(`the event ${event}`, async () =>
    receiver.events.find(
      (one) =>
        one.event === event &&
        one.data.activity_id === activity_id &&
        one.data.timeframe_id === timeframe_id &&
        one.token === "a secret of the receiver",
    ),
  );

function summary(what: string, data: Resource["ComputedData"]): string {
  const sprints = data.sprint.threshold_1.values.length;
  return (
    `${what}: ${data.total_distance} m, at most ${data.max_speed} m/s, ${sprints} sprints, ` +
    `heart rate ${data.hr_avg} on average of at most ${data.athlete_max_hr}.`
  );
}
