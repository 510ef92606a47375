import root from '../../package.json' with { type: 'json' }

export default {
  ...root.prettier,
  plugins: [import.meta.resolve('prettier-plugin-svelte')],
  overrides: [{ files: '*.svelte', options: { parser: 'svelte' } }],
}
