/**
 * Bundles the entry points of the package in the working folder into `dist/`.
 *
 * Entry points are `parley.entries` of its package.json (paths relative to the package), by default `src/main.ts`,
 * `src/migrate.ts`, `src/operate.ts` and `src/print-config.ts` as far as they exist. Code that several of them share goes into chunks, once.
 */
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { build } from 'esbuild'
import { bundleOptions } from './bundle-options.mjs'

const { name, parley } = JSON.parse(await readFile('package.json', 'utf8'))
const usual = ['src/main.ts', 'src/migrate.ts', 'src/operate.ts', 'src/print-config.ts']
const entries = parley?.entries ?? usual.filter((entry) => existsSync(entry))
if (entries.length === 0) throw new Error(`${name} has no entry points: neither src/main.ts nor parley.entries`)

await rm('dist', { recursive: true, force: true })
const options = {
  entryPoints: entries,
  outdir: 'dist',
  outbase: 'src',
  ...bundleOptions,
  splitting: true,
  sourcemap: true,
  sourcesContent: false,
  chunkNames: 'chunks/[name]-[hash]',
}
// esbuild has told what is wrong by itself.
await build(options).catch(() => {
  process.exitCode = 1
})
