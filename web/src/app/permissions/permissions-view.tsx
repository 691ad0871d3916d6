import { type Resource, unwrap } from "asi-client";
import { zoneName } from "../../view/times.js";
import { managerName } from "../names.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { announce } from "../parts/announcements.js";
import { ask } from "../parts/dialog.js";
import { Field, Form, type Values } from "../parts/form.js";
import { Nothing } from "../parts/nothing.js";
import { Records } from "../parts/records.js";
import { FormProblem } from "../parts/refusal-words.js";
import { Requested, useRequest } from "../parts/request.js";
import { dayAndTime, instantOf, instantText } from "../parts/when.js";
import type { ViewProps } from "../view.js";
import { Timeline } from "./timeline.js";
import "./permissions.css";

type Permission = Resource["Permission"];

const KINDS = [
  ["READ", "See", "see the recordings and their computed data"],
  ["WRITE", "Change", "create time frames for the recordings"],
  ["SHARE", "Share", "share the recordings with others"],
] as const;

const CHOOSE = "Choose at least one permission.";
const REVERSED = "Until must be later than From.";

const nameOfKind = (kind: Permission["permission"]) => KINDS.find(([value]) => value === kind)?.[1] ?? kind;

/** Returns the name of a manager whom the athlete has found in this view, or the number of any other manager. */
const nameOf = (names: ReadonlyMap<number, string>, manager: number) =>
  names.get(manager) ?? `Manager number ${manager}`;

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;

/** Permissions for an athlete's data, with their times. The athlete grants and revokes them here. */
export function PermissionsView({ client, account, settings, query }: ViewProps) {
  // a link from a manager fills in the form
  const wanted = query.get("may")?.split(",") ?? ["READ"];
  const path = { athlete: account.id };
  const problem = useProblem();
  const request = useRequest("permissions", async (signal) => {
    const permissions: Permission[] = [];
    const names = new Map<number, string>();
    const init = { params: { path, query: { limit: 3000 } }, signal };
    for await (const one of client.list("/api/v1/athletes/{athlete}/permissions/", init))
      permissions.push(one);
    for await (const one of client.list("/api/v1/athletes/{athlete}/managers/", init))
      names.set(one.id, managerName(one));
    return { permissions, names };
  });
  // fields have a resolution of minutes
  const nowMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const zone = settings.zone.value;
  const timeOf = (text: string) => {
    const ms = instantOf(text, zone);
    return ms === null ? "" : new Date(ms).toISOString();
  };

  /** Grants a permission after the user has seen who receives it. */
  const give = async (values: Values, form: HTMLFormElement) => {
    const times = {
      start_time: timeOf(values("start_time")),
      expiration_time: timeOf(values("expiration_time")),
    };
    const chosen = KINDS.filter(([kind]) => (form.elements.namedItem(kind) as HTMLInputElement).checked);
    if (chosen.length === 0) throw new FormProblem({ "": CHOOSE });
    if (times.expiration_time <= times.start_time) throw new FormProblem({ expiration_time: REVERSED });
    const found = await unwrap(
      client.POST("/api/v1/athletes/{athlete}/managers/", {
        params: { path },
        body: { manager: Number(values("manager")), username: values("username").trim() },
      }),
    );
    const may = chosen.map(([, , text]) => text).join(", ");
    const isRight = await ask({
      title: `Give the permission to ${managerName(found)}?`,
      text: `From ${dayAndTime(times.start_time, zone)} until ${dayAndTime(times.expiration_time, zone)} this manager may: ${may}. You can take the permission back at any time.`,
      action: "Give the permission",
      isHarmless: true,
    });
    if (!isRight) return;
    const wanted = chosen.map(([permission]) => ({ ...times, permission }));
    const [only] = wanted;
    await unwrap(
      client.POST("/api/v1/athletes/{athlete}/managers/{manager}/permissions/", {
        params: { path: { ...path, manager: found.id } },
        // the body is a single object, because the messages of the service then name its fields
        body: wanted.length === 1 && only !== undefined ? only : wanted,
      }),
    );
    announce("The permission is given.");
    form.reset();
    request.reload();
  };

  return (
    <>
      <h1>Permissions</h1>
      <p class="muted lead">
        Managers see your data only while you let them. Each permission has a beginning and an end.
      </p>
      <ProblemOf problem={problem} />
      <Requested request={request} what="the permissions">
        {({ permissions, names }) =>
          permissions.length === 0 ? (
            <Nothing title="Nobody may see your data.">
              <p>Give a permission below. The manager tells you a number and a username.</p>
            </Nothing>
          ) : (
            <div class="panel padded">
              <Records
                rows={permissions}
                keyOf={({ id }) => id}
                columns={[
                  { name: "Manager", of: ({ manager }) => nameOf(names, manager) },
                  { name: "May", of: ({ permission }) => nameOfKind(permission) },
                  { name: "From", of: ({ start_time }) => dayAndTime(start_time, zone) },
                  { name: "Until", of: ({ expiration_time }) => dayAndTime(expiration_time, zone) },
                  { name: "Now", of: ({ is_active }) => (is_active ? "in force" : "not in force") },
                  {
                    name: "Time",
                    of: (one) => <Timeline permission={one} all={permissions} nowMs={nowMs} />,
                  },
                  {
                    name: "",
                    class: "action",
                    of: ({ id, manager, permission }) => {
                      const what = `“${nameOfKind(permission)}” from ${nameOf(names, manager)}`;
                      return (
                        <Action
                          problem={problem}
                          failed="The permission was not taken back."
                          busy="Taking back…"
                          label={`Take back ${what}`}
                          question={{
                            title: `Take back ${what}?`,
                            text: "This manager can then no longer do this, even for past recordings. You can give the permission again.",
                            action: "Take back",
                          }}
                          work={async () => {
                            await unwrap(
                              client.DELETE(
                                "/api/v1/athletes/{athlete}/managers/{manager}/permissions/{permission}/",
                                { params: { path: { ...path, manager, permission: id } } },
                              ),
                            );
                            request.reload();
                            return "The permission is taken back.";
                          }}
                        >
                          Take back…
                        </Action>
                      );
                    },
                  },
                ]}
              />
            </div>
          )
        }
      </Requested>
      <section class="panel padded narrow">
        <h2>Give a permission</h2>
        <Form action="Continue" onSubmit={give}>
          <div class="form-row">
            <Field
              name="manager"
              label="Number of the manager"
              type="number"
              min={1}
              step={1}
              required
              initial={query.get("manager")}
              hint="The manager finds number and username under “Account”."
            />
            <Field
              name="username"
              label="Username of the manager"
              required
              maxLength={150}
              initial={query.get("username")}
              hint="You see the name before anything is given."
            />
          </div>
          <fieldset class="pairing">
            <legend>The manager may</legend>
            {KINDS.map(([kind, , text]) => (
              <label key={kind} class="check">
                <input type="checkbox" name={kind} defaultChecked={wanted.includes(kind)} />
                {text}
              </label>
            ))}
          </fieldset>
          {/* the entered text would mean a different time in a different zone */}
          <div class="form-row" key={zone}>
            {(
              [
                ["start_time", "From", nowMs],
                ["expiration_time", "Until", nowMs + YEAR_MS],
              ] as const
            ).map(([name, label, ms]) => (
              <Field
                key={name}
                name={name}
                label={label}
                type="datetime-local"
                required
                initial={instantText(ms, zone)}
                hint={`Times in ${zoneName(zone)}.`}
              />
            ))}
          </div>
          <p class="note">
            While the permission is in force, the manager sees the recordings made between these times.
          </p>
        </Form>
      </section>
    </>
  );
}
