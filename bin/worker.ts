import { serve } from "../src/cli/worker.js";

serve();
