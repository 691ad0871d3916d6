/** Runs before the page is drawn, so that it is not first drawn in the other theme. */
import { applyTheme } from "./theme-choice.js";

applyTheme();
