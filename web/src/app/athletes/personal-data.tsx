import { ApiError, type Client, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { ProblemCard } from "../parts/problem.js";

interface Props {
  client: Client;
  athlete: { id: number; name: string };
  /** Called when the athlete is erased. */
  onErased: () => void;
}

/** The rights of the person: a copy of everything, and its erasure. */
export function PersonalData({ client, athlete: { id, name }, onErased }: Props) {
  const [isExporting, setExporting] = useState(false);
  const [isErasing, setErasing] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const params = { path: { athlete: id } };

  const exportAll = async () => {
    setExporting(true);
    setFailed(null);
    try {
      const { data, error, response } = await client.GET("/api/v1/athletes/{athlete}/export/", {
        params,
        parseAs: "blob",
      });
      if (data === undefined) throw new ApiError(response, error);
      saveAs(data, fileNameOf(response) ?? `athlete-${id}.zip`);
      announce("The copy is saved.");
    } catch (error) {
      setFailed(error);
    } finally {
      setExporting(false);
    }
  };

  return (
    <section class="panel padded">
      <h2>All data about {name}</h2>
      <p class="note">
        A copy has the profile, permissions, time frames, what was computed, and the samples: a zip archive of
        JSON and CSV files. Erasing is for a person who asks for it.
      </p>
      {failed === null ? null : <ProblemCard title="The copy could not be made." error={failed} />}
      <div class="form-buttons">
        <button type="button" disabled={isExporting} onClick={exportAll}>
          {isExporting ? "Making the copy…" : "Save a copy"}
        </button>
        <button type="button" onClick={() => setErasing(true)}>
          Erase…
        </button>
      </div>
      {isErasing ? (
        <Dialog title={`Erase ${name}?`} onClose={() => setErasing(false)}>
          <p>
            The account, the time frames and the figures are deleted. Positions that a device recorded stay
            with the device, without the name, unless the person who runs the service has decided otherwise.
            Backups are not changed. This cannot be undone. Save a copy first if you may need it.
          </p>
          <Form
            action="Erase for good"
            onCancel={() => setErasing(false)}
            onSubmit={async (values) => {
              const body = { password: values("password") };
              await unwrap(client.POST("/api/v1/athletes/{athlete}/erase/", { params, body }));
              announce(`${name} is erased.`);
              onErased();
            }}
          >
            <Field
              name="password"
              label="Your own password, again"
              type="password"
              autoComplete="current-password"
              required
              isFirst
            />
          </Form>
        </Dialog>
      ) : null}
    </section>
  );
}

const fileNameOf = ({ headers }: Response) =>
  /filename="([^"]*)"/.exec(headers.get("Content-Disposition") ?? "")?.[1];

function saveAs(blob: Blob, fileName: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  // the browser has taken it by then
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
