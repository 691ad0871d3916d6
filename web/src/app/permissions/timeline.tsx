import type { Resource } from "asi-client";

type Permission = Pick<Resource["Permission"], "start_time" | "expiration_time" | "is_active">;

const WIDTH = 120;
const HEIGHT = 12;
const MARGIN_MS = 30 * 86_400_000;
/** Permissions "for all time" begin or end centuries away. Their bars extend to the edge of the picture. */
const REACH_MS = 2 * 365 * 86_400_000;

interface Props {
  permission: Permission;
  /** All permissions of the list, on one scale. */
  all: readonly Permission[];
  nowMs: number;
}

/** The validity of a permission as a bar, with a line at the current time. The table has the same information. */
export function Timeline({ permission, all, nowMs }: Props) {
  const near = (ms: number) => Math.min(Math.max(ms, nowMs - REACH_MS), nowMs + REACH_MS);
  const times = all.flatMap((one) => [
    near(Date.parse(one.start_time)),
    near(Date.parse(one.expiration_time)),
  ]);
  const startMs = Math.min(nowMs, ...times) - MARGIN_MS;
  const stopMs = Math.max(nowMs, ...times) + MARGIN_MS;
  const x = (ms: number) =>
    ((Math.min(Math.max(ms, startMs), stopMs) - startMs) / (stopMs - startMs)) * WIDTH;
  const from = x(Date.parse(permission.start_time));
  const to = x(Date.parse(permission.expiration_time));
  return (
    <svg class="timeline" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <rect x={0} y={4} width={WIDTH} height={4} rx={2} class="timeline-whole" />
      <rect
        x={from}
        y={2}
        width={Math.max(2, to - from)}
        height={8}
        rx={3}
        class={permission.is_active ? "timeline-active" : "timeline-other"}
      />
      <rect x={x(nowMs)} y={0} width={1.5} height={HEIGHT} class="timeline-now" />
    </svg>
  );
}
