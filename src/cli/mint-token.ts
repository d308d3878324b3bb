/** Makes an API token: 256 random bits behind a recognisable start, kept as its SHA-256 alone. */
import { createHash, randomBytes } from 'node:crypto';

const PREFIX_LENGTH = 12;

export interface MintedToken {
  token: string;
  /** Hex. */
  hash: string;
  prefix: string;
}

export function mintToken(): MintedToken {
  const token = `swt_${randomBytes(32).toString('base64url')}`;
  return {
    token,
    hash: createHash('sha256').update(token).digest('hex'),
    prefix: token.slice(0, PREFIX_LENGTH),
  };
}
