import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = (file) => fileURLToPath(new URL(file, import.meta.url))
const rootDir = here('../..')

/** What takes long runs only when it is asked for: `make test-all`. */
const long = process.env.PARLEY_TEST_LONG ? [] : ['\\.long\\.test\\.ts$']

/** Packages whose behaviour tests use the PostgreSQL and the Redis of the run; those of every service do. */
const sharing = ['events', 'jobs', 'postgres', 'redis', 'testkit']
const others = readdirSync(here('..')).filter((name) => !['e2e', 'README.md', ...sharing].includes(name))
const behaviour = (names) => `<rootDir>/packages/{${names.join()}}/test/**/*.test.{ts,mjs}`

/** What all test files have in common: they run straight from their TypeScript sources. */
export const common = {
  rootDir,
  testEnvironment: here('testing/environment.cjs'),
  runtime: here('testing/runtime.cjs'),
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/fixtures/', ...long],
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
  injectGlobals: false,
}

/** Starts what the test files of a run share, by the `setup()` of a module (a path from the root of the repository). */
export const servers = (hooks) => ({
  globals: { hooks },
  globalSetup: here('jest-global-setup.mjs'),
  globalTeardown: here('jest-global-teardown.mjs'),
})

const project = (displayName, options) => ({
  ...common,
  displayName,
  roots: ['<rootDir>/packages', '<rootDir>/services'],
  ...options,
})

/** All tests but those of a whole fleet. Where a file stands says what is started for it. */
export default {
  rootDir,
  testTimeout: 120_000,
  projects: [
    project('unit', {
      testMatch: [
        `<rootDir>/packages/{${[...others, ...sharing].join()}}/src/**/*.test.ts`,
        '<rootDir>/services/*/src/**/*.test.ts',
      ],
      testEnvironment: here('testing/unit-environment.cjs'),
    }),
    project('alone', {
      testMatch: [behaviour(others)],
      globalSetup: here('testing/install-servers.mjs'),
    }),
    project('servers', {
      testMatch: [behaviour(sharing), '<rootDir>/services/*/test/**/*.test.ts'],
      ...servers('packages/testkit/src/jest-setup.ts'),
    }),
  ],
}
