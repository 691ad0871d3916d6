import type { ComponentType } from "preact";
import { useLoaded } from "../view/use-loaded.js";
import { Fold } from "./fold.js";

interface Props<PartProps> {
  title: string;
  load: () => Promise<ComponentType<PartProps>>;
  props: PartProps;
}

/** A collapsible part of the page whose script is loaded when it opens. */
export function LoadedFold<PartProps extends object>({ title, load, props }: Props<PartProps>) {
  return <Fold title={title}>{() => <Opened load={load} props={props} />}</Fold>;
}

function Opened<PartProps extends object>({ load, props }: Omit<Props<PartProps>, "title">) {
  const Part = useLoaded(load);
  return Part === null ? null : <Part {...props} />;
}
