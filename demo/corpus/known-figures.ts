/** Figures of the corpus, counted here by other means than those of the tools that are tried out on it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { SAKILA_SCHEMA } from './load-sakila.js';

export interface KnownFigures {
  failedRootLogins: number;
  /** The address with the most of them, and how many. */
  topAddress: { address: string; count: number };
  apacheErrors: number;
  zookeeperErrors: number;
  /** The film category with the highest sum of payments, and the sum as the database writes it. */
  topCategory: { name: string; sales: string };
}

export async function countFigures(corpusDir: string, readerUrl: string): Promise<KnownFigures> {
  const logLines = async (name: string): Promise<string[]> =>
    (await readFile(join(corpusDir, 'logs', name), 'utf8')).split('\n');
  const failed = (await logLines('OpenSSH_2k.log')).filter((line) =>
    line.includes('Failed password for root'),
  );
  return {
    failedRootLogins: failed.length,
    topAddress: mostFrequent(failed.map((line) => / from (\S+) port /.exec(line)?.[1] ?? '')),
    apacheErrors: (await logLines('Apache_2k.log')).filter((line) => line.includes('] [error] ')).length,
    zookeeperErrors: (await logLines('Zookeeper_2k.log')).filter((line) => line.includes(' - ERROR ')).length,
    topCategory: await topCategory(readerUrl),
  };
}

function mostFrequent(values: readonly string[]): { address: string; count: number } {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [top] = [...counts].sort(([, a], [, b]) => b - a);
  return { address: top?.[0] ?? '', count: top?.[1] ?? 0 };
}

/** From the base tables, not from the schema's own view. */
async function topCategory(readerUrl: string): Promise<{ name: string; sales: string }> {
  const connection = await createConnection({ uri: readerUrl, connectTimeout: 5000 });
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      `SELECT category.name AS name, CAST(SUM(payment.amount) AS CHAR) AS sales FROM ${SAKILA_SCHEMA}.payment
        JOIN ${SAKILA_SCHEMA}.rental USING (rental_id) JOIN ${SAKILA_SCHEMA}.inventory USING (inventory_id)
        JOIN ${SAKILA_SCHEMA}.film_category USING (film_id) JOIN ${SAKILA_SCHEMA}.category USING (category_id)
        GROUP BY category.name ORDER BY SUM(payment.amount) DESC LIMIT 1`,
    );
    const [top] = rows as { name: string; sales: string }[];
    return top ?? { name: '', sales: '' };
  } finally {
    connection.destroy();
  }
}
