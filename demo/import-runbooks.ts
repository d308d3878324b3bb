/** Puts a folder of runbooks into a fleet's knowledge base; what has not changed since is left as it is. */
import { importDirectory } from '../src/shared/adapters/knowledge/import-directory.js';
import { openDatabase } from '../src/shared/adapters/mysql/database.js';
import { createKnowledgeStore } from '../src/shared/adapters/mysql/knowledge-store.js';
import { systemClock } from '../src/shared/runtime/identity.js';

export async function importRunbooks(databaseUrl: string, dir: string): Promise<void> {
  const database = await openDatabase({ url: databaseUrl, poolSize: 2 });
  try {
    await importDirectory(createKnowledgeStore(database), dir, systemClock);
  } finally {
    await database.close();
  }
}
