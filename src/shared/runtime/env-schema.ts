/**
 * Every environment variable that sworn reads, with its shape and default. Parsing is pure: {@link parseEnv} gets the
 * variables and gives either the settings or every fault by name; a value is never repeated in a fault (it may be a
 * secret).
 */
import { z } from 'zod';

const integer = (fallback: number, min: number, max = 2_147_483_647) =>
  z
    .string()
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`))
    .default(fallback);

const flag = (fallback: boolean) =>
  z
    .enum(['0', '1'], { error: 'must be 0 or 1' })
    .transform((value) => value === '1')
    .default(fallback);

const url = (protocols: readonly string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
  });

const REDIS_PROTOCOLS = ['redis:', 'rediss:'];
const SQL_PROTOCOLS = ['mysql:', 'mariadb:'];

const timeZone = z
  .string()
  .refine(isTimeZone, { error: 'must be UTC or an IANA time zone such as Europe/Berlin' })
  .default('UTC');

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Names whose value may come from the file that `NAME_FILE` names. */
export const SECRET_NAMES = [
  'REDIS_URL',
  'DATABASE_URL',
  'TARGET_DATABASE_URL',
  'OPENAI_API_KEY',
  'ADMIN_TOKEN',
] as const;

export const EnvSchema = z.object({
  NODE_ENV: z.string().default('production'),
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(8787, 0, 65_535),
  REDIS_URL: url(REDIS_PROTOCOLS).optional(),
  DATABASE_URL: url(SQL_PROTOCOLS).optional(),
  DATABASE_POOL: integer(10, 2, 500),

  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: url(['http:', 'https:']).optional(),
  OPENAI_MODEL: z.string().optional(),
  OPENAI_MODEL_ROUTER: z.string().optional(),
  OPENAI_MODEL_DIAGNOSIS: z.string().optional(),
  OPENAI_MODEL_GUARD: z.string().optional(),
  OFFLINE_ANALYST: flag(false),
  MODEL_STREAM: flag(true),
  MODEL_JSON: z.enum(['none', 'schema'], { error: 'must be none or schema' }).default('none'),
  MODEL_IDLE_TIMEOUT_MS: integer(20_000, 100),
  MODEL_TIMEOUT_MS: integer(60_000, 100),

  LOG_DIR: z.string().optional(),
  LOG_TIMEZONE: timeZone,
  TARGET_DATABASE_URL: url(SQL_PROTOCOLS).optional(),
  TARGET_SCHEMAS: z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    )
    .optional(),

  RUN_CONCURRENCY: integer(50, 1, 1000),
  TOOL_CONCURRENCY: integer(8, 1, 1000),
  TOOL_GLOBAL_CONCURRENCY: integer(32, 1, 10_000),
  GUARD_CONCURRENCY: integer(50, 1, 1000),
  JOB_LOCK_MS: integer(15_000, 500),
  STALLED_INTERVAL_MS: integer(5000, 100),
  SWEEP_INTERVAL_MS: integer(10_000, 100),
  HEARTBEAT_MS: integer(15_000, 50),
  SHUTDOWN_TIMEOUT_MS: integer(35_000, 100),
  MAX_QUEUED_RUNS: integer(10_000, 1),
  DISCONNECT_GRACE_MS: integer(3000, 0),
  EVENT_LOG_TTL_S: integer(86_400, 1),
  INVOCATION_TTL_S: integer(86_400, 1),
  DEFAULT_WINDOW_MINUTES: integer(60, 1, 527_040),
  SESSION_VISIBILITY: z
    .enum(['private', 'shared'], { error: 'must be private or shared' })
    .default('private'),

  RUN_MAX_MODEL_CALLS: integer(16, 1),
  RUN_MAX_TOOL_CALLS: integer(24, 1),
  RUN_MAX_TOKENS: integer(600_000, 1),
  RUN_MAX_EVIDENCE_BYTES: integer(262_144, 1),
  RUN_TIMEOUT_MS: integer(300_000, 1000),
  TOOL_TIMEOUT_MS: integer(15_000, 10),
  AGENT_RESULT_MAX_BYTES: integer(16_384, 1024),
  SEMANTIC_ATTEMPT_TIMEOUT_MS: integer(30_000, 10),
  SEMANTIC_TOTAL_TIMEOUT_MS: integer(75_000, 10),
  SEMANTIC_MAX_INPUT_BYTES: integer(393_216, 1024),
  SEMANTIC_MAX_OUTPUT_BYTES: integer(4096, 64),
  SATURATION_ROUNDS: integer(2, 1),

  ADMIN_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be trace, debug, info, warn, error, fatal or silent',
    })
    .default('info'),
});
export type Env = z.infer<typeof EnvSchema>;

export type ParsedEnv = { ok: true; env: Env } | { ok: false; faults: string[] };

/** An empty value counts as not set. */
export function parseEnv(variables: Readonly<Record<string, string | undefined>>): ParsedEnv {
  const given = Object.fromEntries(
    Object.entries(variables).filter(
      ([name, value]) => value !== undefined && value !== '' && name in EnvSchema.shape,
    ),
  );
  const parsed = EnvSchema.safeParse(given);
  if (parsed.success) return { ok: true, env: parsed.data };
  return {
    ok: false,
    faults: parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`),
  };
}
