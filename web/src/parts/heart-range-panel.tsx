import { useLoaded } from "../view/use-loaded.js";
import { Fold } from "./fold.js";
import type { HeartRangeProps } from "./heart-range.js";

const loadHeartRange = async () => (await import("./heart-range.js")).HeartRangeFields;

/** The periods with a heart rate in a range, computed on demand. */
export function HeartRangePanel(props: HeartRangeProps) {
  return <Fold title="Heart-rate range">{() => <Opened {...props} />}</Fold>;
}

function Opened(props: HeartRangeProps) {
  const HeartRangeFields = useLoaded(loadHeartRange);
  return HeartRangeFields === null ? null : <HeartRangeFields {...props} />;
}
