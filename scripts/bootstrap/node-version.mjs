/** The oldest Node that sworn runs on. */
const MINIMUM = [20, 19];

/**
 * @param {string} version as in `process.versions.node`
 * @returns {string | null} what to do, when it is too old
 */
export function nodeFault(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantMajor, wantMinor] = MINIMUM;
  if (major > wantMajor || (major === wantMajor && minor >= wantMinor)) return null;
  return `sworn needs Node ${wantMajor}.${wantMinor} or newer and this is ${version}: install a newer one from https://nodejs.org, then try again.`;
}
