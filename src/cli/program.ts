/** Commands of `sworn`; each loads what it needs when it runs. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { ROLES, type Role } from '../shared/ports/access.js';
import { StoreUnavailable } from '../shared/ports/errors.js';
import type { Database } from '../shared/adapters/mysql/database.js';
import { EnvFault } from '../shared/runtime/env.js';
import { StartFault } from '../shared/runtime/start-fault.js';

const MAX_PRINCIPAL = 128;

export function buildProgram(): Command {
  const program = new Command('sworn').description(
    'Incident diagnosis that says only what its evidence supports.',
  );
  program
    .command('migrate')
    .description('bring the database at DATABASE_URL up to date')
    .action(() => withDatabase(runMigrations));
  const token = program.command('token').description('API tokens: who may call, and as what');
  token
    .command('create')
    .description('make a token and print it alone; it is shown this once')
    .requiredOption('--principal <name>', 'who it is for', principal)
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .action((options: { principal: string; role: Role }) =>
      withDatabase((database) => createToken(database, options)),
    );
  token
    .command('list')
    .description('tokens by their first characters')
    .action(() => withDatabase(listTokens));
  token
    .command('revoke <prefix>')
    .description('end a token, named by its first characters as listed')
    .action((prefix: string) => withDatabase((database) => revokeToken(database, prefix)));
  return program;
}

function principal(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MAX_PRINCIPAL)
    throw new InvalidArgumentError(`1 to ${MAX_PRINCIPAL} characters`);
  return name;
}

/** Runs a command against the database; a fault is one message on stderr and exit code 1. */
async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  let database: Database | undefined;
  try {
    const { readDatabaseUrl } = await import('../shared/runtime/env.js');
    const { openDatabase } = await import('../shared/adapters/mysql/database.js');
    database = await openDatabase({ url: readDatabaseUrl(process.env), poolSize: 2 });
    await work(database);
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof EnvFault || error instanceof StartFault))
      throw error;
    const way = error instanceof StoreUnavailable ? ': check DATABASE_URL and that the server runs' : '';
    process.stderr.write(`${error.message}${way}\n`);
    process.exitCode = 1;
  } finally {
    await database?.close();
  }
}

async function runMigrations(database: Database): Promise<void> {
  const { migrate } = await import('../shared/adapters/mysql/migrate.js');
  const names = await migrate(database);
  process.stdout.write(
    names.length === 0 ? 'The database is up to date.\n' : `Migrated: ${names.join(', ')}\n`,
  );
}

async function createToken(database: Database, options: { principal: string; role: Role }): Promise<void> {
  const { createTokenStore } = await import('../shared/adapters/mysql/token-store.js');
  const { mintToken } = await import('./mint-token.js');
  const { token, hash, prefix } = mintToken();
  await createTokenStore(database).create({ ...options, hash, prefix, expiresAt: null });
  process.stdout.write(`${token}\n`);
}

async function listTokens(database: Database): Promise<void> {
  const { createTokenStore } = await import('../shared/adapters/mysql/token-store.js');
  const tokens = await createTokenStore(database).list();
  if (tokens.length === 0) process.stdout.write('There are no tokens; make one with sworn token create.\n');
  for (const item of tokens) {
    const state = item.revokedAt === null ? 'active' : `revoked ${item.revokedAt}`;
    process.stdout.write(
      `${item.prefix}  ${item.role.padEnd(8)}  ${item.principal}  ${item.createdAt}  ${state}\n`,
    );
  }
}

async function revokeToken(database: Database, prefix: string): Promise<void> {
  const { createTokenStore } = await import('../shared/adapters/mysql/token-store.js');
  if (await createTokenStore(database).revoke(prefix)) {
    process.stdout.write(`Revoked ${prefix}.\n`);
    return;
  }
  process.stderr.write(`There is no token ${prefix}: sworn token list shows them\n`);
  process.exitCode = 1;
}
