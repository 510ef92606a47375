import { common, servers } from './jest.config.mjs'

/** The end-to-end suites: they share one fleet, so they run in one process, one after the other. */
export default {
  ...common,
  roots: ['<rootDir>/packages/e2e'],
  testMatch: ['**/*.test.ts'],
  ...servers('packages/e2e/src/jest-setup.ts'),
  maxWorkers: 1,
  testTimeout: 120_000,
}
