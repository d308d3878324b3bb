/** A real logger whose lines are kept. */
import { createLogger } from '../../../src/shared/runtime/logging.js';
import type { Logger } from '../../../src/shared/ports/logger.js';

export interface CapturedLog {
  log: Logger;
  text(): string;
  lines(): Record<string, unknown>[];
}

export function captureLog(level: 'debug' | 'info' = 'debug'): CapturedLog {
  let text = '';
  const log = createLogger('test', level, {
    write: (line: string) => {
      text += line;
    },
  });
  return {
    log,
    text: () => text,
    lines: () =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
