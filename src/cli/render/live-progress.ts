/** Progress as it comes: a spinner with the steps above it on a terminal, plain lines anywhere else. */
import type { Writable } from 'node:stream';
import yoctoSpinner, { type Spinner } from 'yocto-spinner';
import { clip } from './layout.js';
import type { View } from './palette.js';
import type { ProgressLine } from './progress-line.js';

export interface LiveProgress {
  show(line: ProgressLine): void;
  /** Takes the spinner away; nothing may be shown afterwards. */
  end(): void;
}

export type ProgressStream = Writable & { isTTY?: boolean | undefined };

export function liveProgress(stream: ProgressStream, view: View): LiveProgress {
  return stream.isTTY === true ? spinning(stream, view) : plain(stream);
}

/** Two columns are the symbol's; a line that wraps could not be taken away again. */
function spinning(stream: Writable, view: View): LiveProgress {
  const fit = (text: string): string => clip(text, view.width - 3);
  const spinner: Spinner = yoctoSpinner({ stream, handleSignals: false, text: '…' }).start();
  let current = '…';
  return {
    show: ({ state, text }) => {
      switch (state) {
        case 'now':
        case 'passing':
          current = fit(text);
          spinner.text = current;
          return;
        case 'done':
          spinner.success(fit(text)).start(current);
          return;
        case 'failed':
          spinner.error(fit(text)).start(current);
          return;
      }
    },
    end: () => {
      spinner.stop();
    },
  };
}

function plain(stream: Writable): LiveProgress {
  return {
    show: ({ state, text }) => {
      if (state !== 'passing') stream.write(`${state === 'failed' ? '  ! ' : '  - '}${text}\n`);
    },
    end: () => undefined,
  };
}
