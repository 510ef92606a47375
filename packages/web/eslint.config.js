import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import tseslint from 'typescript-eslint'

/**
 * Lint rules for components; oxlint.config.ts at the root is for everything else. The rules that need types take four
 * times as long as all others. ESLINT_WITHOUT_TYPES disables them.
 */
const hasTypes = process.env.ESLINT_WITHOUT_TYPES === undefined
const { recommended, recommendedTypeChecked } = tseslint.configs

export default tseslint.config(
  { ignores: ['dist/'] },
  { linterOptions: { reportUnusedDisableDirectives: hasTypes ? 'error' : 'off' } },
  {
    files: ['**/*.svelte'],
    extends: [hasTypes ? recommendedTypeChecked : recommended, svelte.configs.recommended],
    languageOptions: {
      globals: globals.browser,
      parserOptions: {
        parser: tseslint.parser,
        project: hasTypes ? './tsconfig.json' : null,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/restrict-template-expressions': 'off',
      // Only the Svelte compiler knows the exports of components; to this parser they have the type any.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'max-lines': ['error', { max: 250 }],
      'max-lines-per-function': ['error', { max: 60 }],
      'prefer-const': 'off',
      'svelte/prefer-const': ['error', { destructuring: 'all' }],
      'svelte/no-at-html-tags': 'error',
      'svelte/no-navigation-without-resolve': 'off',
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^@parley/(?!client(/contract)?$)', message: 'The web client may depend only on the SDK.' },
          ],
        },
      ],
    },
  },
  {
    // Each binds shared state to many elements. Split components would need nearly all of it as props.
    files: ['src/views/chat/{Composer,Sidebar,TimelineView}.svelte'],
    rules: { 'max-lines': ['error', { max: 350 }] },
  },
)
