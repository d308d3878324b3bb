/** The environment: every fault in one message, secrets from files and never repeated, nothing missing for a worker. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { SECRET_NAMES } from '../../src/shared/runtime/env-schema.js';
import { EnvSchema, parseEnv } from '../../src/shared/runtime/env-schema.js';
import {
  budgetsOf,
  EnvFault,
  readDatabaseUrl,
  readEnv,
  readStoreEnv,
  readWorkerEnv,
} from '../../src/shared/runtime/env.js';

const STORES = { REDIS_URL: 'redis://127.0.0.1:6379', DATABASE_URL: 'mysql://sworn@127.0.0.1/sworn' };
const MODEL = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_MODEL: 'm' };

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof EnvFault) {
      for (const fault of error.faults) expect(error.message).to.include(fault);
      return error.faults;
    }
    throw error;
  }
  throw new Error('the environment was taken');
}
const names = (faults: readonly string[]): string[] => faults.map((fault) => fault.split(' ')[0] ?? '');

describe('FL-5 the environment', () => {
  it('BU-1 an empty environment has the contract’s defaults', () => {
    expect(readEnv({})).to.deep.include({
      HOST: '127.0.0.1',
      PORT: 8787,
      RUN_CONCURRENCY: 50,
      TOOL_CONCURRENCY: 8,
      TOOL_GLOBAL_CONCURRENCY: 32,
      GUARD_CONCURRENCY: 50,
      JOB_LOCK_MS: 15_000,
      STALLED_INTERVAL_MS: 5000,
      SWEEP_INTERVAL_MS: 10_000,
      HEARTBEAT_MS: 15_000,
      SHUTDOWN_TIMEOUT_MS: 35_000,
      MAX_QUEUED_RUNS: 10_000,
      DISCONNECT_GRACE_MS: 3000,
      EVENT_LOG_TTL_S: 86_400,
      INVOCATION_TTL_S: 86_400,
      DEFAULT_WINDOW_MINUTES: 60,
      SESSION_VISIBILITY: 'private',
      LOG_TIMEZONE: 'UTC',
      MODEL_STREAM: true,
      MODEL_IDLE_TIMEOUT_MS: 20_000,
      MODEL_TIMEOUT_MS: 60_000,
      TOOL_TIMEOUT_MS: 15_000,
      AGENT_RESULT_MAX_BYTES: 16_384,
      SEMANTIC_ATTEMPT_TIMEOUT_MS: 30_000,
      SEMANTIC_TOTAL_TIMEOUT_MS: 75_000,
      SEMANTIC_MAX_OUTPUT_BYTES: 4096,
      SATURATION_ROUNDS: 2,
    });
    expect(budgetsOf(readEnv({}))).to.deep.equal({
      maxModelCalls: 16,
      maxToolCalls: 24,
      maxTokens: 600_000,
      maxEvidenceBytes: 262_144,
      timeoutMs: 300_000,
      semanticMaxInputBytes: 393_216,
    });
  });

  it('FL-5 every bad value is named in one message, and none of them is repeated in it', () => {
    const bad = {
      PORT: '70000-BAD',
      RUN_CONCURRENCY: '0',
      HEARTBEAT_MS: '12.5',
      REDIS_URL: 'http://SECRET-BAD',
      DATABASE_URL: 'SECRET-BAD',
      OPENAI_BASE_URL: 'ftp://SECRET-BAD',
      MODEL_STREAM: 'BAD-yes',
      MODEL_JSON: 'BAD',
      LOG_LEVEL: 'BAD',
      LOG_TIMEZONE: 'BAD/Zone',
      SESSION_VISIBILITY: 'BAD',
      ADMIN_TOKEN: 'SECRET-BAD',
      TARGET_DATABASE_URL: 'postgres://SECRET-BAD',
      RUN_TIMEOUT_MS: '-1',
    };
    const faults = faultsOf(() => readEnv(bad));
    expect(names(faults).sort()).to.deep.equal(Object.keys(bad).sort());
    expect(faults.join('\n')).not.to.match(/BAD/);
  });

  it('FL-5 what is missing is named beside what is wrong', () => {
    expect(names(faultsOf(() => readWorkerEnv({ PORT: 'x', RUN_MAX_MODEL_CALLS: '2' })))).to.deep.equal([
      'PORT',
      'REDIS_URL',
      'DATABASE_URL',
      'OPENAI_API_KEY',
      'OPENAI_MODEL',
    ]);
    expect(names(faultsOf(() => readWorkerEnv({ RUN_MAX_MODEL_CALLS: '2' })))).to.deep.equal([
      'RUN_MAX_MODEL_CALLS',
      'REDIS_URL',
      'DATABASE_URL',
      'OPENAI_API_KEY',
      'OPENAI_MODEL',
    ]);
    expect(names(faultsOf(() => readStoreEnv({ REDIS_URL: STORES.REDIS_URL })))).to.deep.equal([
      'DATABASE_URL',
    ]);
    expect(names(faultsOf(() => readDatabaseUrl({ DATABASE_URL: '' })))).to.deep.equal(['DATABASE_URL']);
    expect(readDatabaseUrl(STORES)).to.equal(STORES.DATABASE_URL);
  });

  it('FL-5 a worker without a model refuses to start, and says how to have one', () => {
    const [fault, ...others] = faultsOf(() => readWorkerEnv({ ...STORES, OPENAI_MODEL: 'm' }));
    expect(others).to.deep.equal([]);
    expect(fault).to.include('OPENAI_BASE_URL').and.to.include('offline analyst');
    expect(names(faultsOf(() => readWorkerEnv({ ...STORES, OPENAI_API_KEY: 'k' })))).to.deep.equal([
      'OPENAI_MODEL',
    ]);
    expect(readWorkerEnv({ ...STORES, ...MODEL })).to.include({ OPENAI_API_KEY: 'none', ...MODEL });
    expect(readWorkerEnv({ ...STORES, OPENAI_API_KEY: 'k', OPENAI_MODEL: 'm' }).OPENAI_BASE_URL).to.match(
      /^https:/,
    );
  });

  it('BU-1 a total below the guards’ reserve is refused with both variables named', () => {
    const [fault] = faultsOf(() => readEnv({ RUN_MAX_TOKENS: '98304' }));
    expect(fault).to.include('RUN_MAX_TOKENS').and.to.include('SEMANTIC_MAX_INPUT_BYTES');
    expect(readEnv({ RUN_MAX_TOKENS: '98305' }).RUN_MAX_TOKENS).to.equal(98_305);
    expect(readEnv({ RUN_MAX_TOKENS: '98304', SEMANTIC_MAX_INPUT_BYTES: '1024' }).RUN_MAX_TOKENS).to.equal(
      98_304,
    );
    expect(names(faultsOf(() => readEnv({ RUN_MAX_MODEL_CALLS: '3' })))).to.deep.equal([
      'RUN_MAX_MODEL_CALLS',
    ]);
  });

  it('FL-5 an empty value counts as not set, and a foreign variable is none of ours', () => {
    expect(readEnv({ PORT: '', LOG_LEVEL: '', HOME: '/x', PORTS: 'x' }).PORT).to.equal(8787);
  });

  it('FL-5 a whole number within its bounds is taken, anything else named by its variable alone', () => {
    const numeric = Object.entries(EnvSchema.shape)
      .map(([name]) => name)
      .filter((name) => typeof (readEnv({}) as Record<string, unknown>)[name] === 'number');
    expect(numeric.length).to.be.greaterThan(25);
    fc.assert(
      fc.property(fc.constantFrom(...numeric), fc.string({ minLength: 1, maxLength: 12 }), (name, text) => {
        const parsed = parseEnv({ [name]: text });
        if (/^\d{1,10}$/.test(text)) {
          if (parsed.ok) expect((parsed.env as Record<string, unknown>)[name]).to.equal(Number(text));
          return;
        }
        expect(parsed.ok).to.equal(false);
        if (!parsed.ok) expect(names(parsed.faults)).to.deep.equal([name]);
      }),
    );
  });
});

describe('SE-1 secrets from files', () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'sworn-test-secrets-'));
  });
  after(() => {
    rmSync(dir, { recursive: true });
  });
  const file = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text);
    return path;
  };

  it('SE-1 each secret may come as NAME_FILE, without the line’s end', () => {
    const values: Record<(typeof SECRET_NAMES)[number], string> = {
      REDIS_URL: 'redis://:pw@127.0.0.1:1',
      DATABASE_URL: 'mysql://u:pw@127.0.0.1/x',
      TARGET_DATABASE_URL: 'mariadb://u:pw@127.0.0.1/y',
      OPENAI_API_KEY: 'sk-from-a-file',
      ADMIN_TOKEN: 'a-token-of-enough-characters',
    };
    const given = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [`${name}_FILE`, file(name, `${value}\n`)]),
    );
    expect(readWorkerEnv({ ...given, OPENAI_MODEL: 'm' })).to.include(values);
  });

  it('SE-1 a file that cannot be read or holds nothing, and a secret given twice, are faults that repeat nothing', () => {
    const faults = faultsOf(() =>
      readWorkerEnv({
        ...STORES,
        OPENAI_MODEL: 'm',
        REDIS_URL: '',
        REDIS_URL_FILE: join(dir, 'SECRET-PATH'),
        OPENAI_API_KEY: 'SECRET-KEY',
        OPENAI_API_KEY_FILE: file('key', 'SECRET-KEY'),
        ADMIN_TOKEN_FILE: file('empty', ' \n'),
      }),
    );
    expect(names(faults)).to.deep.equal(['REDIS_URL_FILE', 'OPENAI_API_KEY', 'ADMIN_TOKEN_FILE']);
    expect(faults.join('\n')).not.to.match(/SECRET/);
  });

  it('SE-1 a bad secret out of a file is named by its variable, and not repeated', () => {
    const faults = faultsOf(() =>
      readStoreEnv({ ...STORES, REDIS_URL: '', REDIS_URL_FILE: file('bad', 'SECRET') }),
    );
    expect(names(faults)).to.deep.equal(['REDIS_URL']);
    expect(faults.join('\n')).not.to.match(/SECRET/);
  });
});
