/** A reason to end with code 1 whose message says what to do; anything else is a defect and shows its stack. */
export class Fault extends Error {
  name = 'Fault';
}
