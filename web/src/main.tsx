import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./styles.css";
import { App } from "./app.js";
import { RecordingWorker } from "./recording/client.js";
import { Workspace } from "./recording/workspace.js";
import { rememberedSettings } from "./view/settings.js";

const settings = rememberedSettings();
const workspace = new Workspace(new RecordingWorker());
render(<App workspace={workspace} settings={settings} />, document.body);
