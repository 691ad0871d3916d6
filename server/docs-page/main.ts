/** The documentation at `/api/docs/`: Swagger UI with the design of the page at `/` and its session. */
import { CurrentAccess, SERVICE_ADDRESS } from "./access.js";
import { accessPanel } from "./access-panel.js";
import { plugin } from "./components.js";
import { element } from "./element.js";
import { shownDocument } from "./shown-document.js";
import { themeButton } from "./theme-button.js";

const placeOf = (id: string) => document.getElementById(id) as HTMLElement;

async function show(): Promise<void> {
  const response = await fetch(`${SERVICE_ADDRESS}api/schema/`);
  if (!response.ok) throw new Error(`The service responded with status ${response.status}.`);
  SwaggerUIBundle({
    spec: shownDocument(await response.json()),
    dom_id: "#documentation",
    layout: "DocumentationLayout",
    deepLinking: true,
    // With all groups open, Swagger UI would render only the operations in the window, because there are many, and would lose the
    // input in the others.
    docExpansion: "none",
    defaultModelsExpandDepth: -1,
    filter: true,
    syntaxHighlight: false,
    validatorUrl: null,
    plugins: [plugin(access)],
    requestInterceptor: (request: Parameters<CurrentAccess["authorize"]>[0]) => access.authorize(request),
    responseInterceptor: (answer: Parameters<CurrentAccess["notice"]>[0]) => access.notice(answer),
  });
}

const access = new CurrentAccess();
themeButton(placeOf("theme"));
accessPanel(placeOf("access"), access);
access.begin();
show().catch((error: Error) => {
  const again = element("button", { type: "button" }, "Try again");
  again.addEventListener("click", () => location.reload());
  placeOf("documentation").replaceChildren(
    element("p", { role: "alert" }, `The documentation could not be loaded. ${error.message}`),
    again,
  );
});
