#!/usr/bin/env node
import { program } from "./operator/program.js";

await program().parseAsync();
