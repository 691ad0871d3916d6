import { useComputed, useSignalEffect } from "@preact/signals";
import { figureOf, isBound, isIncomplete, SQUAD_COLUMNS, type SquadColumn } from "asi-convert/squad";
import { useRef } from "preact/hooks";
import { columnsIn } from "../../plots/columns.js";
import { AXIS_WIDTH, drawPlot, RIGHT_MARGIN, TIME_AXIS_HEIGHT, TOP_MARGIN } from "../../plots/plot.js";
import { buildPyramid } from "../../plots/pyramid.js";
import { useSize } from "../../view/element-size.js";
import { tickLabel, ticks, timeOfDay } from "../../view/times.js";
import { KM_PER_H, KM_PER_H_OF_MM_PER_S } from "../../view/values.js";
import { decimalsOf } from "../columns.js";
import { MarkSign } from "../mark-sign.js";
import { marksOf } from "../marks.js";
import type { PlayerRow, SquadPlayer, SquadSession } from "../squad-session.js";
import type { ChosenRow } from "./map-state.js";
import { PlayerHeat } from "./player-heat.js";
import { scopeWindow } from "./scope-window.js";
import { speedSeries } from "./speed-series.js";

const CARD_COLUMNS: readonly [key: string, unit: string][] = [
  ["distance_m", "m"],
  ["rate_m_per_min", "m/min"],
  ["high_speed_m", "m high speed"],
  ["sprints", "sprints"],
  ["top_speed_km_per_h", "top km/h"],
  ["hr_mean_bpm", "mean bpm"],
];
const MOST_SPRINTS = 7;
const PX_PER_TICK = 80;
const LEAST_TOP_KM_PER_H = 30;

/** The selected player, with figures of the current scope, speed, and fastest sprints. */
export function ChosenPlayer({ session }: { session: SquadSession }) {
  const chosen = useComputed(() =>
    session.figures.value.rows.find(({ member }) => member.key === session.chosen.value),
  );
  const row = chosen.value;
  if (row === undefined) {
    return (
      <section class="chosen-player none" aria-label="Chosen player">
        <p>Choose a player in the table or on the map.</p>
      </section>
    );
  }
  const { member, metrics } = row;
  const [mark] = marksOf(row, session.ofAnotherSport.value.has(member.key));
  return (
    <section class="chosen-player" aria-label="Chosen player">
      <div class="chosen-head">
        <h2>
          {member.player?.number} {member.name}
        </h2>
        <span class="muted">{member.player?.position}</span>
        {mark === undefined ? null : (
          <span class={`quality ${mark.kind}`} title={mark.words}>
            <MarkSign kind={mark.kind} />
            <span aria-hidden="true">{mark.text}</span>
            <span class="for-readers">{mark.words}</span>
          </span>
        )}
        <span class="spacer" />
        <button
          type="button"
          disabled={member.recordings.length === 0}
          onClick={() => session.openPlayer(member)}
        >
          Open this player
        </button>
      </div>
      {metrics === null ? (
        <p class="muted">{member.failed ?? "No data for this time."}</p>
      ) : (
        <Figures row={row} />
      )}
      {member.recordings.length === 0 ? null : <SpeedPlot session={session} chosen={chosen} />}
      <div class="chosen-more">
        {metrics === null ? null : <PlayerHeat session={session} chosen={chosen} />}
        <Sprints session={session} row={row} />
      </div>
    </section>
  );
}

function Figures({ row }: { row: PlayerRow }) {
  const isAtLeast = isIncomplete(row);
  return (
    <dl class="chosen-figures">
      {CARD_COLUMNS.flatMap(([key, unit]) => {
        const column = SQUAD_COLUMNS.find((one) => one.key === key);
        return column === undefined ? (
          []
        ) : (
          <Figure key={key} row={row} column={column} unit={unit} isAtLeast={isAtLeast} />
        );
      })}
    </dl>
  );
}

function Figure({
  row,
  column,
  unit,
  isAtLeast,
}: {
  row: PlayerRow;
  column: SquadColumn;
  unit: string;
  isAtLeast: boolean;
}) {
  const value = figureOf(row, column);
  const decimals = decimalsOf(column, false);
  return (
    <div>
      <dt>{unit}</dt>
      <dd>
        {value !== null && isAtLeast && isBound(column) ? (
          <>
            <span aria-hidden="true">≥</span>
            <span class="for-readers">at least </span>
          </>
        ) : null}
        {value === null
          ? "–"
          : value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}
      </dd>
    </div>
  );
}

const pyramids = new WeakMap<SquadPlayer, ReturnType<typeof buildPyramid>>();

function pyramidOf(player: SquadPlayer) {
  const known = pyramids.get(player);
  if (known !== undefined) return known;
  const made = buildPyramid(speedSeries(player));
  pyramids.set(player, made);
  return made;
}

function SpeedPlot({ session, chosen }: { session: SquadSession; chosen: ChosenRow }) {
  const area = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(area);
  const shown = useComputed(() => {
    const scope = session.scope.value;
    if (scope.kind === "brush") return { startMs: scope.interval.startMs, stopMs: scope.interval.endMs };
    return session.zoom.value ?? scopeWindow(session);
  });
  const drawn = useComputed(() => {
    const member = chosen.value?.member;
    const { width } = size.value;
    if (member === undefined || member.recordings.length === 0 || width === 0) return null;
    const columns = columnsIn(pyramidOf(member), shown.value, Math.max(1, width - AXIS_WIDTH - RIGHT_MARGIN));
    const highest = columns.maximum.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
    return { columns, topKmPerH: Math.max(LEAST_TOP_KM_PER_H, highest * KM_PER_H_OF_MM_PER_S * 1.05) };
  });
  useSignalEffect(() => {
    const { width, height } = size.value;
    const theme = session.settings.theme.value;
    const zone = session.settings.zone.value;
    const window = shown.value;
    const content = drawn.value;
    if (canvas.current === null || content === null || theme === null) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const { at, stepMs } = ticks(window.startMs, window.stopMs, width / PX_PER_TICK, zone);
    drawPlot(canvas.current, { columns: content.columns, offsetMs: 0, marks: [] }, window, width, height, {
      factor: KM_PER_H_OF_MM_PER_S,
      range: [0, content.topKmPerH],
      line: colour("speed"),
      band: colour("speed-band"),
      grid: colour("grid"),
      text: colour("muted"),
      hasTimeAxis: true,
      hasValueAxis: true,
      ticks: { at, labels: at.map((ms) => tickLabel(ms, stepMs, zone)) },
    });
  });
  const cursor = useComputed(() => {
    const ms = session.cursorMs.value;
    const { startMs, stopMs } = shown.value;
    if (ms === null || ms < startMs || ms > stopMs) return "display:none";
    const width = size.value.width - AXIS_WIDTH - RIGHT_MARGIN;
    return `transform:translateX(${AXIS_WIDTH + ((ms - startMs) / (stopMs - startMs)) * width}px)`;
  });
  const limit = useComputed(() => {
    const limitKmPerH = (chosen.value?.metrics?.definition.parameters.sprint_threshold ?? 0) * KM_PER_H;
    const topKmPerH = drawn.value?.topKmPerH ?? 0;
    if (limitKmPerH === 0 || limitKmPerH >= topKmPerH) return "display:none";
    const px = size.value.height - TOP_MARGIN - TIME_AXIS_HEIGHT;
    return `top:${TOP_MARGIN + (1 - limitKmPerH / topKmPerH) * px}px`;
  });
  const name = chosen.value?.member.name;
  const top = chosen.value?.metrics?.max_speed ?? null;
  return (
    <div
      class="chosen-plot"
      ref={area}
      role="img"
      aria-label={`Speed of ${name} over time, km/h${top === null ? "" : `, at most ${(top * KM_PER_H).toFixed(1)}`}`}
    >
      <canvas ref={canvas} />
      <small class="plot-unit">km/h</small>
      <i class="plot-limit" style={limit} />
      <i class="plot-cursor" style={cursor} />
    </div>
  );
}

function Sprints({ session, row: { metrics } }: { session: SquadSession; row: PlayerRow }) {
  if (metrics === null) return null;
  const zone = session.settings.zone.value;
  const sprints = metrics.sprint.threshold_1.values
    .toSorted((a, b) => b.max_value - a.max_value)
    .slice(0, MOST_SPRINTS);
  if (sprints.length === 0) return <p class="muted">No sprints during this time.</p>;
  return (
    <table class="chosen-sprints">
      <thead>
        <tr>
          <th scope="col">Fastest sprints</th>
          <th scope="col">m</th>
          <th scope="col">km/h</th>
        </tr>
      </thead>
      <tbody>
        {sprints.map(({ start_time, distance, max_value }) => (
          <tr key={start_time}>
            <td>
              <button
                type="button"
                title="Show this moment"
                onClick={() => {
                  session.cursorMs.value = start_time;
                }}
              >
                {timeOfDay(start_time, zone)}
              </button>
            </td>
            <td>{Math.round(distance)}</td>
            <td>{(max_value * KM_PER_H).toFixed(1)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
