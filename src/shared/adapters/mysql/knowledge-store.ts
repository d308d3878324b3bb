/**
 * {@link KnowledgeStore} on MySQL. Each change takes a number from `UUID_SHORT()`, which grows: chunks are written under it
 * first, then the document takes it (the instant at which the change is seen), then older chunks go. So no statement
 * needs another's transaction, and a crash in between leaves only chunks that nothing shows and the next change removes.
 */
import type {
  KnowledgeDocument,
  KnowledgeDocumentHead,
  KnowledgeStore,
  NewDocument,
  StoredDocument,
} from '../../ports/knowledge-store.js';

/** Statements on any connection; rejects with the port's errors. */
export interface KnowledgeSql {
  query<T>(sql: string, parameters?: readonly (string | number | Date)[]): Promise<T>;
}

const CHUNKS_PER_INSERT = 100;
const MAX_LOADED = 200;
const HEAD = 'document_id, title, source, content_hash, created_at, updated_at';

interface HeadRow {
  document_id: string;
  title: string;
  source: string;
  content_hash: string;
  created_at: Date;
  updated_at: Date;
}

interface ChunkRow {
  document_id: string;
  revision: string;
  title: string;
  source: string;
  updated_at: Date;
  headings: string | null;
  content: string | null;
}

function headOf(row: HeadRow): KnowledgeDocumentHead {
  return {
    documentId: row.document_id,
    title: row.title,
    source: row.source,
    contentHash: row.content_hash,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function headingsOf(json: string): string[] {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.filter((heading) => typeof heading === 'string') : [];
}

function placeholders(count: number, group = '?'): string {
  return Array.from({ length: count }, () => group).join(', ');
}

async function nextRevision(sql: KnowledgeSql): Promise<string> {
  const [row] = await sql.query<{ revision: string }[]>('SELECT CAST(UUID_SHORT() AS CHAR) AS revision');
  if (row === undefined) throw new TypeError('UUID_SHORT() gave nothing');
  return row.revision;
}

/** Chunks that no reader needs: older than the document as it stands. Those of a change under way are newer. */
async function removeOldChunks(sql: KnowledgeSql, documentId: string): Promise<void> {
  await sql.query(
    `DELETE FROM knowledge_chunk WHERE document_id = ?
     AND revision < (SELECT revision FROM knowledge_document WHERE document_id = ?)`,
    [documentId, documentId],
  );
}

async function put(sql: KnowledgeSql, document: NewDocument): Promise<void> {
  const { documentId, chunks } = document;
  const revision = await nextRevision(sql);
  for (let at = 0; at < chunks.length; at += CHUNKS_PER_INSERT) {
    const some = chunks.slice(at, at + CHUNKS_PER_INSERT);
    await sql.query(
      `INSERT INTO knowledge_chunk (document_id, revision, ordinal, headings, content)
       VALUES ${placeholders(some.length, '(?, ?, ?, ?, ?)')}`,
      some.flatMap((chunk, i) => [documentId, revision, at + i, JSON.stringify(chunk.headings), chunk.text]),
    );
  }
  const newer = (column: string) =>
    `${column} = IF(VALUES(revision) > revision, VALUES(${column}), ${column})`;
  // Assignments run from left to right: the revision, which the others compare, comes last.
  const columns = ['title', 'source', 'content', 'content_hash', 'updated_at', 'revision'];
  await sql.query(
    `INSERT INTO knowledge_document (document_id, revision, title, source, content, content_hash, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE ${columns.map(newer).join(', ')}`,
    [
      documentId,
      revision,
      document.title,
      document.source,
      document.content,
      document.contentHash,
      document.createdAt,
      document.updatedAt,
    ],
  );
  await removeOldChunks(sql, documentId);
}

async function remove(sql: KnowledgeSql, documentId: string): Promise<boolean> {
  const before = await nextRevision(sql);
  const { affectedRows } = await sql.query<{ affectedRows: number }>(
    'DELETE FROM knowledge_document WHERE document_id = ?',
    [documentId],
  );
  // A document that is being put anew has chunks of a later revision; they stay.
  await sql.query('DELETE FROM knowledge_chunk WHERE document_id = ? AND revision < ?', [documentId, before]);
  return affectedRows > 0;
}

async function load(sql: KnowledgeSql, documentIds: readonly string[]): Promise<StoredDocument[]> {
  if (documentIds.length === 0) return [];
  if (documentIds.length > MAX_LOADED)
    throw new RangeError(`at most ${String(MAX_LOADED)} documents at once`);
  const rows = await sql.query<ChunkRow[]>(
    `SELECT d.document_id, CAST(d.revision AS CHAR) AS revision, d.title, d.source, d.updated_at, c.headings, c.content
     FROM knowledge_document d
     LEFT JOIN knowledge_chunk c ON c.document_id = d.document_id AND c.revision = d.revision
     WHERE d.document_id IN (${placeholders(documentIds.length)})
     ORDER BY d.document_id, c.ordinal`,
    [...documentIds],
  );
  const documents = new Map<string, StoredDocument & { chunks: { headings: string[]; text: string }[] }>();
  for (const row of rows) {
    const document = documents.get(row.document_id) ?? {
      documentId: row.document_id,
      revision: row.revision,
      title: row.title,
      source: row.source,
      updatedAt: row.updated_at,
      chunks: [],
    };
    if (row.headings !== null && row.content !== null)
      document.chunks.push({ headings: headingsOf(row.headings), text: row.content });
    documents.set(row.document_id, document);
  }
  return [...documents.values()];
}

export function createKnowledgeStore(sql: KnowledgeSql): KnowledgeStore {
  return {
    // Revisions are unique and grow: no change leaves count, greatest and sum all as they were. Read from one index.
    version: async () => {
      const [row] = await sql.query<{ version: string }[]>(
        `SELECT CONCAT_WS('-', COUNT(*), COALESCE(MAX(revision), 0), COALESCE(SUM(revision), 0)) AS version
         FROM knowledge_document`,
      );
      return row?.version ?? '';
    },
    revisions: async (limit) => {
      const rows = await sql.query<{ document_id: string; revision: string }[]>(
        `SELECT document_id, CAST(revision AS CHAR) AS revision FROM knowledge_document
         ORDER BY document_id LIMIT ${String(Math.trunc(limit))}`,
      );
      return rows.map((row) => ({ documentId: row.document_id, revision: row.revision }));
    },
    load: (documentIds) => load(sql, documentIds),
    put: (document) => put(sql, document),
    delete: (documentId) => remove(sql, documentId),
    get: async (documentId): Promise<KnowledgeDocument | null> => {
      const [row] = await sql.query<(HeadRow & { content: string })[]>(
        `SELECT ${HEAD}, content FROM knowledge_document WHERE document_id = ?`,
        [documentId],
      );
      return row === undefined ? null : { ...headOf(row), content: row.content };
    },
    list: async ({ limit, after }) => {
      const rows = await sql.query<HeadRow[]>(
        `SELECT ${HEAD} FROM knowledge_document WHERE document_id > ?
         ORDER BY document_id LIMIT ${String(Math.trunc(limit))}`,
        [after ?? ''],
      );
      return rows.map(headOf);
    },
  };
}
