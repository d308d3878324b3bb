/** The offline analyst's process. Prints `{"listening":PORT}` on standard output once it takes requests. */
import { startAnalystServer } from './wire/http-server.js';

const MAX_PORT = 65_535;

await run().catch((error: unknown) => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'FAILED';
  const port = process.env['OFFLINE_ANALYST_PORT'] ?? '0';
  const advice =
    code === 'EADDRINUSE' ? `; port ${port} is in use, so set OFFLINE_ANALYST_PORT to another, or to 0` : '';
  process.stderr.write(`the offline analyst did not start (${code})${advice}\n`);
  process.exitCode = 1;
});

async function run(): Promise<void> {
  const port = readPort(process.env['OFFLINE_ANALYST_PORT']);
  if (port === null) {
    process.stderr.write(`OFFLINE_ANALYST_PORT must be a number from 0 to ${MAX_PORT}\n`);
    process.exitCode = 1;
    return;
  }
  const server = await startAnalystServer({ port, now: Date.now });
  const stop = stopRequested();
  process.stdout.write(`${JSON.stringify({ listening: server.port })}\n`);
  await stop.asked;
  stop.release();
  await server.close();
}

function readPort(text: string | undefined): number | null {
  if (text === undefined || text.trim() === '') return 0;
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : Number.NaN;
  return port <= MAX_PORT ? port : null;
}

/** SIGTERM and SIGINT; under a supervisor also the end of standard input, which comes when the supervisor dies. */
function stopRequested(): { asked: Promise<void>; release: () => void } {
  const { promise, resolve } = withResolver();
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.once(signal, resolve);
  const supervised = process.env['SWORN_SUPERVISED'] === '1';
  if (supervised) {
    process.stdin.once('end', resolve).once('close', resolve).once('error', resolve);
    process.stdin.resume();
  }
  return {
    asked: promise,
    release: () => {
      for (const signal of signals) process.off(signal, resolve);
      if (!supervised) return;
      process.stdin.off('end', resolve).off('close', resolve).off('error', resolve);
      process.stdin.pause();
      process.stdin.unref();
    },
  };
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = () => settle();
  });
  return { promise, resolve };
}
