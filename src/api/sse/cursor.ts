/** Where a subscription resumes: after the frame that the client saw last. Pure. */
import { invalidRequest } from '../http/api-problem.js';

export interface Cursor {
  /** The last frame seen; 0 for the beginning. */
  after: number;
  /** From `Last-Event-ID`: the client resumes a stream that it had. */
  resumed: boolean;
}

/**
 * `Last-Event-ID` wins over `?after=`: a browser reconnects under the address that it first used.
 * @throws {ApiProblem} 400 for anything but a whole number.
 */
export function readCursor(lastEventId: string, after: string | undefined): Cursor {
  if (lastEventId !== '') return { after: toNumber('Last-Event-ID', lastEventId), resumed: true };
  return { after: after === undefined ? 0 : toNumber('after', after), resumed: false };
}

function toNumber(path: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalidRequest([{ path, message: 'must be the number of a frame' }]);
  return Number(text);
}
