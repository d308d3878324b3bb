/** Composes the environment of the fleet's processes. Pure. */
export interface Stores {
  /** Null when the one that the environment names is used. */
  redisUrl: string | null;
  databaseUrl: string | null;
}

export interface FleetEnvParts {
  base: NodeJS.ProcessEnv;
  stores: Stores;
  port: number;
  /** Null when the environment has one, or none is wanted. */
  adminToken: string | null;
  /** `http://host:port` of the offline analyst; null when a model is configured. */
  analystUrl: string | null;
  extra: Readonly<Record<string, string>>;
}

export const ANALYST_MODEL = 'sworn-offline-analyst';

/** What the caller adds wins over all else. */
export function fleetEnv(parts: FleetEnvParts): NodeJS.ProcessEnv {
  const { base, stores, port, adminToken, analystUrl, extra } = parts;
  return {
    ...base,
    PORT: String(port),
    ...(stores.redisUrl === null ? {} : { REDIS_URL: stores.redisUrl }),
    ...(stores.databaseUrl === null ? {} : { DATABASE_URL: stores.databaseUrl }),
    ...(adminToken === null ? {} : { ADMIN_TOKEN: adminToken }),
    ...(analystUrl === null ? {} : analystEnv(analystUrl)),
    ...extra,
  };
}

function analystEnv(url: string): Record<string, string> {
  return {
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'offline',
    OPENAI_MODEL: ANALYST_MODEL,
    OPENAI_MODEL_ROUTER: '',
    OPENAI_MODEL_DIAGNOSIS: '',
    OPENAI_MODEL_GUARD: '',
    OFFLINE_ANALYST: '1',
  };
}

/**
 * Whether the offline analyst is to answer: only when no model is configured, and then only beside embedded stores or
 * when asked for, so that work on real stores never silently gets a rule-based program's answers (contract §7).
 */
export function wantsAnalyst(
  env: {
    OPENAI_API_KEY?: string | undefined;
    OPENAI_BASE_URL?: string | undefined;
    OFFLINE_ANALYST: boolean;
  },
  storesGiven: boolean,
): boolean {
  if (env.OPENAI_API_KEY !== undefined || env.OPENAI_BASE_URL !== undefined) return false;
  return env.OFFLINE_ANALYST || !storesGiven;
}

/** Where a client on this machine reaches a server that listens on `host`. */
export function baseUrlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
