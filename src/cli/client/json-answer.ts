/** A JSON answer, read within a bound and checked; a problem (RFC 9457) becomes a fault. */
import type { z } from 'zod';
import { Problem } from '../../shared/domain/contracts/problem.js';
import { ClientFault } from './client-fault.js';

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** @throws {ClientFault | z.ZodError | SyntaxError} */
export async function readJson<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
  if (!response.ok) throw await refusal(response);
  return schema.parse(JSON.parse(await readText(response)));
}

/** The fault that an answer other than success stands for. */
export async function refusal(response: Response): Promise<ClientFault> {
  const problem = Problem.safeParse(asJson(await readText(response)));
  if (!problem.success)
    return new ClientFault('UNEXPECTED_ANSWER', `HTTP ${response.status}, and no problem document with it`);
  const { code, detail, errors } = problem.data;
  const fields = (errors ?? []).map(({ path, message }) => `; ${path}: ${message}`).join('');
  return new ClientFault('REFUSED', `${code}: ${detail}${fields}`, problem.data);
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  const chunks: AsyncIterable<Uint8Array> = response.body;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES)
      throw new ClientFault('UNEXPECTED_ANSWER', 'the answer is too large to read');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
