import type { Resource } from "asi-client";
import type { ViewProps } from "../view.js";

export type Squad = Resource["Squad"];
export type Assignment = Resource["Assignment"];

/** Props of each part of a squad. */
export interface TabProps extends ViewProps {
  squad: Squad;
}
