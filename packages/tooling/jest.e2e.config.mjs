import config from './jest.config.mjs'

/** The end-to-end suites: they share one fleet, so they run in one process, one after the other. */
export default {
  ...config,
  roots: ['<rootDir>/packages/e2e'],
  testPathIgnorePatterns: config.testPathIgnorePatterns.filter((pattern) => !pattern.includes('e2e')),
  globals: { hooks: 'packages/e2e/src/jest-setup.ts' },
  maxWorkers: 1,
  testTimeout: 120_000,
}
