/**
 * Replaces uWebSockets.js with another build, in a folder that image-files.mjs has filled: `node
 * packages/tooling/deploy/replace-uwebsockets.mjs <folder> <spec>`, with a spec that npm can install. Fails if the
 * build does not load.
 */
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isForOtherSystem } from './image-files.mjs'

const [folder, spec] = process.argv.slice(2)
if (!folder || !spec) throw new Error('usage: replace-uwebsockets.mjs <folder> <tarball, git tag or npm:name@version>')

const name = 'uWebSockets.js'
const target = join(folder, 'node_modules', name)
const temporary = await mkdtemp(join(tmpdir(), 'uwebsockets-'))
try {
  run('npm', ['install', '--prefix', temporary, '--ignore-scripts', '--no-fund', '--no-audit', `${name}@${spec}`])
  await rm(target, { recursive: true })
  await cp(join(temporary, 'node_modules', name), target, {
    recursive: true,
    filter: (path) => !isForOtherSystem(path),
  })
} finally {
  await rm(temporary, { recursive: true })
}
const used = ['App', 'us_listen_socket_close', 'us_socket_local_port']
const check = `const all = await import('${name}'); for (const name of ${JSON.stringify(used)}) if (!all[name]) throw new Error(name + ' is missing')`
run(process.execPath, ['--input-type=module', '-e', check], { cwd: folder })

function run(command, args, options) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (status !== 0) throw new Error(`${spec} cannot replace ${name}: ${command} failed`)
}
