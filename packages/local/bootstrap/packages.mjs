import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, say } from './console.mjs'
import { bin, cache, environment, root } from './paths.mjs'

export async function installPackages() {
  const stamp = join(cache, 'installed')
  const state = hashOfInputs()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return
  say('installing packages')
  await run(join(bin, 'pnpm'), ['install', '--frozen-lockfile', '--prefer-offline'], {
    cwd: root,
    env: environment(),
    hint: 'the packages could not be installed; is the registry reachable?',
  })
  writeFileSync(stamp, state)
}

/** Hash of everything that decides the content of node_modules: versions, settings, and the kind of machine. */
function hashOfInputs() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const file of ['.node-version', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'])
    hash.update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

export async function build() {
  say('building')
  const turbo = join(root, 'node_modules/.bin/turbo')
  const hint = 'the build failed; see the output above'
  await run(turbo, ['run', 'build', '--output-logs=errors-only'], { cwd: root, env: environment(), hint })
}
