/**
 * The tables as TypeORM knows them: the description that migrations are checked against (an empty schema diff), and the
 * columns of each row as they come from the driver.
 */
import { EntitySchema, EntitySchemaOptions, type EntitySchemaColumnOptions } from 'typeorm';

/** Rows are typed where they are read; here only the columns matter. */
type Row = Record<string, unknown>;
type Table = Pick<EntitySchemaOptions<Row>, 'name' | 'columns' | 'indices'>;

function table(description: Table): EntitySchema<Row> {
  return new EntitySchema<Row>(Object.assign(new EntitySchemaOptions<Row>(), description));
}

const ascii = (length: number): EntitySchemaColumnOptions => ({
  type: 'varchar',
  length,
  charset: 'ascii',
  collation: 'ascii_bin',
});
const hash: EntitySchemaColumnOptions = {
  type: 'char',
  length: 64,
  charset: 'ascii',
  collation: 'ascii_bin',
};
const text = (length: number): EntitySchemaColumnOptions => ({ type: 'varchar', length });
const int: EntitySchemaColumnOptions = { type: 'int' };
const count: EntitySchemaColumnOptions = { type: 'int', default: 0 };
const big: EntitySchemaColumnOptions = { type: 'bigint', default: 0 };
const time: EntitySchemaColumnOptions = { type: 'datetime', precision: 3 };
const long = (type: 'text' | 'mediumtext' | 'longtext'): EntitySchemaColumnOptions => ({ type });
const nullable = (column: EntitySchemaColumnOptions): EntitySchemaColumnOptions => ({
  ...column,
  nullable: true,
});
const autoId: EntitySchemaColumnOptions = { type: 'bigint', primary: true, generated: 'increment' };

const ChatSession = table({
  name: 'chat_session',
  columns: {
    session_id: { ...ascii(64), primary: true },
    principal: text(128),
    visibility: text(16),
    created_at: time,
    last_run_at: time,
  },
  indices: [{ name: 'ix_session_principal', columns: ['principal', 'last_run_at'] }],
});

const DiagnosisRun = table({
  name: 'diagnosis_run',
  columns: {
    run_id: { ...ascii(64), primary: true },
    session_id: ascii(64),
    query: long('text'),
    window_from: time,
    window_to: time,
    on_disconnect: text(16),
    intent: nullable(text(32)),
    status: text(16),
    release_outcome: nullable(text(16)),
    epoch: count,
    attempt: { type: 'int', default: 1 },
    rounds: count,
    frame_seq: count,
    frame_count: nullable(int),
    model_calls: count,
    tool_calls: count,
    tokens: big,
    stop_reason: nullable(text(32)),
    models: nullable(long('text')),
    context: nullable(long('mediumtext')),
    public_result: nullable(long('longtext')),
    published_result: nullable(long('mediumtext')),
    coverage: nullable(long('mediumtext')),
    error_code: nullable(text(32)),
    created_at: time,
    started_at: nullable(time),
    finished_at: nullable(time),
    cancel_requested_at: nullable(time),
  },
  indices: [
    { name: 'ix_run_session', columns: ['session_id', 'run_id'] },
    { name: 'ix_run_unpublished', columns: ['frame_count', 'release_outcome', 'created_at'] },
  ],
});

const AgentStep = table({
  name: 'agent_step',
  columns: {
    id: autoId,
    run_id: ascii(64),
    session_id: ascii(64),
    stage: text(16),
    round: int,
    state: text(16),
    outcome: nullable(text(64)),
    attempts: count,
    model: nullable(text(128)),
    prompt_tokens: nullable(int),
    completion_tokens: nullable(int),
    duration_ms: nullable(int),
    input_hash: nullable(hash),
    input_bytes: nullable(int),
    output: nullable(long('longtext')),
    refusals: nullable(long('mediumtext')),
    started_at: time,
    finished_at: nullable(time),
  },
  indices: [{ name: 'ux_step', columns: ['run_id', 'stage', 'round'], unique: true }],
});

const ToolInvocation = table({
  name: 'tool_invocation',
  columns: {
    id: autoId,
    run_id: ascii(64),
    session_id: ascii(64),
    round: int,
    call_no: int,
    tool_call_id: nullable(ascii(128)),
    tool: text(64),
    arguments: nullable(long('mediumtext')),
    repeats_call: nullable(int),
    claim: count,
    status: text(16),
    evidence_status: nullable(text(16)),
    error_code: nullable(text(32)),
    error_message: nullable(long('text')),
    scope: nullable(long('mediumtext')),
    agent_result: nullable(long('mediumtext')),
    content_hash: nullable(hash),
    result_bytes: nullable(int),
    matched: nullable(int),
    started_at: nullable(time),
    finished_at: nullable(time),
    duration_ms: nullable(int),
  },
  indices: [
    { name: 'ux_invocation_call', columns: ['run_id', 'call_no'], unique: true },
    { name: 'ux_invocation_id', columns: ['run_id', 'tool_call_id'], unique: true },
  ],
});

const ApiToken = table({
  name: 'api_token',
  columns: {
    token_hash: { ...hash, primary: true },
    prefix: ascii(16),
    principal: text(128),
    role: text(16),
    created_at: time,
    expires_at: nullable(time),
    revoked_at: nullable(time),
  },
  indices: [{ name: 'ux_token_prefix', columns: ['prefix'], unique: true }],
});

export const ENTITIES = [ChatSession, DiagnosisRun, AgentStep, ToolInvocation, ApiToken] as const;
