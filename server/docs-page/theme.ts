/** Runs before the page is drawn, so that it is not drawn in the other theme first. */
import { applyTheme } from "./theme-choice.js";

applyTheme();
