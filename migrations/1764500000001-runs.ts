import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci';
const ID = 'CHARACTER SET ascii COLLATE ascii_bin';

/** Sessions, Runs, and the two tables of a Trace (SR-1, SR-2). Each statement may run again. */
const STATEMENTS = [
  `CREATE TABLE IF NOT EXISTS chat_session (
    session_id varchar(64) ${ID} NOT NULL,
    principal varchar(128) NOT NULL,
    visibility varchar(16) NOT NULL,
    created_at datetime(3) NOT NULL,
    last_run_at datetime(3) NOT NULL,
    PRIMARY KEY (session_id),
    KEY ix_session_principal (principal, last_run_at)
  ) ${TABLE}`,
  `CREATE TABLE IF NOT EXISTS diagnosis_run (
    run_id varchar(64) ${ID} NOT NULL,
    session_id varchar(64) ${ID} NOT NULL,
    query text NOT NULL,
    window_from datetime(3) NOT NULL,
    window_to datetime(3) NOT NULL,
    on_disconnect varchar(16) NOT NULL,
    intent varchar(32) NULL,
    status varchar(16) NOT NULL,
    release_outcome varchar(16) NULL,
    epoch int NOT NULL DEFAULT 0,
    attempt int NOT NULL DEFAULT 1,
    rounds int NOT NULL DEFAULT 0,
    frame_seq int NOT NULL DEFAULT 0,
    frame_count int NULL,
    model_calls int NOT NULL DEFAULT 0,
    tool_calls int NOT NULL DEFAULT 0,
    tokens bigint NOT NULL DEFAULT 0,
    stop_reason varchar(32) NULL,
    models text NULL,
    context mediumtext NULL,
    public_result longtext NULL,
    published_result mediumtext NULL,
    coverage mediumtext NULL,
    error_code varchar(32) NULL,
    created_at datetime(3) NOT NULL,
    started_at datetime(3) NULL,
    finished_at datetime(3) NULL,
    cancel_requested_at datetime(3) NULL,
    PRIMARY KEY (run_id),
    KEY ix_run_session (session_id, run_id),
    KEY ix_run_unpublished (frame_count, release_outcome, created_at)
  ) ${TABLE}`,
  `CREATE TABLE IF NOT EXISTS agent_step (
    id bigint NOT NULL AUTO_INCREMENT,
    run_id varchar(64) ${ID} NOT NULL,
    session_id varchar(64) ${ID} NOT NULL,
    stage varchar(16) NOT NULL,
    round int NOT NULL,
    state varchar(16) NOT NULL,
    outcome varchar(64) NULL,
    attempts int NOT NULL DEFAULT 0,
    model varchar(128) NULL,
    prompt_tokens int NULL,
    completion_tokens int NULL,
    duration_ms int NULL,
    input_hash char(64) ${ID} NULL,
    input_bytes int NULL,
    output longtext NULL,
    refusals mediumtext NULL,
    started_at datetime(3) NOT NULL,
    finished_at datetime(3) NULL,
    PRIMARY KEY (id),
    UNIQUE KEY ux_step (run_id, stage, round)
  ) ${TABLE}`,
  `CREATE TABLE IF NOT EXISTS tool_invocation (
    id bigint NOT NULL AUTO_INCREMENT,
    run_id varchar(64) ${ID} NOT NULL,
    session_id varchar(64) ${ID} NOT NULL,
    round int NOT NULL,
    call_no int NOT NULL,
    tool_call_id varchar(128) ${ID} NULL,
    tool varchar(64) NOT NULL,
    arguments mediumtext NULL,
    repeats_call int NULL,
    claim int NOT NULL DEFAULT 0,
    status varchar(16) NOT NULL,
    evidence_status varchar(16) NULL,
    error_code varchar(32) NULL,
    error_message text NULL,
    scope mediumtext NULL,
    agent_result mediumtext NULL,
    content_hash char(64) ${ID} NULL,
    result_bytes int NULL,
    matched int NULL,
    started_at datetime(3) NULL,
    finished_at datetime(3) NULL,
    duration_ms int NULL,
    PRIMARY KEY (id),
    UNIQUE KEY ux_invocation_call (run_id, call_no),
    UNIQUE KEY ux_invocation_id (run_id, tool_call_id)
  ) ${TABLE}`,
  `CREATE TABLE IF NOT EXISTS api_token (
    token_hash char(64) ${ID} NOT NULL,
    prefix varchar(16) ${ID} NOT NULL,
    principal varchar(128) NOT NULL,
    role varchar(16) NOT NULL,
    created_at datetime(3) NOT NULL,
    expires_at datetime(3) NULL,
    revoked_at datetime(3) NULL,
    PRIMARY KEY (token_hash),
    UNIQUE KEY ux_token_prefix (prefix)
  ) ${TABLE}`,
];

export class Runs1764500000001 implements MigrationInterface {
  readonly name = 'Runs1764500000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['api_token', 'tool_invocation', 'agent_step', 'diagnosis_run', 'chat_session'])
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
