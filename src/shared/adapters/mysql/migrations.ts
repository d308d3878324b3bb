/** Every migration, oldest first, and the way to run them (one per database at a time). */
import type { MigrationInterface } from 'typeorm';
import { Runs1764500000001 } from '../../../../migrations/1764500000001-runs.js';
import { Knowledge1764500000002 } from '../../../../migrations/1764500000002-knowledge.js';

export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [
  Runs1764500000001,
  Knowledge1764500000002,
];
