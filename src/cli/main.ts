#!/usr/bin/env node
/** The `sworn` command. */
import { buildProgram } from './program.js';

await buildProgram().parseAsync();
