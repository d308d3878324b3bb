/** What a promise rejects with; fails when it does not. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await work;
  } catch (error) {
    return error;
  }
  throw new Error(`it did not fail but gave ${JSON.stringify(value)}`);
}
