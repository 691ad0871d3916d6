import type { ReadonlySignal } from "@preact/signals";
import type { Damage, Report } from "asi-convert";
import { groupDamage } from "../recording/group-damage.js";
import { isDamaged } from "../recording/is-damaged.js";
import type { Facts, Recording } from "../recording/recording.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { timeOfDay } from "../view/times.js";
import { decimal, fileSize, percent } from "../view/values.js";
import { within } from "../view/window.js";
import { Panel } from "./panel.js";
import { PlaceList } from "./place-list.js";
import { Fact } from "./recording-card.js";

interface Props {
  recording: Recording;
  damage: ReadonlySignal<Damage | null>;
  selection: Selection;
  settings: Settings;
}

const AROUND_MS = 30_000;
/** The page shows shares below this value as "less than 0.01 %". */
const LEAST_SHARE = 0.0001;

/** Describes the size of the unreadable part of a damaged file. */
export function damageText({ report, cutOff }: Facts, settings: Settings): string {
  if (report !== null) return `Damaged: ${unreadableShare(report)} of the file cannot be read`;
  const after = cutOff?.afterMs ?? null;
  const where = after === null ? "" : ` after ${timeOfDay(after, settings.zone.value)}`;
  return `Damaged: nothing${where} can be read`;
}

function unreadableShare({ bytes }: Report): string {
  const share = bytes.skipped / Math.max(1, bytes.total);
  return share < LEAST_SHARE ? "less than 0.01 %" : percent(share, 2);
}

/** Shows where the recording is damaged, according to its report. Other files have only a list of problems. */
export function Condition({ recording: { facts }, damage, selection, settings }: Props) {
  const { report, cutOff } = facts;
  if (report === null && cutOff === null) return null;
  return (
    <Panel title="Condition">
      {isDamaged(facts) ? (
        <>
          <p class="verdict bad">
            <span aria-hidden="true">!</span> {damageText(facts, settings)}
          </p>
          <p class="note">Map, plots and figures show the rest.</p>
        </>
      ) : (
        <p class="verdict good">
          <span aria-hidden="true">✓</span> No damage
        </p>
      )}
      <Places damage={damage.value} selection={selection} settings={settings} />
      {report === null ? null : <TechnicalDetails report={report} />}
    </Panel>
  );
}

function TechnicalDetails({ report: { bytes, damage, gnssWithoutRow } }: { report: Report }) {
  const without = Object.values(gnssWithoutRow).reduce((sum, count) => sum + count, 0);
  return (
    <details class="options">
      <summary>Technical details</summary>
      <dl class="facts">
        <Fact name="Frames with a wrong checksum" value={decimal(damage.badChecksums, 0)} />
        <Fact name="Frames too long" value={decimal(damage.overlong, 0)} />
        <Fact name="Frames cut off at the end" value={decimal(damage.overruns, 0)} />
        <Fact name="Bytes skipped" value={`${decimal(bytes.skipped, 0)} of ${fileSize(bytes.total)}`} />
        <Fact name="Fixes without a usable position or time" value={decimal(without, 0)} />
      </dl>
    </details>
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
  const groups = groupDamage(damage.places);
  return (
    <PlaceList
      label="Damaged places"
      heads={["Damaged after", "Places", "At byte"]}
      hasMore={damage.hasMore}
      places={groups.map(({ count, firstByte, lastByte, afterMs }) => {
        const bytes =
          count === 1 ? decimal(firstByte, 0) : `${decimal(firstByte, 0)} to ${decimal(lastByte, 0)}`;
        return {
          key: firstByte,
          head: afterMs === null ? "before the first sample" : timeOfDay(afterMs, settings.zone.value),
          cells: [decimal(count, 0), bytes],
          show:
            afterMs === null
              ? null
              : {
                  label: `Show the damage at byte ${bytes}`,
                  onShow: () => {
                    const part = { startMs: afterMs - AROUND_MS, stopMs: afterMs + AROUND_MS };
                    selection.shown.value = within(part, selection.whole.peek());
                    selection.cursorMs.value = afterMs;
                  },
                },
        };
      })}
    />
  );
}
