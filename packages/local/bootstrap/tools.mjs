import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Failure, say } from './console.mjs'
import { fetchPackage, folderOf, pinnedSpec } from './fetch.mjs'
import { bin, manifest, root } from './places.mjs'

const wanted = readFileSync(join(root, '.node-version'), 'utf8').trim()

/** The Node.js of npm for this machine. Apple's processors have theirs under a name of its own. */
const nodeSpec = () => {
  const platform = `${process.platform}-${process.arch}`
  return pinnedSpec(platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`)
}

/** Whether this machine's Node.js is of the wanted line and not older. */
function suits(version) {
  const [major, minor, patch] = version.split('.').map(Number)
  const [wantedMajor, wantedMinor, wantedPatch] = wanted.split('.').map(Number)
  if (major !== wantedMajor) return false
  return minor > wantedMinor || (minor === wantedMinor && patch >= wantedPatch)
}

const ownSuits = suits(process.versions.node)
const pnpmFile = (folder) => join(folder, 'bin/pnpm.cjs')

/** Path of the Node.js that everything runs on: this machine's if it suits, else one of npm, fetched first. */
export function prepareNode() {
  if (ownSuits) return process.execPath
  const line = `Node.js ${wanted.split('.')[0]}`
  const spec = nodeSpec()
  if (spec === undefined) {
    throw new Failure(
      `npm has no ${line} for ${process.platform}-${process.arch}; install it yourself: https://nodejs.org`,
    )
  }
  const node = join(fetchPackage(spec, `Node.js ${spec.split('@')[1]}`), 'bin/node')
  const { status } = spawnSync(node, ['--version'])
  if (status !== 0)
    throw new Failure(`${line} of npm does not run on this system; install it yourself: https://nodejs.org`)
  return node
}

/** Path of pnpm, fetched first if missing. */
export function preparePnpm() {
  const file = pnpmFile(fetchPackage(manifest.packageManager, manifest.packageManager.replace('@', ' ')))
  chmodSync(file, 0o755)
  return file
}

/** Where scripts of package.json look first, also those that this machine's pnpm runs on this machine's Node.js. */
const scriptsNode = join(root, 'node_modules/.bin/node')

/** Makes `node` and `pnpm` what PATH finds in {@link bin}. */
export function linkTools(node, pnpm) {
  link(node, join(bin, 'node'))
  link(pnpm, join(bin, 'pnpm'))
  link(node, scriptsNode)
}

/** Whether {@link linkTools} has nothing to do. */
export function areToolsLinked() {
  const node = ownSuits ? process.execPath : join(folderOf(nodeSpec() ?? ''), 'bin/node')
  const pnpm = pnpmFile(folderOf(manifest.packageManager))
  return isLink(join(bin, 'node'), node) && isLink(join(bin, 'pnpm'), pnpm) && isLink(scriptsNode, node)
}

/** Says which Node.js runs. */
export function tellNode() {
  if (ownSuits) return say(`Node.js ${process.versions.node} of this machine`)
  const version = nodeSpec().split('@')[1]
  say(`Node.js ${version} in ${relative(root, bin)}, not this machine's ${process.versions.node}`)
}

function link(target, path) {
  if (isLink(path, target)) return
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}`
  rmSync(temporary, { force: true })
  symlinkSync(target, temporary)
  renameSync(temporary, path)
}

function isLink(path, target) {
  try {
    return readlinkSync(path) === target && existsSync(path)
  } catch {
    return false
  }
}
