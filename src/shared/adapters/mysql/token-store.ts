/** {@link TokenStore} on MySQL. */
import { ROLES, type Role, type TokenRecord, type TokenStore } from '../../ports/access.js';
import type { Database, WriteResult } from './database.js';

interface TokenRow {
  prefix: string;
  principal: string;
  role: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
}

function roleOf(text: string): Role {
  const role = ROLES.find((name) => name === text);
  if (role === undefined) throw new TypeError('api_token.role holds an unknown role');
  return role;
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

export function createTokenStore(database: Database): TokenStore {
  return {
    find: async (hash, now) => {
      const [row] = await database.query<TokenRow[]>(
        `SELECT principal, role FROM api_token
         WHERE token_hash = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
        [hash, now],
      );
      return row === undefined ? null : { principal: row.principal, role: roleOf(row.role) };
    },
    create: async (token) => {
      await database.query(
        'INSERT INTO api_token (token_hash, prefix, principal, role, created_at, expires_at) VALUES (?, ?, ?, ?, UTC_TIMESTAMP(3), ?)',
        [token.hash, token.prefix, token.principal, token.role, token.expiresAt],
      );
    },
    list: async () => {
      const rows = await database.query<TokenRow[]>('SELECT * FROM api_token ORDER BY created_at, prefix');
      return rows.map((row): TokenRecord => ({
        prefix: row.prefix,
        principal: row.principal,
        role: roleOf(row.role),
        createdAt: row.created_at.toISOString(),
        expiresAt: iso(row.expires_at),
        revokedAt: iso(row.revoked_at),
      }));
    },
    revoke: async (prefix) => {
      const result = await database.query<WriteResult>(
        'UPDATE api_token SET revoked_at = COALESCE(revoked_at, UTC_TIMESTAMP(3)) WHERE prefix = ?',
        [prefix],
      );
      return result.affectedRows > 0;
    },
  };
}
