import "./quality-card.css";
import { damageOf, isIncomplete, recordedTimeMs } from "asi-convert/squad";
import { useLayoutEffect, useRef } from "preact/hooks";
import { timeOfDay } from "../view/times.js";
import { decimal, KM_PER_H, percent } from "../view/values.js";
import { MarkSign } from "./mark-sign.js";
import { type Mark, shareText, shiftText } from "./marks.js";
import { captionOf } from "./scope-words.js";
import type { PlayerRow, SquadSession } from "./squad-session.js";

export interface QualityCardProps {
  session: SquadSession;
  row: PlayerRow;
  marks: readonly Mark[];
  /** Position at which the card opens, px from the corner of the window. */
  at: { x: number; y: number };
  onClose: () => void;
}

const MOST_PLACES = 3;

/** Details about the quality of a row. */
export function QualityCard({ session, row, marks, at, onClose }: QualityCardProps) {
  const card = useRef<HTMLDialogElement>(null);
  const { member } = row;
  // before the card is drawn
  useLayoutEffect(() => {
    card.current?.show();
    const height = card.current?.offsetHeight ?? 0;
    if (card.current !== null && at.y + height > innerHeight)
      card.current.style.top = `${Math.max(8, innerHeight - height - 8)}px`;
  }, [at]);
  // Runs before the first paint. No key is lost while the card is visible.
  useLayoutEffect(() => {
    const close = (event: Event) => {
      const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
      const isOutside = event instanceof PointerEvent && !card.current?.contains(event.target as Node);
      if (isEscape || isOutside) onClose();
    };
    document.addEventListener("keydown", close);
    document.addEventListener("pointerdown", close);
    return () => {
      document.removeEventListener("keydown", close);
      document.removeEventListener("pointerdown", close);
    };
  }, [onClose]);
  const [sign] = marks;
  const damaged = member.recordings.find((one) => damageOf(one).length > 0);
  const [place] = damaged === undefined ? [] : damageOf(damaged);
  return (
    <dialog
      ref={card}
      class="squad-card"
      aria-label={`Quality of ${member.name}`}
      style={{
        left: `${Math.max(8, Math.min(at.x, innerWidth - 440))}px`,
        top: `${at.y}px`,
      }}
    >
      <h2>
        {sign === undefined ? null : (
          <span class={sign.kind === "damaged" || sign.kind === "failed" ? "bad" : ""}>
            <MarkSign kind={sign.kind} />
          </span>
        )}
        {[member.player?.number, member.name].filter(Boolean).join(" ")}{" "}
        <small>{captionOf(session.figures.value.scope)}</small>
        <button type="button" class="close" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </h2>
      {member.failed === null ? <Facts session={session} row={row} /> : <p>{member.failed}</p>}
      {marks.map(({ kind, words }) => (kind === "sport" ? <p key={kind}>{words}.</p> : null))}
      {isIncomplete(row.coverage) && row.metrics !== null ? (
        <p class="note">
          Sums lack these minutes and are marked “≥”. Rates and means cover only the minutes with data.
        </p>
      ) : null}
      <div class="buttons">
        {damaged === undefined || place === undefined ? null : (
          <button
            type="button"
            onClick={() => {
              session.showPlace(damaged, place);
              onClose();
            }}
          >
            Show the place
          </button>
        )}
        {member.recordings.length === 0 ? null : (
          <button type="button" onClick={() => session.openPlayer(member)}>
            Open this player
          </button>
        )}
      </div>
    </dialog>
  );
}

function Facts({ session, row }: { session: SquadSession; row: PlayerRow }) {
  const { member, metrics, periodMs, coverage, hrCoverage } = row;
  const { recordings } = member;
  const zone = session.settings.zone.value;
  const minutes = (ms: number) => decimal(ms / 60_000, 0);
  const span = ({ startMs, endMs }: { startMs: number; endMs: number }) =>
    `${timeOfDay(startMs, zone)} to ${timeOfDay(endMs, zone)}`;
  const places = recordings.flatMap(damageOf);
  const more = places.length - MOST_PLACES;
  const bytes = recordings.map(({ report }) => report?.bytes ?? { skipped: 0, total: 0 });
  const skipped = bytes.reduce((sum, one) => sum + one.skipped, 0);
  const total = bytes.reduce((sum, one) => sum + one.total, 0);
  const limit = metrics?.definition.parameters.max_valid_speed;
  const isCut = recordings.some((one) => one.isCut || one.isTruncated);
  const shifted = recordings.filter(({ shiftMs }) => shiftMs !== 0);
  const facts: [string, string][] = [
    [
      "Minutes with data",
      periodMs === 0
        ? "does not take part"
        : `${minutes(metrics === null ? 0 : recordedTimeMs(metrics))} of ${minutes(periodMs)} (${shareText(coverage ?? 0)})`,
    ],
    [
      "Damaged",
      !recordings.some(({ isDamaged }) => isDamaged)
        ? "no"
        : places.length === 0
          ? "yes, without a gap"
          : `${places.slice(0, MOST_PLACES).map(span).join(", ")}${more > 0 ? ` and ${more} more` : ""}`,
    ],
    ["Bytes that cannot be read", total === 0 ? "–" : percent(skipped / total, 2)],
    ["Heart rate known", hrCoverage === null ? "–" : percent(hrCoverage, 0)],
    [
      limit === undefined
        ? "Rows left out, too fast"
        : `Rows left out, faster than ${decimal(limit * KM_PER_H, 1)} km/h`,
      metrics === null ? "–" : decimal(metrics.too_fast.samples, 0),
    ],
    ["Cut off at the end", isCut ? "yes" : "no"],
    ...(recordings.length > 1
      ? [
          [
            "Recordings, joined",
            recordings.map(({ serial, fileName }) => serial || fileName).join(" and "),
          ] as [string, string],
        ]
      : []),
    ...member.leftOut.map(({ fileName }): [string, string] => [
      "Recorded at the same time, left out",
      fileName,
    ]),
    ...shifted.map(({ serial, shiftMs }): [string, string] => [
      `Clock of ${serial} corrected by`,
      shiftText(shiftMs),
    ]),
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={`${name} ${value}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
