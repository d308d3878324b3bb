/** What most tests of the whole fleet import. */
export * from './scripted-model.js';
export { startTestFleet, type TestFleet } from './test-fleet.js';
