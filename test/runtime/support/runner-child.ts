/** A process under the runner, made to order by its environment; says what happens on stdout. */
import { StoreUnavailable } from '../../../src/shared/ports/errors.js';
import { createLogger } from '../../../src/shared/runtime/logging.js';
import { runProcess } from '../../../src/shared/runtime/process-runner.js';
import { StartFault } from '../../../src/shared/runtime/start-fault.js';

const say = (word: string): void => {
  process.stdout.write(`${word}\n`);
};
const order = process.env['ORDER'] ?? '';

function refuse(): void {
  switch (order) {
    case 'start fault':
      throw new StartFault('PORT is taken: choose another');
    case 'redis':
      throw new StoreUnavailable('Redis', { cause: new Error('SECRET-CAUSE') });
    case 'mysql':
      throw new StoreUnavailable('MySQL');
    case 'bug':
      throw Object.assign(new TypeError('something broke'), { code: 'E_BROKEN' });
    default:
  }
}

await runProcess(async (control) => {
  refuse();
  if (order === 'slow start') {
    say('starting');
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  const step = (name: string, close: () => Promise<unknown> = () => Promise.resolve()) => ({
    name,
    close: () => {
      say(`close ${name}`);
      return close();
    },
  });
  // What a server would do: keeps the process alive until it is closed.
  const alive = setInterval(() => undefined, 1000);
  if (order === 'fail')
    setTimeout(() => {
      control.fail('the locks are gone');
    }, 50);
  say('started');
  return {
    log: createLogger('child', 'info'),
    shutdownTimeoutMs: 400,
    steps: [
      step('first', order === 'hang' ? () => new Promise(() => undefined) : undefined),
      step('second', () => {
        clearInterval(alive);
        return Promise.resolve();
      }),
    ],
  };
});
