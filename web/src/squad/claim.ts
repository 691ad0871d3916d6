import { rememberOwn, whileClosed } from "../view/kept-squad.js";

/** Takes a squad for this tab until the tab is closed. Returns false if another tab shows the squad. */
export const claim = (id: string) =>
  new Promise<boolean>((resolve) => {
    whileClosed(id, () => {
      rememberOwn(id);
      resolve(true);
      return new Promise(() => {});
    }).catch(() => resolve(false));
  });
