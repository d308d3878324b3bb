/** Who imports whom: the direction of imports, held by the repository (IV-6: domain contracts are free of dependencies). */
import { expect } from 'chai';
import { noImportCycle } from './cycle-rule.js';
import { heldTo, sources, tests } from './held-to.js';
import {
  adaptersApart,
  importDirection,
  importsResolve,
  nobodyImportsMain,
  portsAreTypes,
  workersApart,
} from './import-rules.js';

describe('Imports', () => {
  it('are read from the sources on disk', function () {
    this.timeout(60_000);
    const paths = sources().map(({ path }) => path);
    expect(paths).to.include('src/shared/ports/model-client.ts').and.include('src/workers/guard/main.ts');
    expect(paths.filter((path) => path.startsWith('src/shared/domain/'))).to.have.length.above(20);
    expect(tests().map(({ path }) => path)).to.include('test/architecture/structure.test.ts');
  });

  describe('IV-6 imports lead one way', () => {
    heldTo(
      importDirection,
      sources,
      [
        [
          { 'src/shared/domain/a.ts': `import { join } from 'node:path';` },
          'imports node:path: the domain is pure',
        ],
        [{ 'src/shared/domain/a.ts': `import Redis from 'ioredis';` }, 'imports ioredis: the domain is pure'],
        [
          { 'src/shared/domain/a.ts': `export * from '../ports/clock.js';` },
          'src/shared/ports/clock.ts: the domain',
        ],
        [
          { 'src/shared/domain/a.ts': `type A = import('../adapters/x/y.js').Y;` },
          'src/shared/adapters/x/y.ts',
        ],
        [
          { 'src/shared/domain/a.ts': `const a = () => import('../runtime/env.js');` },
          'src/shared/runtime/env.ts',
        ],
        [{ 'src/shared/ports/a.ts': `import type { Redis } from 'ioredis';` }, 'a port is a contract'],
        [{ 'src/shared/ports/a.ts': `import type { X } from '../adapters/x/y.js';` }, 'a port is a contract'],
        [
          { 'src/shared/runtime/a.ts': `import { x } from '../adapters/mysql/x.js';` },
          'the runtime knows no',
        ],
        [{ 'src/shared/runtime/a.ts': `import { x } from '../../api/app.js';` }, 'the runtime knows no'],
        [
          { 'src/api/a.ts': `import { x } from '../workers/guard/release.js';` },
          'the API enqueues and relays',
        ],
        [{ 'src/workers/a.ts': `import { x } from '../api/app.js';` }, 'workers take jobs'],
        [{ 'src/workers/a.ts': `import { x } from '../cli/program.js';` }, 'workers take jobs'],
        [
          { 'src/offline-analyst/a.ts': `import { x } from '../shared/adapters/logs/x.js';` },
          'the offline analyst',
        ],
        [
          { 'src/shared/adapters/x/a.ts': `import { x } from '../../../fleet/fleet.js';` },
          'what is shared knows no',
        ],
        [
          { 'src/cli/a.ts': `import { x } from '../../test/support/servers.js';` },
          'the product imports no test',
        ],
        [
          { 'migrations/1-a.ts': `import { x } from '../src/shared/domain/run/budgets.js';` },
          'a migration never',
        ],
      ],
      [
        {
          'src/shared/domain/a.ts': `import { z } from 'zod'; import { b } from './b.js';`,
          'src/shared/ports/a.ts': `import type { B } from '../domain/b.js'; import type { C } from './c.js';`,
          'src/shared/adapters/mysql/a.ts': `import { DataSource } from 'typeorm'; import type { C } from '../../ports/c.js';`,
          'src/workers/guard/main.ts': `import { a } from '../../shared/adapters/mysql/a.js'; import '../open.js';`,
          'src/api/app.ts': `import Koa from 'koa'; import { readFile } from 'node:fs/promises';`,
        },
      ],
    );
  });

  describe('adapters know no other adapter', () => {
    heldTo(
      adaptersApart,
      sources,
      [
        [
          { 'src/shared/adapters/mysql/a.ts': `import { r } from '../redis/r.js';` },
          'imports the adapter redis',
        ],
        [
          { 'src/shared/adapters/mysql/a.ts': `import type { R } from '../redis/r.js';` },
          'imports the adapter redis',
        ],
        [
          { 'src/shared/adapters/redis/a.ts': `import { w } from '../../../workers/w.js';` },
          'an adapter imports domain',
        ],
        [
          { 'src/shared/adapters/redis/a.ts': `import { m } from '../../../../migrations/1-m.js';` },
          'an adapter imports',
        ],
      ],
      [
        {
          'src/shared/adapters/logs/formats/a.ts': `import { l } from '../level.js'; import { e } from '../../../runtime/env.js';`,
          'src/shared/adapters/mysql/a.ts': `import { m } from '../../../../migrations/1-m.js';`,
        },
      ],
    );
  });

  describe('ports take only types from the domain', () => {
    heldTo(
      portsAreTypes,
      sources,
      [
        [
          { 'src/shared/ports/a.ts': `import { Intent } from '../domain/contracts/verdict.js';` },
          'import type',
        ],
        [{ 'src/shared/ports/a.ts': `export * from '../domain/contracts/verdict.js';` }, 'import type'],
      ],
      [
        {
          'src/shared/ports/a.ts': `import { type Intent } from '../domain/v.js'; export type { B } from '../domain/b.js';`,
        },
      ],
    );
  });

  describe('the diagnosis and the guard worker know nothing of each other', () => {
    heldTo(
      workersApart,
      sources,
      [
        [
          { 'src/workers/guard/a.ts': `import { d } from '../diagnosis/d.js';` },
          'move the shared part to src/workers',
        ],
        [
          { 'src/workers/diagnosis/a.ts': `import { g } from '../guard/g.js';` },
          'move the shared part to src/workers',
        ],
      ],
      [
        {
          'src/workers/guard/a.ts': `import { d } from '../model-call.js'; import { e } from './ending.js';`,
        },
      ],
    );
  });

  describe('nobody imports a main.ts', () => {
    heldTo(nobodyImportsMain, sources, [
      [{ 'src/fleet/a.ts': `import { run } from './main.js';` }, 'which is an entry'],
      [{ 'demo/a.ts': `const main = () => import('../src/api/main.js');` }, 'which is an entry'],
      [{ 'src/fleet/a.ts': `import './keeper.js';` }, 'which is an entry'],
    ]);
  });

  describe('every relative import names a source file', () => {
    heldTo(
      importsResolve,
      sources,
      [
        [{ 'src/cli/a.ts': `import { b } from './b';` }, 'which is no source file'],
        [{ 'src/cli/a.ts': `import { b } from '../shared/none.js';` }, 'which is no source file'],
      ],
      [{ 'src/cli/a.ts': `import { b } from './b.js';`, 'src/cli/b.ts': '' }],
    );
  });

  describe('no import cycles', () => {
    heldTo(
      noImportCycle,
      () => [...sources(), ...tests()],
      [
        [
          { 'src/a.ts': `import './b.js';`, 'src/b.ts': `import './c.js';`, 'src/c.ts': `import './a.js';` },
          'src/a.ts → src/b.ts → src/c.ts → src/a.ts',
        ],
        [{ 'src/a.ts': `import './a.js';` }, 'src/a.ts → src/a.ts'],
        [
          {
            'src/a.ts': `import type { B } from './b.js';`,
            'src/b.ts': `export const b = () => import('./a.js');`,
          },
          'closes an import cycle',
        ],
      ],
      [
        {
          'src/a.ts': `import './b.js'; import './c.js';`,
          'src/b.ts': `import './d.js';`,
          'src/c.ts': `import './d.js';`,
          'src/d.ts': '',
        },
      ],
    );
  });
});
