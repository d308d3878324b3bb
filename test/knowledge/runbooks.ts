/** A small library of runbooks, written for these tests. */
import { chunkMarkdown } from '../../src/shared/adapters/knowledge/chunk-markdown.js';
import { newDocument, readMarkdown } from '../../src/shared/adapters/knowledge/new-document.js';
import type { NewDocument, StoredDocument } from '../../src/shared/ports/knowledge-store.js';

export const RUNBOOKS: Readonly<Record<string, string>> = {
  'db/DatabaseLockWaits.md': `---
title: "Database Lock Waits"
weight: 3
---

# DatabaseLockWaits

## Meaning

Statements wait for row locks that another transaction holds. Checkout requests pile up behind it.

## Diagnosis

- Look for the longest open transaction.
- Compare its start with the start of the slow requests.

## Mitigation

Ask the owner to commit it or roll it back. Ending it by force loses its work: get a second pair of eyes first.
`,
  'db/ReplicaLagging.md': `# ReplicaLagging

The read replica applies changes later than the primary writes them.

## Diagnosis

Compare the replica's position with that of the primary; look for one large transaction.

## Mitigation

Send reads to the primary until the replica has caught up.
`,
  'web/CertificateExpiringSoon.md': `# CertificateExpiringSoon

The TLS certificate of the public load balancer ends within two weeks.

## Mitigation

Order the renewal, upload the chain, reload the balancer, and check the date from outside.
`,
  'host/DiskAlmostFull.md': `# DiskAlmostFull

A file system of a host is almost full.

## Mitigation

Remove old log archives and core dumps; enlarge the volume if it fills again within a day.
`,
  'queue/ConsumerBacklog.md': `# ConsumerBacklog

Messages wait longer in the queue than consumers take to read them.

## Diagnosis

Are there fewer consumers than usual? Does one message fail again and again?
`,
  'shop/PaymentProviderErrors.md': `# PaymentProviderErrors

The payment provider answers with errors or not at all; orders stay unpaid.

## Mitigation

Switch the shop to the second provider with the flag \`payments.provider\`, and tell the finance team.
`,
  'zh/缓存雪崩.md': `# 缓存雪崩

大量缓存键同时过期，请求直接打到数据库。

## 处理

给过期时间加随机抖动，并预热热点键。
`,
  'notes/escalation.txt': `Who to call at night

The on-call engineer of the platform team answers within fifteen minutes; after that call the duty manager.
`,
};

export function runbook(source: string, text = RUNBOOKS[source] ?? ''): NewDocument {
  const { title, content } = readMarkdown(text);
  const documentId = source.replace(/\.(md|txt)$/, '').replace(/[^A-Za-z0-9/]/g, '_');
  const updatedAt = new Date('2026-01-02T03:04:05.678Z');
  return newDocument({ documentId, title: title ?? documentId, source, content, now: updatedAt, updatedAt });
}

export function stored(source: string, revision = '1'): StoredDocument {
  const { documentId, title, content, updatedAt } = runbook(source);
  return { documentId, revision, title, source, updatedAt, chunks: chunkMarkdown(content) };
}
