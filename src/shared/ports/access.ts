/** Who calls. Roles contain each other: `viewer` reads, `operator` also starts and cancels, `admin` may all. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export interface Caller {
  principal: string;
  role: Role;
}

export interface TokenRecord extends Caller {
  /** First characters of the token, to tell tokens apart. */
  prefix: string;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

/** API tokens; only SHA-256 hashes (hex) are stored. */
export interface TokenStore {
  /** Null for an unknown, expired or revoked token. */
  find(hash: string, now: Date): Promise<Caller | null>;
  create(token: Caller & { hash: string; prefix: string; expiresAt: Date | null }): Promise<void>;
  list(): Promise<TokenRecord[]>;
  /** False when no token has that prefix. */
  revoke(prefix: string): Promise<boolean>;
}
