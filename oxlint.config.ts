import { readdirSync } from 'node:fs'
import { defineConfig } from 'oxlint'

const namesIn = (folder: string) => readdirSync(new URL(folder, import.meta.url))
const services = namesIn('services')

const deepImports = {
  regex: '^@parley/[^/]+/(src|test|dist)(/|$)',
  message: 'Import the package by its name; only what it exports may be used.',
}
const serviceImports = {
  regex: `^@parley/(${services.join('|')})(/|$)`,
  message: 'Call other services over the bus; a package must not depend on a service.',
}
const notTheClient = {
  regex: `^@parley/(${namesIn('packages')
    .filter((name) => name !== 'client')
    .concat(services)
    .join('|')})(/|$)`,
  message: 'The web client may depend only on the SDK.',
}
const testOnly = {
  regex: '^@parley/(local|testkit)(/|$)',
  message: 'Services must not depend on the supervisor or the test kit.',
}
const installed = {
  regex: '^[^.:]+$',
  message: 'This runs before packages are installed.',
}
type Pattern = { regex: string; message: string }
const restricted = (...patterns: Pattern[]) => ({ 'no-restricted-imports': ['error', { patterns }] }) as const

/** Rules that ask the compiler for types. */
const typed = {
  'typescript/await-thenable': 'error',
  'typescript/no-array-delete': 'error',
  'typescript/no-base-to-string': 'error',
  'typescript/no-duplicate-type-constituents': 'error',
  'typescript/no-floating-promises': 'error',
  'typescript/no-for-in-array': 'error',
  'typescript/no-implied-eval': 'error',
  'typescript/no-misused-promises': 'error',
  'typescript/no-redundant-type-constituents': 'error',
  'typescript/no-unnecessary-type-assertion': 'error',
  'typescript/no-unsafe-argument': 'error',
  'typescript/no-unsafe-assignment': 'error',
  'typescript/no-unsafe-call': 'error',
  'typescript/no-unsafe-enum-comparison': 'error',
  'typescript/no-unsafe-member-access': 'error',
  'typescript/no-unsafe-return': 'error',
  'typescript/no-unsafe-unary-minus': 'error',
  // The reason of an abort signal may be rethrown as it is.
  'typescript/only-throw-error': ['error', { allowThrowingUnknown: true }],
  'typescript/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true, allowThrowingAny: true }],
  'typescript/restrict-plus-operands': 'error',
  'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
} as const

export default defineConfig({
  // Exactly the rules below.
  categories: { correctness: 'off' },
  plugins: ['eslint', 'typescript', 'import', 'unicorn'],
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  env: { node: true },
  ignorePatterns: [
    '**/dist/',
    '**/gen/',
    '**/drizzle/',
    '/.data/',
    '**/.turbo/',
    '/helm/',
    '/deploy/',
    // Checked by packages/web/eslint.config.js.
    '**/*.svelte',
  ],
  rules: {
    eqeqeq: 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'object-shorthand': 'error',
    // If a file is longer, look for a second subject to move out. Otherwise state beside the exception why it stays
    // whole.
    'max-lines': ['error', { max: 250 }],
    'max-lines-per-function': ['error', { max: 60 }],
    'import/no-cycle': 'error',
    'import/no-duplicates': 'error',
    'import/no-self-import': 'error',
    'unicorn/prefer-node-protocol': 'error',
    ...restricted(deepImports, serviceImports),
  },
  overrides: [
    {
      files: ['**/*.ts'],
      rules: {
        ...typed,
        'import/no-default-export': 'error',
        'no-array-constructor': 'error',
        'no-unused-expressions': 'error',
        // A leading underscore marks an unused value.
        'no-unused-vars': [
          'error',
          { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
        ],
        'prefer-rest-params': 'error',
        'prefer-spread': 'error',
        'typescript/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description' }],
        'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
        'typescript/no-duplicate-enum-values': 'error',
        'typescript/no-empty-object-type': 'error',
        'typescript/no-explicit-any': 'error',
        'typescript/no-extra-non-null-assertion': 'error',
        'typescript/no-misused-new': 'error',
        'typescript/no-namespace': 'error',
        'typescript/no-non-null-asserted-optional-chain': 'error',
        'typescript/no-non-null-assertion': 'error',
        'typescript/no-require-imports': 'error',
        'typescript/no-this-alias': 'error',
        'typescript/no-unnecessary-type-constraint': 'error',
        'typescript/no-unsafe-declaration-merging': 'error',
        'typescript/no-unsafe-function-type': 'error',
        'typescript/no-wrapper-object-types': 'error',
        'typescript/prefer-as-const': 'error',
        'typescript/prefer-namespace-keyword': 'error',
        'typescript/triple-slash-reference': 'error',
      },
    },
    {
      files: ['**/*.{js,mjs,cjs}'],
      rules: { 'no-undef': 'error', 'no-unused-vars': 'error' },
    },
    { files: ['packages/local/bootstrap/**'], rules: restricted(installed) },
    { files: ['services/*/src/**/*.ts'], rules: restricted(deepImports, serviceImports, testOnly) },
    { files: ['packages/{compact,e2e}/**/*.ts'], rules: restricted(deepImports) },
    { files: ['packages/web/**/*.ts'], rules: restricted(deepImports, notTheClient) },
    { files: ['packages/web/vite.config.ts', 'oxlint.config.ts'], rules: { 'import/no-default-export': 'off' } },
    // Tables: one line per column or method.
    { files: ['**/schema.ts'], rules: { 'max-lines': 'off' } },
    { files: ['services/*/src/rpc/index.ts'], rules: { 'max-lines-per-function': 'off' } },
    // Tests of one subject share a running service or fleet, so a file may be longer, and consist of a single `describe`.
    {
      files: ['**/*.test.{ts,mjs}', '**/test/**'],
      rules: { 'max-lines': ['error', { max: 500 }], 'max-lines-per-function': 'off' },
    },
    // expect.any() and similar matchers are typed any.
    { files: ['**/*.test.ts', '**/test/**/*.ts'], rules: { 'typescript/no-unsafe-assignment': 'off' } },
  ],
})
