import { render } from "preact";
import "./styles.css";
import { App } from "./app.js";
import { Outdated } from "./parts/outdated.js";
import { RecordingWorker } from "./recording/client.js";
import { Workspace } from "./recording/workspace.js";
import { keepFocus } from "./view/kept-focus.js";
import { applyLink } from "./view/link.js";
import { keepOffline } from "./view/offline.js";
import { findService } from "./view/service.js";
import { rememberedSettings } from "./view/settings.js";

const settings = rememberedSettings();
const linked = applyLink(location.hash, settings);
const workspace = new Workspace(new RecordingWorker());
render(
  <>
    <Outdated />
    <App workspace={workspace} settings={settings} linked={linked} />
  </>,
  document.body,
);
keepFocus();
keepOffline();
findService();
