import { type CurrentAccess, SERVICE_ADDRESS } from "./access.js";
import { element } from "./element.js";

export const SIGN_IN_ADDRESS = `${SERVICE_ADDRESS}#/sign-in`;

/** Shows the account for requests, and accepts a token. */
export function accessPanel(place: HTMLElement, access: CurrentAccess): void {
  const status = element("p", { role: "status" });
  const field = element("input", {
    id: "token",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "token-problem",
  });
  const problem = element("p", { id: "token-problem", class: "token-problem", role: "alert" });
  const form = element(
    "form",
    {},
    element("label", { for: "token" }, "Access token"),
    field,
    element("button", { type: "submit" }, "Use token"),
    problem,
  );
  const forget = element("button", { type: "button" }, "Forget token");
  place.append(status, form, forget);

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const isToken = access.useToken(field.value);
    problem.textContent = isToken
      ? ""
      : "This is not an access token. A token has 43 letters, digits, hyphens and underscores.";
    field.ariaInvalid = isToken ? null : "true";
    if (!isToken) return field.focus();
    field.value = "";
    forget.focus();
  });
  forget.addEventListener("click", () => {
    access.forgetToken();
    field.focus();
  });

  const show = () => {
    const { current } = access;
    form.hidden = current.kind === "token";
    forget.hidden = current.kind !== "token";
    status.replaceChildren(...words(access));
  };
  access.listen(show);
  show();
}

function words({ current }: CurrentAccess): (Node | string)[] {
  switch (current.kind) {
    case "unknown":
      return ["…"];
    case "session":
      return [
        "Try it out sends requests as ",
        element("strong", {}, current.username),
        ", who is signed in on the page. They change real data.",
      ];
    case "token":
      return ["Try it out sends requests with the token that you have entered. They change real data."];
    case "none":
      return [
        "You are not signed in. To try operations, ",
        element("a", { href: SIGN_IN_ADDRESS }, "sign in on the page"),
        " and come back, or enter an access token.",
      ];
  }
}
