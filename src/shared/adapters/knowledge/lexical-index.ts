/**
 * Lexical retrieval over chunks: BM25+ by MiniSearch, with a relevance floor of its own. A document counts as an answer
 * only when it holds enough of what the query says, each word weighed by its rarity: words that the library does not
 * know weigh most, so a question about something else finds nothing. In memory, synchronous.
 */
import MiniSearch from 'minisearch';
import type { StoredDocument } from '../../ports/knowledge-store.js';
import { indexTerms, readTerms } from './terms.js';

/** Share of the query's weight that a document must hold when its title names something of what is asked, … */
const TOPIC_FLOOR = 0.34;
/** … and that one of its chunks must hold when the title does not: words strewn over a text are chance. */
const CHUNK_FLOOR = 0.6;
/** A word of the title counts as its topic from this part of an unknown word's weight on: rarer than in a fourth. */
const TOPIC_RARITY = 0.3;
/** Of a long query no more than this many words, the rarest, can be asked for. */
const MAX_WEIGHED_TERMS = 7;
const MAX_QUERY_TERMS = 64;
const BOOST = { title: 3, headings: 1.5 };
const EAST_ASIAN_TERM = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Most bigrams that no document holds straddle two words, and mean nothing. */
const UNKNOWN_BIGRAM = 0.25;
/** From this length on, one wrong letter in a word that the library does not know is forgiven. */
const MIN_FUZZY_CHARS = 7;

interface IndexedChunk {
  id: string;
  title: string;
  headings: string;
  text: string;
}

interface Entry {
  document: StoredDocument;
  chunks: IndexedChunk[];
  terms: ReadonlySet<string>;
  titleTerms: ReadonlySet<string>;
  chunkTerms: readonly ReadonlySet<string>[];
}

interface Weighed {
  term: string;
  weight: number;
}

export interface LexicalHit {
  document: StoredDocument;
  score: number;
  /** Score of each chunk, in order; 0 where nothing matched. */
  chunkScores: number[];
}

export class LexicalIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #documentsWith = new Map<string, number>();
  readonly #search = new MiniSearch<IndexedChunk>({
    fields: ['title', 'headings', 'text'],
    tokenize: indexTerms,
    processTerm: (term) => term,
    searchOptions: { boost: BOOST, combineWith: 'OR' },
  });

  get size(): number {
    return this.#entries.size;
  }

  revision(documentId: string): string | undefined {
    return this.#entries.get(documentId)?.document.revision;
  }

  documentIds(): string[] {
    return [...this.#entries.keys()];
  }

  put(document: StoredDocument): void {
    this.remove(document.documentId);
    const chunks = document.chunks.map((chunk, ordinal) => ({
      id: `${String(ordinal)}:${document.documentId}`,
      title: document.title,
      headings: chunk.headings.join('\n'),
      text: chunk.text,
    }));
    const titleTerms = new Set(indexTerms(document.title));
    const chunkTerms = document.chunks.map((chunk) => new Set(indexTerms(chunk.text)));
    const terms = new Set([titleTerms, ...chunkTerms].flatMap((some) => [...some]));
    this.#search.addAll(chunks);
    for (const term of terms) this.#documentsWith.set(term, (this.#documentsWith.get(term) ?? 0) + 1);
    this.#entries.set(document.documentId, { document, chunks, terms, titleTerms, chunkTerms });
  }

  remove(documentId: string): void {
    const entry = this.#entries.get(documentId);
    if (entry === undefined) return;
    this.#entries.delete(documentId);
    this.#search.removeAll(entry.chunks);
    for (const term of entry.terms) {
      const left = (this.#documentsWith.get(term) ?? 1) - 1;
      if (left === 0) this.#documentsWith.delete(term);
      else this.#documentsWith.set(term, left);
    }
  }

  /** Documents above the floor, best first; equal ones by ID. */
  search(query: string): LexicalHit[] {
    const asked = this.#askedTerms(query);
    if (asked.length === 0 || this.#entries.size === 0) return [];
    const weights = asked.map((term) => ({ term, weight: this.#weight(term) }));
    const heaviest = [...weights].sort((a, b) => b.weight - a.weight).slice(0, MAX_WEIGHED_TERMS);
    const whole = heaviest.reduce((sum, { weight }) => sum + weight, 0);
    const hits: LexicalHit[] = [];
    for (const [documentId, chunkScores] of this.#scores(asked)) {
      const entry = this.#entries.get(documentId);
      if (entry === undefined) continue;
      const share = this.#share(entry, weights, whole);
      if (share === undefined) continue;
      const [best = 0, second = 0] = [...chunkScores].sort((a, b) => b - a);
      hits.push({ document: entry.document, score: (best + second / 4) * share, chunkScores });
    }
    return hits.sort((a, b) => b.score - a.score || (a.document.documentId < b.document.documentId ? -1 : 1));
  }

  /** How much of the query the document holds, 0 to 1; undefined below the floor. */
  #share(entry: Entry, weights: readonly Weighed[], whole: number): number | undefined {
    const held = (terms: ReadonlySet<string>) =>
      Math.min(1, weights.reduce((sum, { term, weight }) => sum + (terms.has(term) ? weight : 0), 0) / whole);
    const share = held(entry.terms);
    const rare = TOPIC_RARITY * this.#weight('');
    const onTopic = weights.some(({ term, weight }) => weight >= rare && entry.titleTerms.has(term));
    if (onTopic) return share >= TOPIC_FLOOR ? share : undefined;
    return entry.chunkTerms.some((terms) => held(terms) >= CHUNK_FLOOR) ? share : undefined;
  }

  /** Of a word that no document holds the greatest, of one that all hold near nothing. */
  #weight(term: string): number {
    const count = this.#documentsWith.get(term) ?? 0;
    const rarity = Math.log(1 + (this.#entries.size - count + 0.5) / (count + 0.5));
    return count === 0 && EAST_ASIAN_TERM.test(term) ? rarity * UNKNOWN_BIGRAM : rarity;
  }

  /** A name that the library does not know as a whole is asked for by its parts alone; a misspelt word as it is known. */
  #askedTerms(query: string): string[] {
    const { words, compounds } = readTerms(query);
    const names = compounds.flatMap(({ name, parts }) => {
      const known = this.#known(name);
      return this.#documentsWith.has(known) ? [known, ...parts] : parts;
    });
    return [...new Set([...names, ...words].map((term) => this.#known(term)))].slice(0, MAX_QUERY_TERMS);
  }

  /** The term itself, or, if the library does not know it, the one closest by one letter. */
  #known(term: string): string {
    if (this.#documentsWith.has(term) || term.length < MIN_FUZZY_CHARS) return term;
    const [close] = this.#search.search(term, {
      tokenize: (text) => [text],
      fuzzy: 1,
      fields: ['title', 'text'],
    });
    return close?.terms[0] ?? term;
  }

  #scores(asked: readonly string[]): Map<string, number[]> {
    const scores = new Map<string, number[]>();
    const results = this.#search.search(asked.join(' '), { tokenize: (text) => text.split(' ') });
    for (const { id, score } of results as { id: string; score: number }[]) {
      const colon = id.indexOf(':');
      const documentId = id.slice(colon + 1);
      const entry = this.#entries.get(documentId);
      if (entry === undefined) continue;
      const chunkScores = scores.get(documentId) ?? entry.chunks.map(() => 0);
      chunkScores[Number(id.slice(0, colon))] = score;
      scores.set(documentId, chunkScores);
    }
    return scores;
  }
}
