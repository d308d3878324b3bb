/** `npm run try:corpus`: asks about the material in CORPUS_DIR and checks the figures; skips where there is none. */
import { resolve } from 'node:path';
import { enterProject } from './enter-project.js';
import { runCorpus } from './run-corpus.js';

/** Relative to where the command was given, which `enterProject` leaves. */
const given = process.env['CORPUS_DIR'];
const corpusDir = given === undefined || given === '' ? undefined : resolve(given);

enterProject();
process.exitCode = await runCorpus({
  env: { ...process.env, ...(corpusDir === undefined ? {} : { CORPUS_DIR: corpusDir }) },
  out: process.stdout,
  complain: (message) => void process.stderr.write(`sworn: ${message}\n`),
});
