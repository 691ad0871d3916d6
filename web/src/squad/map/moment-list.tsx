import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import { timeOfDay } from "../../view/times.js";
import { KM_PER_H_OF_MM_PER_S } from "../../view/values.js";
import { playbackOf } from "../play.js";
import type { MapState } from "./map-state.js";
import { placeText } from "./map-words.js";

/** The positions of the players, for screen readers. They do not change during playback. */
export function MomentList({ state }: { state: MapState }) {
  const { session } = state;
  const isPlaying = playbackOf(session).isPlaying;
  const kept = useRef({ title: "", lines: [] as { key: string; text: string }[] });
  const list = useComputed(() => {
    const plane = state.plane.value;
    if (isPlaying.value || plane === null) return kept.current;
    kept.current = {
      title: `At ${timeOfDay(state.nowMs.value, session.settings.zone.value)}`,
      lines: state.spots.value.map(({ player, speedMmPerS, ...point }) => ({
        key: player.key,
        text: `${player.player?.number ?? ""} ${player.name}: ${(speedMmPerS * KM_PER_H_OF_MM_PER_S).toFixed(1)} km/h, ${placeText(point, plane, state.attack)}`.trim(),
      })),
    };
    return kept.current;
  }).value;
  if (state.kind.value !== "moment" || list.lines.length === 0) return null;
  return (
    <ul class="for-readers" aria-label={list.title}>
      {list.lines.map(({ key, text }) => (
        <li key={key}>{text}</li>
      ))}
    </ul>
  );
}
