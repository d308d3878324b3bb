/** What a trial writes on: one stream for reports and progress, one for faults. */
import { ask } from '../src/cli/client/ask.js';
import type { RunClient } from '../src/cli/client/run-client.js';
import { liveProgress, type ProgressStream } from '../src/cli/render/live-progress.js';
import { viewOf, type OutputStream, type View } from '../src/cli/render/palette.js';
import { progressLine } from '../src/cli/render/progress-line.js';
import { renderRun } from '../src/cli/render/render-run.js';
import type { ChatRequest } from '../src/shared/domain/contracts/chat.js';
import type { RunView } from '../src/shared/domain/contracts/run.js';

export type ConsoleStream = ProgressStream & OutputStream;

export interface TrialConsole {
  readonly view: View;
  say(line: string): void;
  /** Asks with live progress, and prints the finished Run. @throws {ClientFault}, and the signal's reason. */
  ask(client: RunClient, request: ChatRequest, signal: AbortSignal): Promise<RunView>;
}

export function trialConsole(stream: ConsoleStream, env: NodeJS.ProcessEnv): TrialConsole {
  const view = viewOf(stream, env);
  const say = (line: string): void => void stream.write(`${line}\n`);
  return {
    view,
    say,
    ask: async (client, request, signal) => {
      say(`\n${view.palette.bold(`? ${request.query}`)}`);
      const progress = liveProgress(stream, view);
      try {
        const run = await ask(
          client,
          request,
          (frame) => {
            const line = progressLine(frame);
            if (line !== null) progress.show(line);
          },
          signal,
        );
        progress.end();
        stream.write(`\n${renderRun(run, view)}`);
        return run;
      } finally {
        progress.end();
      }
    },
  };
}
