/** Why a request to sworn came to nothing; programs read `code`, people the message. */
import type { Problem } from '../../shared/domain/contracts/problem.js';

export type ClientFaultCode =
  /** The server answered with a problem; see `problem`. */
  | 'REFUSED'
  /** No answer: not listening, connection lost, or silent for too long. */
  | 'UNREACHABLE'
  /** An answer that is not what the contract says. */
  | 'UNEXPECTED_ANSWER';

export class ClientFault extends Error {
  override readonly name = 'ClientFault';
  constructor(
    readonly code: ClientFaultCode,
    message: string,
    /** With REFUSED only: status and stable code of the server's answer. */
    readonly problem: Problem | null = null,
  ) {
    super(message);
  }
}
