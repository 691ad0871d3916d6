import type { ViewProps } from "../view.js";
import { DeviceList } from "./device-list.js";
import { DevicePage } from "./device-page.js";

/** The list of a manager's devices, or one of them. */
export function DevicesView(props: ViewProps) {
  const [id] = props.params;
  return id === undefined ? <DeviceList {...props} /> : <DevicePage key={id} id={Number(id)} {...props} />;
}
