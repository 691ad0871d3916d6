import { errors } from "../change/errors.js";
import type { PathIds, Rule } from "../change/rule.js";
import { lockView, mayEdit, type View } from "./view.js";

/** Limits a rule to the owner of the squad. Others who see the object are refused. */
export const forOwner = <P extends keyof PathIds, Target extends { view: View }>(
  visible: Rule<P, Target>,
  description: string,
): Rule<P, Target> => ({
  description,
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const found = await visible.find(ctx, ids, lookup);
    if (found.view.role !== "owner") throw errors.forbidden();
    return found;
  },
});

/**
 * Limits a rule to the owner and the analysts of the squad. Others who see the object are refused.
 * @param squadOf returns the id of the squad of an object
 */
export const forEditors = <P extends keyof PathIds, Target extends { view: View }>(
  visible: Rule<P, Target>,
  squadOf: (found: Target) => number,
  description: string,
): Rule<P, Target> => ({
  description,
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const found = await visible.find(ctx, ids, lookup);
    const { queries, lock } = lookup;
    const view = lock ? await lockView(queries, ctx, squadOf(found), found.view) : found.view;
    if (!mayEdit(view)) throw errors.forbidden();
    return { ...found, view };
  },
});
