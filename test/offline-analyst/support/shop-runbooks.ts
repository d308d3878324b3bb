import { RagLookupProjection } from '../../../src/shared/domain/contracts/tools/rag-lookup.js';

interface Runbook {
  id: string;
  title: string;
  words: string[];
  text: string;
}

const RUNBOOKS: Runbook[] = [
  {
    id: 'slow-statements',
    title: 'Slow statements after a migration',
    words: ['slow', 'statement', 'migration', 'index'],
    text: [
      '# Slow statements after a migration',
      '',
      '## Meaning',
      '',
      'Statements on orders take long because an index is gone. Check the slow query log first.',
      '',
      '## Diagnosis',
      '',
      '- Compare the slow query log before and after the migration.',
      '',
      '## Mitigation',
      '',
      '1. Create the index on orders again, online.',
      '2. Ask the owner of the sales report to end its transaction.',
      '',
    ].join('\n'),
  },
  {
    id: 'mail-queue',
    title: 'Mail queue grows',
    words: ['mail', 'queue'],
    text: '# Mail queue grows\n\n## Mitigation\n\n- Add a relay.\n',
  },
];

/** Documents that share a word with the query. */
export function lookUp(toolCallId: string, query: string, topK: number): RagLookupProjection {
  const asked = query.toLowerCase();
  const documents = RUNBOOKS.filter(({ words }) => words.some((word) => asked.includes(word)))
    .slice(0, topK)
    .map(({ id, title, text }) => ({
      document_id: id,
      title,
      source: `${id}.md`,
      excerpt: text,
      updated_at: '2024-01-01T00:00:00.000Z',
    }));
  return RagLookupProjection.parse({
    tool: 'rag_lookup',
    tool_call_id: toolCallId,
    evidence_status: documents.length > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    scope: { query, top_k: topK, assumptions: [] },
    documents,
    truncated: false,
  });
}
