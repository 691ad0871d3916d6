import { useLoaded } from "../view/use-loaded.js";
import type { QualityCardProps } from "./quality-card.js";

const load = () => import("./quality-card.js");

/** Contains a row's card, which is loaded with the first click on a mark. */
export function QualityPlace(props: QualityCardProps) {
  const part = useLoaded(load);
  return part === null ? null : <part.QualityCard {...props} />;
}
