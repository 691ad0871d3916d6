import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { zoneName } from "../../view/times.js";
import { announce } from "../parts/announcements.js";
import { ask } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { Nothing } from "../parts/nothing.js";
import { ProblemCard } from "../parts/problem.js";
import { Requested, useRequest } from "../parts/request.js";
import { dayAndTime, fieldTime, timeOfField } from "../parts/when.js";
import type { ViewProps } from "../view.js";
import { Timeline } from "./timeline.js";

type Permission = Resource["Permission"];

const KINDS = [
  ["READ", "See", "see the recordings and what is computed from them"],
  ["WRITE", "Change", "make time frames for the recordings"],
  ["SHARE", "Share", "share the recordings with others"],
] as const;

const nameOfKind = (kind: Permission["permission"]) => KINDS.find(([value]) => value === kind)?.[1] ?? kind;

const YEAR_MS = 365 * 86_400_000;

/** Who may do what with an athlete's data, and when: the athlete gives and takes back. */
export function PermissionsView({ client, account, settings }: ViewProps) {
  const path = { athlete: account.id };
  const [failed, setFailed] = useState<unknown>(null);
  const request = useRequest("permissions", async (signal) => {
    const all: Permission[] = [];
    const init = { params: { path, query: { limit: 3000 } }, signal };
    for await (const one of client.list("/api/v1/athletes/{athlete}/permissions/", init)) all.push(one);
    return all;
  });
  const nowMs = Date.now();
  const zone = settings.zone.value;

  const revoke = async ({ id, manager, permission }: Permission) => {
    const isWanted = await ask({
      title: `Take back “${nameOfKind(permission)}” from manager ${manager}?`,
      text: "From now on this manager cannot do it any more, for no time at all. You can give the permission again.",
      action: "Take back",
    });
    if (!isWanted) return;
    setFailed(null);
    try {
      await unwrap(
        client.DELETE("/api/v1/athletes/{athlete}/managers/{manager}/permissions/{permission}/", {
          params: { path: { ...path, manager, permission: id } },
        }),
      );
      announce("The permission is taken back.");
      request.reload();
    } catch (error) {
      setFailed(error);
    }
  };

  return (
    <>
      <h1>Permissions</h1>
      <p class="muted lead">
        Managers see your data only while you let them. Each permission has a beginning and an end.
      </p>
      {failed === null ? null : <ProblemCard title="The permission was not taken back." error={failed} />}
      <Requested request={request} what="the permissions">
        {(permissions) =>
          permissions.length === 0 ? (
            <Nothing title="Nobody may see your data.">
              <p>Give a permission below: the manager tells you his or her number.</p>
            </Nothing>
          ) : (
            <div class="panel padded table-panel">
              <table class="records">
                <thead>
                  <tr>
                    <th scope="col">Manager</th>
                    <th scope="col">May</th>
                    <th scope="col">From</th>
                    <th scope="col">Until</th>
                    <th scope="col">Now</th>
                    <th scope="col">Time</th>
                    <td />
                  </tr>
                </thead>
                <tbody>
                  {permissions.map((permission) => (
                    <tr key={permission.id}>
                      <th scope="row">Number {permission.manager}</th>
                      <td data-label="May">{nameOfKind(permission.permission)}</td>
                      <td data-label="From">{dayAndTime(Date.parse(permission.start_time), settings)}</td>
                      <td data-label="Until">
                        {dayAndTime(Date.parse(permission.expiration_time), settings)}
                      </td>
                      <td data-label="Now">{permission.is_active ? "in force" : "not in force"}</td>
                      <td>
                        <Timeline permission={permission} all={permissions} nowMs={nowMs} />
                      </td>
                      <td class="action">
                        <button
                          type="button"
                          aria-label={`Take back “${nameOfKind(permission.permission)}” from manager ${permission.manager}`}
                          onClick={() => revoke(permission)}
                        >
                          Take back…
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Requested>
      <section class="panel padded narrow">
        <h2>Give a permission</h2>
        <Form
          action="Give the permission"
          onSubmit={async (values, form) => {
            const manager = Number(values("manager"));
            const times = {
              start_time: timeOfField(values("start_time"), settings) ?? "",
              expiration_time: timeOfField(values("expiration_time"), settings) ?? "",
            };
            const chosen = KINDS.filter(
              ([kind]) => (form.elements.namedItem(kind) as HTMLInputElement).checked,
            );
            if (chosen.length === 0) throw new Error("Choose what the manager may do.");
            const wanted = chosen.map(([permission]) => ({ ...times, permission }));
            const [only] = wanted;
            await unwrap(
              client.POST("/api/v1/athletes/{athlete}/managers/{manager}/permissions/", {
                params: { path: { ...path, manager } },
                // alone, so that messages name its fields
                body: wanted.length === 1 && only !== undefined ? only : wanted,
              }),
            );
            announce("The permission is given.");
            form.reset();
            request.reload();
          }}
        >
          <Field
            name="manager"
            label="Number of the manager"
            type="number"
            min={1}
            step={1}
            required
            hint="The manager finds it under “Account”."
          />
          <fieldset class="pairing">
            <legend>The manager may</legend>
            {KINDS.map(([kind, , text]) => (
              <label key={kind} class="check">
                <input type="checkbox" name={kind} defaultChecked={kind === "READ"} />
                {text}
              </label>
            ))}
          </fieldset>
          {/* what was entered would be another time in another zone */}
          <div class="form-row" key={zone}>
            <Field
              name="start_time"
              label="From"
              type="datetime-local"
              required
              initial={fieldTime(nowMs, settings)}
              hint={`Times of ${zoneName(zone)}.`}
            />
            <Field
              name="expiration_time"
              label="Until"
              type="datetime-local"
              required
              initial={fieldTime(nowMs + YEAR_MS, settings)}
              hint={`Times of ${zoneName(zone)}.`}
            />
          </div>
          <p class="note">
            Recordings are seen if they were made between the two, while the permission is in force.
          </p>
        </Form>
      </section>
    </>
  );
}
