/** These functions are loaded when figures of a squad include optional ones. */
export { optionalFunctions } from "asi-convert/squad-report";
