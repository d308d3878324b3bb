import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci';
const ID = 'CHARACTER SET ascii COLLATE ascii_bin';

/**
 * The knowledge base. Chunks of a revision become visible when the document takes that revision. Each statement may run
 * again.
 */
const STATEMENTS = [
  `CREATE TABLE IF NOT EXISTS knowledge_document (
    document_id varchar(64) ${ID} NOT NULL,
    revision bigint unsigned NOT NULL,
    title varchar(512) NOT NULL,
    source varchar(512) NOT NULL,
    content mediumtext NOT NULL,
    content_hash char(64) ${ID} NOT NULL,
    created_at datetime(3) NOT NULL,
    updated_at datetime(3) NOT NULL,
    PRIMARY KEY (document_id),
    KEY ix_knowledge_revision (revision)
  ) ${TABLE}`,
  `CREATE TABLE IF NOT EXISTS knowledge_chunk (
    document_id varchar(64) ${ID} NOT NULL,
    revision bigint unsigned NOT NULL,
    ordinal int NOT NULL,
    headings text NOT NULL,
    content text NOT NULL,
    PRIMARY KEY (document_id, revision, ordinal)
  ) ${TABLE}`,
];

export class Knowledge1764500000002 implements MigrationInterface {
  readonly name = 'Knowledge1764500000002';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['knowledge_chunk', 'knowledge_document'])
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
