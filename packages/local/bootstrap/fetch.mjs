import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure, run, say } from './console.mjs'
import { cache } from './paths.mjs'

const pinned = JSON.parse(readFileSync(fileURLToPath(new URL('pinned.json', import.meta.url)), 'utf8'))

export const pinnedSpec = (name) => Object.keys(pinned).find((spec) => spec.startsWith(`${name}@`))

export const folderOf = (spec) => join(cache, spec, 'node_modules', nameOf(spec))

/**
 * Fetches a package completely into the cache unless it is already there, and returns its folder. npm refuses a package
 * that does not match the digest in pinned.json, and runs none of its scripts. `shown` is its name in messages.
 * `whyUnusable` checks the folder; if it returns a reason, the package is discarded and the reason is thrown.
 */
export async function fetchPackage(spec, shown, whyUnusable) {
  const integrity = pinned[spec]
  if (integrity === undefined) throw new Failure(`packages/local/bootstrap/pinned.json has no digest for ${spec}`)
  if (!existsSync(folderOf(spec))) {
    say(`fetching ${shown}`)
    mkdirSync(cache, { recursive: true })
    removeUnfinished()
    const temporary = mkdtempSync(join(cache, temporaryPrefix))
    try {
      await install(spec, integrity, temporary, shown)
      chmodSync(temporary, 0o755)
      const reason = whyUnusable(join(temporary, 'node_modules', nameOf(spec)))
      if (reason !== undefined) throw new Failure(reason)
      renameSync(temporary, join(cache, spec))
    } finally {
      rmSync(temporary, { recursive: true, force: true })
    }
  }
  return folderOf(spec)
}

const temporaryPrefix = 'fetching-'

/**
 * Removes the files that a killed bootstrap left. If its npm is still writing them, they stay until the next download.
 */
function removeUnfinished() {
  for (const name of readdirSync(cache)) {
    if (!name.startsWith(temporaryPrefix)) continue
    try {
      rmSync(join(cache, name), { recursive: true, force: true })
    } catch (error) {
      if (error.code !== 'ENOTEMPTY') throw error
    }
  }
}

async function install(spec, integrity, folder, shown) {
  const name = nameOf(spec)
  const version = spec.slice(name.length + 1)
  const dependencies = { [name]: version }
  const lock = {
    lockfileVersion: 3,
    packages: { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  const args = ['ci', '--ignore-scripts', '--no-fund', '--no-audit', '--no-update-notifier', '--loglevel=warn']
  const hint = `${shown} could not be fetched from npm; is the registry reachable?`
  const output = await run('npm', args, { cwd: folder, hint })
  // npm continues when it cannot write a file completely.
  const incomplete = /TAR_ENTRY_ERROR.*/.exec(output)?.[0]
  if (incomplete !== undefined) throw new Failure(`${shown} could not be unpacked (${incomplete}); is the disk full?`)
}

const nameOf = (spec) => spec.slice(0, spec.lastIndexOf('@'))
