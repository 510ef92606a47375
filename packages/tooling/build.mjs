import { rm } from 'node:fs/promises'
import { build } from 'esbuild'
import { packageBundle } from './bundle-options.mjs'

const options = packageBundle(process.cwd())
await rm('dist', { recursive: true, force: true })
// esbuild has already printed the errors.
await build(options).catch(() => {
  process.exitCode = 1
})
