import type { ReadonlySignal } from "@preact/signals";
import { isDamaged } from "../recording/is-damaged.js";
import type { Damage, Recording } from "../recording/recording.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { timeOfDay } from "../view/times.js";
import { decimal, fileSize } from "../view/values.js";
import { within } from "../view/window.js";
import { Panel, Scrolled } from "./panel.js";
import { Fact } from "./recording-card.js";

interface Props {
  recording: Recording;
  damage: ReadonlySignal<Damage | null>;
  selection: Selection;
  settings: Settings;
}

const AROUND_MS = 30_000;

/** Whether the recording is damaged, as its report has it, and where. */
export function Condition({ recording, damage, selection, settings }: Props) {
  const { report } = recording.facts;
  if (report === null) return null;
  const { bytes, gnssWithoutRow } = report;
  const without = Object.values(gnssWithoutRow).reduce((sum, count) => sum + count, 0);
  const share = (bytes.skipped / Math.max(1, bytes.total)) * 100;
  return (
    <Panel title="Condition">
      {isDamaged(report) ? (
        <p class="verdict bad">
          <span aria-hidden="true">!</span> Damaged: {share < 0.01 ? "less than 0.01" : decimal(share, 2)} %
          of the bytes are left out
        </p>
      ) : (
        <p class="verdict good">
          <span aria-hidden="true">✓</span> No damage
        </p>
      )}
      <dl class="facts">
        <Fact name="Frames with a wrong checksum" value={decimal(report.damage.badChecksums, 0)} />
        <Fact name="Frames too long" value={decimal(report.damage.overlong, 0)} />
        <Fact name="Frames cut off at the end" value={decimal(report.damage.overruns, 0)} />
        <Fact name="Bytes skipped" value={`${decimal(bytes.skipped, 0)} of ${fileSize(bytes.total)}`} />
        {without > 0 ? (
          <Fact name="Fixes without a usable position or time" value={decimal(without, 0)} />
        ) : null}
      </dl>
      <Places damage={damage.value} selection={selection} settings={settings} />
    </Panel>
  );
}

function Places({
  damage,
  selection,
  settings,
}: {
  damage: Damage | null;
  selection: Selection;
  settings: Settings;
}) {
  if (damage === null || damage.places.length === 0) return null;
  return (
    <>
      <Scrolled label="Damaged places">
        <table>
          <thead>
            <tr>
              <th scope="col">Byte</th>
              <th scope="col">After</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {damage.places.map(({ byteOffset, afterMs }) => (
              <tr key={byteOffset}>
                <th scope="row">{decimal(byteOffset, 0)}</th>
                <td>{afterMs === null ? "before the first row" : timeOfDay(afterMs, settings.zone.value)}</td>
                <td class="action">
                  {afterMs === null ? null : (
                    <button
                      type="button"
                      aria-label={`Show the damage at byte ${decimal(byteOffset, 0)}`}
                      onClick={() => {
                        selection.shown.value = within(
                          { startMs: afterMs - AROUND_MS, stopMs: afterMs + AROUND_MS },
                          selection.whole.peek(),
                        );
                        selection.cursorMs.value = afterMs;
                      }}
                    >
                      Show
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
      {damage.hasMore ? <p class="muted">The first {damage.places.length} places are listed.</p> : null}
    </>
  );
}
