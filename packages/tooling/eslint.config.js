import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createNodeResolver, importX } from 'eslint-plugin-import-x'
import nodePlugin from 'eslint-plugin-n'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import tseslint from 'typescript-eslint'

const workspace = fileURLToPath(new URL('../..', import.meta.url))
const services = readdirSync(`${workspace}/services`)

const deepImports = {
  regex: '^@parley/[^/]+/(src|test|dist)(/|$)',
  message:
    'Import the package by its name: its exports are what it promises, the files behind them are its own business.',
}
const serviceImports = {
  regex: `^@parley/(${services.join('|')})(/|$)`,
  message: 'Services are reached over the bus only; packages know no service.',
}
const notTheClient = {
  regex: '^@parley/(?!client(/contract)?$)',
  message: 'The web client stands on the SDK alone.',
}
const testOnly = {
  regex: '^@parley/(local|testkit)(/|$)',
  message: 'Services run without the supervisor and without the test kit.',
}
const restricted = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] })

export default tseslint.config(
  { ignores: ['**/dist/', '**/gen/', '**/drizzle/', '.data/', '**/.turbo/', 'helm/', 'deploy/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,js,mjs,cjs}'],
    plugins: { 'import-x': importX, n: nodePlugin },
    languageOptions: { globals: globals.node },
    settings: {
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js', '.mjs', '.json'] })],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
      // Packages of the workspace are resolved to their sources, but are nobody's internals.
      'import-x/internal-regex': '^@parley/',
    },
    rules: {
      eqeqeq: 'error',
      'no-console': 'off',
      'no-var': 'error',
      'prefer-const': 'error',
      'object-shorthand': 'error',
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-duplicates': 'error',
      'import-x/no-default-export': 'error',
      'import-x/no-self-import': 'error',
      'n/no-extraneous-import': 'error',
      'n/prefer-node-protocol': 'error',
      ...restricted(deepImports, serviceImports),
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: 'packages/tooling/tsconfig.workspace.json', tsconfigRootDir: workspace },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // A name that begins with _ says that the value is not wanted.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
      // Implementations of asynchronous interfaces need not wait for anything, and numbers may stand in text.
      '@typescript-eslint/require-await': 'off',
      // An abort signal's reason is passed on as it is.
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/prefer-promise-reject-errors': [
        'error',
        { allowThrowingUnknown: true, allowThrowingAny: true },
      ],
      // What a package hands out are closures that may be taken apart.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
    },
  },
  { files: ['services/*/src/**/*.ts'], rules: restricted(deepImports, serviceImports, testOnly) },
  { files: ['packages/e2e/**/*.ts'], rules: restricted(deepImports) },
  {
    files: ['packages/web/**/*.svelte'],
    extends: [tseslint.configs.recommendedTypeChecked, svelte.configs.recommended],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/restrict-template-expressions': 'off',
      // The compiler's types know what a component exports; this parser takes it for anything.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'prefer-const': 'off',
      'svelte/prefer-const': ['error', { destructuring: 'all' }],
      'svelte/no-at-html-tags': 'error',
      'svelte/no-navigation-without-resolve': 'off',
    },
  },
  {
    files: ['packages/web/**/*.{ts,svelte}'],
    languageOptions: {
      globals: globals.browser,
      parserOptions: {
        project: 'packages/web/tsconfig.json',
        tsconfigRootDir: workspace,
        extraFileExtensions: ['.svelte'],
      },
    },
    rules: restricted(deepImports, notTheClient),
  },
  { files: ['packages/web/vite.config.ts'], rules: { 'import-x/no-default-export': 'off' } },
  {
    files: ['**/*.test.ts', '**/test/**/*.ts'],
    rules: {
      // expect.any() and its kin are typed any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    rules: { 'import-x/no-default-export': 'off', 'no-undef': 'error', 'no-unused-vars': 'error' },
  },
)
