/** Reads a Procfile: one `name: command` a line; empty lines and `#` comments are skipped. Pure. */
import { StartFault } from '../shared/runtime/start-fault.js';

const LINE = /^([A-Za-z0-9_-]+):\s*(\S.*)$/;

/** In the order of the file. @throws {StartFault} with the number of a line that is none of these, or a name twice. */
export function parseProcfile(text: string): Map<string, string> {
  const commands = new Map<string, string>();
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, name, command] = LINE.exec(line) ?? [];
    if (name === undefined || command === undefined) {
      throw new StartFault(`Procfile, line ${index + 1}: expected "name: command"`);
    }
    if (commands.has(name)) throw new StartFault(`Procfile, line ${index + 1}: ${name} stands there twice`);
    commands.set(name, command);
  }
  return commands;
}

/** @throws {StartFault} when the Procfile has no such line. */
export function commandOf(procfile: ReadonlyMap<string, string>, name: string): string {
  const command = procfile.get(name);
  if (command === undefined) throw new StartFault(`Procfile: there is no line for ${name}`);
  return command;
}
