import type { PlotContent } from "../plots/plot.js";
import { isInPage, type PlotRow } from "../plots/plot-panel.js";
import { extentOf } from "../plots/pyramid.js";
import { type Axis, axisText } from "../view/axis.js";
import { indexAt } from "../view/instants.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { decimal, NO_VALUE, withUnit } from "../view/values.js";
import { Fold } from "./fold.js";
import { Scrolled } from "./panel.js";

interface Props {
  rows: readonly PlotRow[];
  selection: Selection;
  settings: Settings;
  axis: Axis;
}

const SLICES = 60;

/** The table of the plotted values. It divides the visible part into equal slices. */
export function ValueTable(props: Props) {
  return <Fold title="The plots as a table">{() => <Slices {...props} />}</Fold>;
}

function Slices({ rows: all, selection, settings, axis }: Props) {
  const { startMs, stopMs } = selection.shown.value;
  const zone = settings.zone.value;
  // the table omits samples that only the worker has, except for their beats
  const rows = all.flatMap((row) => (isInPage(row.content) ? { ...row, content: row.content } : []));
  const stepMs = (stopMs - startMs) / SLICES;
  const slices = Array.from({ length: SLICES }, (_, i) => startMs + i * stepMs);
  return (
    <Scrolled label="Values of the plots">
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            {rows.map(({ key, label: name, unit }) => (
              <th scope="col" key={key}>
                {withUnit(name, unit)}: mean (min to max)
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {slices.map((fromMs) => (
            <tr key={fromMs}>
              <th scope="row">{axisText(axis, fromMs, zone)}</th>
              {rows.map((row) => (
                <td key={row.key}>{sliceText(row, fromMs, fromMs + stepMs)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

function sliceText(
  { content: { pyramid, offsetMs }, factor, decimals }: PlotRow & { content: PlotContent },
  fromMs: number,
  toMs: number,
): string {
  const { timesMs } = pyramid.series;
  const extent = extentOf(pyramid, indexAt(timesMs, fromMs - offsetMs), indexAt(timesMs, toMs - offsetMs));
  if (extent === null) return NO_VALUE;
  const [mean, minimum, maximum] = [extent.mean, extent.minimum, extent.maximum].map((value) =>
    decimal(value * factor, decimals),
  );
  return `${mean} (${minimum} to ${maximum})`;
}
