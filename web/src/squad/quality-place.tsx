import { useLoaded } from "../view/use-loaded.js";
import type { QualityCardProps } from "./quality-card.js";

const load = () => import("./quality-card.js");

/** The place of the card of a row, which is loaded when a mark is first pressed. */
export function QualityPlace(props: QualityCardProps) {
  const part = useLoaded(load);
  return part === null ? null : <part.QualityCard {...props} />;
}
