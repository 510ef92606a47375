import { fileURLToPath } from 'node:url'

const here = (file) => fileURLToPath(new URL(file, import.meta.url))

/** What takes long runs only when it is asked for: `make test-all`. */
const long = process.env.PARLEY_TEST_LONG ? [] : ['\\.long\\.test\\.ts$']

/** Unit and behaviour tests of every package and service, straight from their TypeScript sources. */
export default {
  rootDir: here('../..'),
  roots: ['<rootDir>/packages', '<rootDir>/services'],
  testEnvironment: here('testing/environment.cjs'),
  runtime: here('testing/runtime.cjs'),
  testMatch: ['**/*.test.{ts,mjs}'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/fixtures/', '<rootDir>/packages/e2e/', ...long],
  modulePathIgnorePatterns: ['/dist/', '/\\.turbo/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  transform: {
    '^.+\\.ts$': [
      here('node_modules/@swc/jest/index.js'),
      {
        swcrc: false,
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  globals: { hooks: 'packages/testkit/src/jest-setup.ts' },
  globalSetup: here('jest-global-setup.mjs'),
  globalTeardown: here('jest-global-teardown.mjs'),
  injectGlobals: false,
  testTimeout: 120_000,
}
