/** One bar in a chart. */
export interface Bar {
  key: string | number;
  label: string;
  /** The value, or null if there is no bar to draw. */
  value: number | null;
  /** The value in words. */
  text: string;
  /** The colour in CSS. */
  colour: string;
}

interface Props {
  title: string;
  /** The unit, or other text after the title. */
  note?: string;
  bars: readonly Bar[];
  /** The value of a full bar, for values that are shares of it. Default: the highest value. */
  whole?: number;
  /** The value of a line through all bars, such as their mean, or null for no line. */
  line?: { value: number; text: string } | null;
}

/** Horizontal bars. Each bar shows its label and its value as text, so the chart needs no table. */
export function Bars({ title, note = "", bars, whole, line = null }: Props) {
  const highest = whole ?? Math.max(0, line?.value ?? 0, ...bars.map(({ value }) => value ?? 0));
  const share = (value: number) => (highest === 0 ? 0 : Math.max(0, value / highest) * 100);
  return (
    <figure class="bars">
      <figcaption>
        {title}
        {note === "" ? null : <span class="unit">, {note}</span>}
      </figcaption>
      <dl>
        {bars.map(({ key, label, value, text, colour }) => (
          <div key={key}>
            <dt title={label}>{label}</dt>
            <dd>
              <span class="bar-track" aria-hidden="true">
                <i style={{ width: `${value === null ? 0 : share(value)}%`, background: colour }} />
                {line === null ? null : <b style={{ left: `${share(line.value)}%` }} />}
              </span>
              <span class="bar-value">{text}</span>
            </dd>
          </div>
        ))}
      </dl>
      {line === null ? null : <p class="note">{line.text}</p>}
    </figure>
  );
}
