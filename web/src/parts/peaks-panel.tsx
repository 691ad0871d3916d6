import { useLoaded } from "../view/use-loaded.js";
import { Fold } from "./fold.js";
import type { PeaksProps } from "./peaks.js";

const loadPeaks = async () => (await import("./peaks.js")).Peaks;

/** The most demanding passages, computed on demand. */
export function PeaksPanel(props: PeaksProps) {
  return <Fold title="Peak demands">{() => <Opened {...props} />}</Fold>;
}

function Opened(props: PeaksProps) {
  const Peaks = useLoaded(loadPeaks);
  return Peaks === null ? null : <Peaks {...props} />;
}
