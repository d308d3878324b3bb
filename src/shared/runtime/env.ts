/** Reads the environment once at start; a bad value ends the process with every fault named in one message. */
import { readFileSync } from 'node:fs';
import { config as loadDotenv } from 'dotenv';
import { reserveFault, type Budgets } from '../domain/run/budgets.js';
import { parseEnv, SECRET_NAMES, type Env } from './env-schema.js';

export type { Env } from './env-schema.js';

/** The environment does not fit; `faults` name each variable and the way out. */
export class EnvFault extends Error {
  override readonly name = 'EnvFault';
  constructor(readonly faults: readonly string[]) {
    super(`The environment does not fit:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/** An environment with stores: every process of the fleet has them. */
export type StoreEnv = Env & { REDIS_URL: string; DATABASE_URL: string };
/** With a model endpoint: what workers need. */
export type WorkerEnv = StoreEnv & { OPENAI_API_KEY: string; OPENAI_BASE_URL: string; OPENAI_MODEL: string };

const NO_DATABASE =
  'DATABASE_URL is not set: give a MySQL 8 or MariaDB ≥ 10.11, or use npm start, which brings one';
const OPENAI_PUBLIC_URL = 'https://api.openai.com/v1';

const NO_REDIS = 'REDIS_URL is not set: give a Redis ≥ 7, or use npm start, which brings one';
const NO_ENDPOINT =
  'OPENAI_API_KEY and OPENAI_BASE_URL are not set: name a model endpoint, or let npm start bring the offline analyst (OFFLINE_ANALYST=1 beside stores of your own)';
const NO_MODEL = 'OPENAI_MODEL is not set: name the model to ask';

/** @throws {EnvFault} */
export function readEnv(variables: NodeJS.ProcessEnv): Env {
  return read(variables, () => []);
}

/** @throws {EnvFault} */
export function readStoreEnv(variables: NodeJS.ProcessEnv): StoreEnv {
  return read(variables, missingStores) as StoreEnv;
}

/** @throws {EnvFault} */
export function readDatabaseUrl(variables: NodeJS.ProcessEnv): string {
  const env = read(variables, (isGiven) => (isGiven('DATABASE_URL') ? [] : [NO_DATABASE]));
  return (env as StoreEnv).DATABASE_URL;
}

/** @throws {EnvFault} also when no model is configured (the offline analyst must be asked for, contract §7). */
export function readWorkerEnv(variables: NodeJS.ProcessEnv): WorkerEnv {
  const env = read(variables, (isGiven) => [
    ...missingStores(isGiven),
    ...missingModel(isGiven),
  ]) as StoreEnv & Pick<WorkerEnv, 'OPENAI_MODEL'>;
  return {
    ...env,
    OPENAI_API_KEY: env.OPENAI_API_KEY ?? 'none',
    OPENAI_BASE_URL: env.OPENAI_BASE_URL ?? OPENAI_PUBLIC_URL,
  };
}

type IsGiven = (name: keyof Env) => boolean;

function missingStores(isGiven: IsGiven): string[] {
  return [...(isGiven('REDIS_URL') ? [] : [NO_REDIS]), ...(isGiven('DATABASE_URL') ? [] : [NO_DATABASE])];
}

function missingModel(isGiven: IsGiven): string[] {
  const endpoint = isGiven('OPENAI_API_KEY') || isGiven('OPENAI_BASE_URL');
  return [...(endpoint ? [] : [NO_ENDPOINT]), ...(isGiven('OPENAI_MODEL') ? [] : [NO_MODEL])];
}

/** Every fault at once: of values, of secrets' files, of what is missing, of budgets that leave no reserve. */
function read(variables: NodeJS.ProcessEnv, missing: (isGiven: IsGiven) => string[]): Env {
  if (variables['NODE_ENV'] === 'development') loadDotenv({ quiet: true });
  const { values, faults } = withSecretFiles(variables);
  const lacking = missing((name) => isSet(values[name]) || isSet(variables[`${name}_FILE`]));
  const parsed = parseEnv(values);
  if (!parsed.ok) throw new EnvFault([...faults, ...parsed.faults, ...lacking]);
  const reserve = reserveFault(budgetsOf(parsed.env));
  const all = [...faults, ...(reserve === null ? [] : [reserve]), ...lacking];
  if (all.length > 0) throw new EnvFault(all);
  return parsed.env;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function withSecretFiles(variables: NodeJS.ProcessEnv): { values: NodeJS.ProcessEnv; faults: string[] } {
  const values = { ...variables };
  const faults: string[] = [];
  for (const name of SECRET_NAMES) {
    const file = variables[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if (isSet(variables[name])) {
      faults.push(`${name} and ${name}_FILE are both set: keep one`);
      continue;
    }
    try {
      values[name] = readFileSync(file, 'utf8').trim();
      if (values[name] === '') faults.push(`${name}_FILE names a file that holds nothing`);
    } catch {
      faults.push(`${name}_FILE names a file that cannot be read`);
    }
  }
  return { values, faults };
}

/** The Run's budgets (contract §4, BU-1). */
export function budgetsOf(env: Env): Budgets {
  return {
    maxModelCalls: env.RUN_MAX_MODEL_CALLS,
    maxToolCalls: env.RUN_MAX_TOOL_CALLS,
    maxTokens: env.RUN_MAX_TOKENS,
    maxEvidenceBytes: env.RUN_MAX_EVIDENCE_BYTES,
    timeoutMs: env.RUN_TIMEOUT_MS,
    semanticMaxInputBytes: env.SEMANTIC_MAX_INPUT_BYTES,
  };
}
