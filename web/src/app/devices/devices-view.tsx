import type { ViewProps } from "../view.js";
import { DeviceList } from "./device-list.js";
import { DevicePage } from "./device-page.js";

/** The devices of a manager: all of them, or one. */
export function DevicesView(props: ViewProps) {
  const [id] = props.params;
  return id === undefined ? <DeviceList {...props} /> : <DevicePage key={id} id={Number(id)} {...props} />;
}
