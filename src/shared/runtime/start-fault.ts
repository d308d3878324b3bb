/** A reason not to start that the operator can mend; `message` names the thing and the way out. */
export class StartFault extends Error {
  override readonly name = 'StartFault';
}
