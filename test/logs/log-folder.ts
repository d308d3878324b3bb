/** A log directory of its own for a test, and the real tool over it. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { LogSearchBounds } from '../../src/shared/adapters/logs/bounds.js';
import { createLogSearchTool } from '../../src/shared/adapters/logs/log-search-tool.js';
import {
  LogSearchProjection,
  LogSearchScope,
  type LogSearchArgs,
} from '../../src/shared/domain/contracts/tools/log-search.js';
import type { ToolResult } from '../../src/shared/ports/tool.js';

/** The year 2026, in which most of these logs were written. */
export const WINDOW = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };
const MTIME = new Date('2026-12-31T00:00:00Z');

export interface SearchSettings {
  timeZone?: string;
  bounds?: Partial<LogSearchBounds>;
  signal?: AbortSignal;
  maxResultBytes?: number;
}

export class LogFolder {
  readonly dir = mkdtempSync(join(tmpdir(), 'sworn-logs-'));

  write(name: string, content: string | Buffer, mtime: Date = MTIME): string {
    const path = join(this.dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, mtime, mtime);
    return path;
  }

  tool(settings: SearchSettings = {}) {
    return createLogSearchTool({
      dir: this.dir,
      timeZone: settings.timeZone ?? 'UTC',
      redact: (text) => text.replace(/sk-[a-z0-9]{8,}/g, '[redacted:key]'),
      clock: { now: () => new Date() },
      ...(settings.bounds ? { bounds: settings.bounds } : {}),
    });
  }

  run(args: Partial<LogSearchArgs> = {}, settings: SearchSettings = {}): Promise<ToolResult> {
    return this.tool(settings).run(
      { ...WINDOW, ...args },
      {
        toolCallId: 'call_1',
        signal: settings.signal ?? new AbortController().signal,
        maxResultBytes: settings.maxResultBytes ?? 16_384,
      },
    );
  }

  /** A search that must succeed; its projection has passed the contract's schema. */
  async found(
    args: Partial<LogSearchArgs> = {},
    settings: SearchSettings = {},
  ): Promise<LogSearchProjection> {
    const result = await this.run(args, settings);
    if (!result.ok) expect.fail(`${result.code}: ${result.message}`);
    expect(Buffer.byteLength(JSON.stringify(result.projection), 'utf8')).to.be.at.most(
      settings.maxResultBytes ?? 16_384,
    );
    return LogSearchProjection.parse(result.projection);
  }

  /** A search that must be refused or fail. */
  async refused(args: Partial<LogSearchArgs> = {}, settings: SearchSettings = {}) {
    const result = await this.run(args, settings);
    if (result.ok) expect.fail(`answered ${result.projection.evidence_status}`);
    if (result.scope) LogSearchScope.parse(result.scope);
    return result;
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
