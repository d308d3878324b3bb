/**
 * Reads a request's JSON body: `application/json`, UTF-8, at most 256 KiB, strict JSON (a key that stands twice and the
 * key `__proto__` are refused). Nothing is buffered beyond the limit.
 */
import type { IncomingMessage } from 'node:http';
import { parseStrictJson } from '../../shared/domain/guards/model-json.js';
import { ApiProblem, invalidRequest } from './api-problem.js';

export const MAX_BODY_BYTES = 256 * 1024;
/** A body over the limit is still read off the wire up to here, so that its sender gets to see the answer. */
const MAX_DISCARDED_BYTES = 4 * 1024 * 1024;

/** The client went away before its request was complete: there is nobody to answer. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/** @throws {ApiProblem} 400, 413 or 415. @throws {RequestAborted} */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  requireJson(request);
  const parsed = parseStrictJson(decodeUtf8(await readBytes(request)));
  if (parsed.ok) return parsed.value;
  throw invalidRequest([{ path: '', message: `The body is not valid JSON: ${parsed.detail}` }]);
}

function requireJson(request: IncomingMessage): void {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  if (type.trim() !== 'application/json') throw unsupported('Send the body as application/json.');
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw unsupported('Send the body in UTF-8.');
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw unsupported('Send the body without Content-Encoding.');
}

const unsupported = (detail: string): ApiProblem => new ApiProblem('UNSUPPORTED_MEDIA_TYPE', detail);

function tooLarge(): ApiProblem {
  return new ApiProblem('TOO_LARGE', `A body may have at most ${MAX_BODY_BYTES} bytes.`, {
    headers: { Connection: 'close' },
  });
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest([{ path: '', message: 'The body is not valid UTF-8' }]);
  }
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_DISCARDED_BYTES) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      outcome();
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks = [];
      if (bytes > MAX_DISCARDED_BYTES) settle(() => reject(tooLarge()));
    };
    const onEnd = (): void => {
      settle(() => {
        if (bytes > MAX_BODY_BYTES) reject(tooLarge());
        else resolve(Buffer.concat(chunks));
      });
    };
    const onGone = (): void => {
      settle(() => reject(new RequestAborted('the client went away')));
    };
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    if (request.destroyed) onGone();
  });
}
