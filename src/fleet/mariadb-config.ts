/** Text of the embedded MariaDB's (or MySQL's) option file and of the statements that it runs at each start. Pure. */
import type { Secrets } from './data-dir.js';
import type { SqlFlavour } from './find-programs.js';
import type { Durability } from './server-spec.js';

export const OWNER = 'sworn';
export const ADMIN = 'sworn_admin';
export const DATABASE = 'sworn';

export interface OptionValues {
  dataDir: string;
  socket: string;
  pidFile: string;
  initFile: string;
  /** The only folder that LOAD DATA and INTO OUTFILE may touch. */
  filesDir: string;
  /** Null while the data folder is being made. */
  port: number | null;
  asRoot: boolean;
  durability: Durability;
  flavour: SqlFlavour;
}

/** `loose-` options are those that not every version knows. Sizes are for a laptop, not for a database host. */
export function optionFile(values: OptionValues): string {
  const kept = values.durability === 'kept';
  const lines = [
    '[mysqld]',
    `datadir=${quoted(values.dataDir)}`,
    `socket=${quoted(values.socket)}`,
    `pid-file=${quoted(values.pidFile)}`,
    `secure-file-priv=${quoted(values.filesDir)}`,
    ...(values.asRoot ? ['user=root'] : []),
    ...(values.port === null
      ? []
      : [`init-file=${quoted(values.initFile)}`, 'bind-address=127.0.0.1', `port=${values.port}`]),
    'skip-name-resolve',
    'character-set-server=utf8mb4',
    'collation-server=utf8mb4_unicode_ci',
    'default-time-zone=+00:00',
    'transaction-isolation=READ-COMMITTED',
    'sql-mode=STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
    'max-connections=250',
    'max-allowed-packet=64M',
    'local-infile=OFF',
    'skip-log-bin',
    'performance-schema=OFF',
    'innodb-buffer-pool-size=96M',
    'loose-innodb-log-file-size=48M',
    'innodb-file-per-table=ON',
    `innodb-flush-log-at-trx-commit=${kept ? 1 : 0}`,
    ...(kept ? [] : ['innodb-doublewrite=OFF', 'innodb-flush-method=nosync']),
    'loose-innodb-buffer-pool-dump-at-shutdown=OFF',
    'loose-innodb-buffer-pool-load-at-startup=OFF',
    'key-buffer-size=1M',
    'table-open-cache=400',
    values.flavour === 'mariadb' ? 'aria-pagecache-buffer-size=8M' : 'mysqlx=OFF',
    '',
  ];
  return lines.join('\n');
}

/** One statement a line, as the server wants it. Accounts get their passwords anew at each start. */
export function initStatements(flavour: SqlFlavour, secrets: Secrets): string {
  const account = (name: string, password: string): string[] => [
    `CREATE USER IF NOT EXISTS '${name}'@'127.0.0.1' IDENTIFIED BY '${password}';`,
    `ALTER USER '${name}'@'127.0.0.1' IDENTIFIED BY '${password}';`,
  ];
  return [
    `CREATE DATABASE IF NOT EXISTS ${DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;`,
    ...account(OWNER, secrets.owner),
    `GRANT ALL PRIVILEGES ON ${DATABASE}.* TO '${OWNER}'@'127.0.0.1';`,
    ...account(ADMIN, secrets.admin),
    `GRANT ALL PRIVILEGES ON *.* TO '${ADMIN}'@'127.0.0.1' WITH GRANT OPTION;`,
    `ALTER USER IF EXISTS 'root'@'localhost' IDENTIFIED BY '${secrets.root}';`,
    ...(flavour === 'mariadb' ? passwordlessAccountsOfMariadb() : []),
    '',
  ].join('\n');
}

/** A new MariaDB folder has more accounts without a password: root from other hosts, and nameless ones. */
function passwordlessAccountsOfMariadb(): string[] {
  return [
    "DELETE FROM mysql.global_priv WHERE User = '' OR (User = 'root' AND Host <> 'localhost');",
    'FLUSH PRIVILEGES;',
  ];
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\')}"`;
}
