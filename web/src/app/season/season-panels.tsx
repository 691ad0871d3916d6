import { type ComponentChildren, h, type VNode } from "preact";
import {
  comparisonOf,
  comparisonText,
  type DrawnElement,
  matchNotes,
  NORMAL_RULE,
  type PanelFrame,
  playerNotes,
  type Season,
  type SeasonPlayer,
  type SquadColumn,
  seasonChart,
} from "./chart.js";
import "./season.css";

/** Returns a drawing from the library as elements of the page. */
const elementOf = ({ tag, attributes, children }: DrawnElement): VNode =>
  h(
    tag,
    attributes,
    children.map((child) => (typeof child === "string" ? child : elementOf(child))),
  );

interface Props {
  player: SeasonPlayer;
  frame: PanelFrame;
  /** The values that the axis shows. */
  ticks: readonly number[];
  /** The subject of the panel. */
  children: ComponentChildren;
}

/** A figure of a player over the last sessions, with its normal range. */
export function SeasonPanel({ player, frame, ticks, children }: Props) {
  const comparison = comparisonOf(player, frame);
  return (
    <section class={comparison.isOutside ? "season-panel outside" : "season-panel"}>
      <h2>
        <span class="who">{children}</span>
        <b>{comparison.text}</b>
        <span class="against">{comparisonText(comparison)}</span>
      </h2>
      {elementOf(seasonChart(player, frame, ticks))}
    </section>
  );
}

/** What limits the figures and the comparisons. */
export const SeasonNotes = ({ of }: { of: [Season, readonly SquadColumn[], number] }) => (
  <>
    {[...matchNotes(of[0].sessions), ...playerNotes(...of)].map((text) => (
      <p class="note" key={text}>
        {text}
      </p>
    ))}
  </>
);

const MARKS = [
  [
    "k-band",
    `mean of the last ${NORMAL_RULE.matches} matches ± ${NORMAL_RULE.deviations} standard deviations`,
  ],
  ["k-now", "this session, within"],
  ["k-out", "outside ▲▼"],
  ["k-match", "match"],
  ["k-training", "training"],
  ["", "× no figure"],
  ["", "≥ data are missing"],
] as const;

/** The meaning of the marks in the panels. */
export const SeasonKey = () => (
  <p class="season-key">
    {MARKS.map(([mark, text]) => (
      <span key={text}>
        {mark && <i class={mark} />}
        {text}
      </span>
    ))}
  </p>
);
