import { common, servers } from './jest.config.mjs'

export default {
  ...common,
  roots: ['<rootDir>/packages/e2e'],
  testMatch: ['**/*.test.ts'],
  ...servers('packages/e2e/src/jest-setup.ts'),
  maxWorkers: 1,
  testTimeout: 120_000,
}
