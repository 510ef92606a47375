/**
 * `node --import @parley/tooling/run-bundled program.ts` runs a TypeScript program as one bundle, which starts in a
 * fraction of the time. Bundles are cached in node_modules/.cache until one of their source files changes.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { bundleOptions } from './bundle-options.mjs'

const workspace = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(workspace, 'node_modules/.cache/parley-programs')

registerHooks({
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
    return { format: 'module', source: bundleOf(fileURLToPath(url)), shortCircuit: true }
  },
})

function bundleOf(program) {
  const stem = join(cache, createHash('sha256').update(program).digest('hex').slice(0, 16))
  return cachedBundle(stem) ?? makeBundle(program, stem)
}

function cachedBundle(stem) {
  try {
    const { inputs, state, code } = JSON.parse(readFileSync(`${stem}.json`, 'utf8'))
    return stateOf(inputs) === state ? code : undefined
  } catch {
    // There is no bundle yet, or one of its source files was deleted.
    return undefined
  }
}

function makeBundle(program, stem) {
  // Loaded only here, because it would slow down every process whose bundle is cached.
  const { buildSync } = createRequire(import.meta.url)('esbuild')
  const { outputFiles, metafile } = buildSync({
    ...bundleOptions,
    absWorkingDir: workspace,
    entryPoints: [program],
    external: [...bundleOptions.external, '@livekit/rtc-node'],
    write: false,
    metafile: true,
  })
  const code = outputFiles[0].text
  const inputs = Object.keys(metafile.inputs)
  mkdirSync(cache, { recursive: true })
  const unfinished = `${stem}.${process.pid}`
  writeFileSync(unfinished, JSON.stringify({ inputs, state: stateOf(inputs), code }))
  renameSync(unfinished, `${stem}.json`)
  return code
}

/** Throws if a file is missing. */
function stateOf(inputs) {
  const hash = createHash('sha256')
  for (const input of inputs) {
    const { mtimeMs, size } = statSync(join(workspace, input))
    hash.update(`${input} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex')
}
