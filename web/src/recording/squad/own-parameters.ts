/** Loaded when a player of a squad is opened, so that the viewer does not load the library of squads. */
export { ownParameters } from "asi-convert/squad";
