import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = (file) => fileURLToPath(new URL(file, import.meta.url))
const rootDir = here('../..')

const long = process.env.PARLEY_TEST_LONG ? [] : ['\\.long\\.test\\.(ts|mjs)$']

/** Packages whose tests in `test/` use the shared servers, as those of all services do. */
const sharing = ['doctor', 'events', 'jobs', 'postgres', 'redis', 'testkit']
const others = readdirSync(here('..')).filter((name) => !['e2e', 'README.md', ...sharing].includes(name))
const behaviour = (names) => `<rootDir>/packages/{${names.join()}}/test/**/*.test.{ts,mjs}`

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

/** The module of `hooks` has `setup()` and `teardown()`; its path starts at the root of the repository. */
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

/** The location of a file determines which servers are started for it. */
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
    project('own-servers', {
      testMatch: [behaviour(others)],
      globalSetup: here('testing/install-servers.mjs'),
    }),
    project('servers', {
      testMatch: [behaviour(sharing), '<rootDir>/services/*/test/**/*.test.ts'],
      ...servers('packages/testkit/src/jest-setup.ts'),
    }),
  ],
}
