/** Two schemas and a reading account on the test run's own server, and the real tool on them. */
import { expect } from 'chai';
import { createConnection, type Connection } from 'mysql2/promise';
import { createRedactor } from '../../src/shared/adapters/redaction/redactor.js';
import {
  createMysqlQueryTool,
  type MysqlQueryOptions,
} from '../../src/shared/adapters/target-sql/mysql-query-tool.js';
import {
  MysqlQueryProjection,
  MysqlQueryScope,
  type MysqlQueryArgs,
} from '../../src/shared/domain/contracts/tools/mysql-query.js';
import type { Tool, ToolResult } from '../../src/shared/ports/tool.js';
import { sharedServers } from '../support/shared-servers.js';

export const NOW = '2026-03-04T05:06:07.890Z';
let made = 0;

export interface QuerySettings {
  signal?: AbortSignal;
  maxResultBytes?: number;
  tool?: Tool<'mysql_query'>;
}

export class TargetDatabase {
  readonly #tools: Tool<'mysql_query'>[] = [];

  private constructor(
    readonly admin: Connection,
    readonly schema: string,
    /** A schema that the account may not read. */
    readonly hidden: string,
    readonly user: string,
    readonly url: string,
  ) {}

  static async open(): Promise<TargetDatabase> {
    const { adminDatabaseUrl } = await sharedServers();
    const admin = await createConnection({ uri: adminDatabaseUrl, multipleStatements: true });
    made += 1;
    const schema = `target_${String(made)}`;
    const hidden = `hidden_${String(made)}`;
    const user = `reader_${String(made)}`;
    await admin.query(
      `CREATE DATABASE ${schema} CHARACTER SET utf8mb4; CREATE DATABASE ${hidden};
       CREATE USER '${user}'@'127.0.0.1' IDENTIFIED BY 'only reads'; GRANT SELECT, SHOW VIEW ON ${schema}.* TO '${user}'@'127.0.0.1';
       CREATE TABLE ${hidden}.salaries (id int PRIMARY KEY, amount int); INSERT INTO ${hidden}.salaries VALUES (1, 5000);
       CREATE TABLE ${schema}.numbers (n int PRIMARY KEY) SELECT seq AS n FROM seq_1_to_1000;
       CREATE SQL SECURITY INVOKER VIEW ${schema}.leads_elsewhere AS SELECT * FROM ${hidden}.salaries`,
    );
    const url = new URL(adminDatabaseUrl);
    url.username = user;
    url.password = 'only reads';
    url.pathname = `/${schema}`;
    return new TargetDatabase(admin, schema, hidden, user, url.toString());
  }

  tool(options: Partial<MysqlQueryOptions> = {}): Tool<'mysql_query'> {
    const tool = createMysqlQueryTool({
      url: this.url,
      targetSchemas: [],
      redact: createRedactor(),
      clock: { now: () => new Date(NOW) },
      poolSize: 2,
      ...options,
    });
    this.#tools.push(tool);
    return tool;
  }

  run(args: MysqlQueryArgs, settings: QuerySettings = {}): Promise<ToolResult> {
    const tool = settings.tool ?? this.#tools[0] ?? this.tool();
    return tool.run(args, {
      toolCallId: 'call_1',
      signal: settings.signal ?? new AbortController().signal,
      maxResultBytes: settings.maxResultBytes ?? 16_384,
    });
  }

  /** A query that must succeed; its projection has passed the contract's schema and its byte limit. */
  async rows(sql: string, args: Partial<MysqlQueryArgs> = {}, settings: QuerySettings = {}) {
    const result = await this.run({ sql, ...args }, settings);
    if (!result.ok) expect.fail(`${result.code}: ${result.message}`);
    const bytes = Buffer.byteLength(JSON.stringify(result.projection), 'utf8');
    expect(bytes).to.be.at.most(settings.maxResultBytes ?? 16_384);
    return MysqlQueryProjection.parse(result.projection);
  }

  async refused(sql: string, args: Partial<MysqlQueryArgs> = {}, settings: QuerySettings = {}) {
    const result = await this.run({ sql, ...args }, settings);
    if (result.ok) expect.fail(`answered ${JSON.stringify(result.projection)}`);
    if (result.scope) MysqlQueryScope.parse(result.scope);
    return result;
  }

  /** Statements that the account runs at this moment. */
  async running(): Promise<string[]> {
    const [rows] = await this.admin.query(
      `SELECT INFO AS sql_text FROM information_schema.PROCESSLIST WHERE USER = ? AND INFO IS NOT NULL`,
      [this.user],
    );
    return (rows as { sql_text: string }[]).map((row) => row.sql_text);
  }

  /** Ends the account's connections that the server still has. */
  async endStatements(): Promise<void> {
    const [rows] = await this.admin.query(
      'SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER = ?',
      [this.user],
    );
    for (const { id } of rows as { id: number }[]) await this.admin.query(`KILL CONNECTION ${String(id)}`);
  }

  async closeTools(): Promise<void> {
    for (const tool of this.#tools.splice(0)) await tool.close();
  }

  async close(): Promise<void> {
    await this.closeTools();
    await this.admin.query(
      `DROP DATABASE ${this.schema}; DROP DATABASE ${this.hidden}; DROP USER '${this.user}'@'127.0.0.1'`,
    );
    await this.admin.end();
  }
}

/** Looks until it is so; the test's own timeout bounds it. */
export async function until(so: () => Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 10));
}
