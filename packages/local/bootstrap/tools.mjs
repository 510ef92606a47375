import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Failure, say } from './console.mjs'
import { fetchPackage, folderOf, pinnedSpec } from './fetch.mjs'
import { bin, manifest, root } from './paths.mjs'

const wanted = readFileSync(join(root, '.node-version'), 'utf8').trim()

const nodeSpec = () => {
  const platform = `${process.platform}-${process.arch}`
  return pinnedSpec(platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`)
}

/** Whether a version has the required major version and is not older than the required version. */
function isSuitable(version) {
  const [major, minor, patch] = version.split('.').map(Number)
  const [wantedMajor, wantedMinor, wantedPatch] = wanted.split('.').map(Number)
  if (major !== wantedMajor) return false
  return minor > wantedMinor || (minor === wantedMinor && patch >= wantedPatch)
}

const isOwnSuitable = isSuitable(process.versions.node)
const nodeFile = (folder) => join(folder, 'bin/node')
const pnpmFile = (folder) => join(folder, 'bin/pnpm.cjs')

export async function prepareNode() {
  if (isOwnSuitable) return process.execPath
  const line = `Node.js ${wanted.split('.')[0]}`
  const spec = nodeSpec()
  if (spec === undefined) {
    throw new Failure(
      `npm has no ${line} for ${process.platform}-${process.arch}; install it yourself: https://nodejs.org`,
    )
  }
  const folder = await fetchPackage(spec, `Node.js ${spec.split('@')[1]}`, (fetched) => {
    const failure = failureOf(nodeFile(fetched), ['--version'])
    if (failure === undefined) return undefined
    return `${line} of npm does not run on this system (${failure}); install it yourself: https://nodejs.org`
  })
  return nodeFile(folder)
}

export async function preparePnpm(node) {
  const shown = manifest.packageManager.replace('@', ' ')
  const folder = await fetchPackage(manifest.packageManager, shown, (fetched) => {
    chmodSync(pnpmFile(fetched), 0o755)
    const failure = failureOf(node, [pnpmFile(fetched), '--version'])
    return failure && `${shown} does not run (${failure})`
  })
  return pnpmFile(folder)
}

/** Why a program does not run, in one line; undefined if it does. */
function failureOf(program, args) {
  const { status, error, stderr, signal } = spawnSync(program, args, { encoding: 'utf8' })
  if (status === 0) return undefined
  return error?.message ?? (stderr.trim().split('\n')[0] || `it exits with ${signal ?? status}`)
}

const scriptsNode = join(root, 'node_modules/.bin/node')

/**
 * Links Node.js and pnpm into the folder {@link bin}, which `environment` puts first on PATH. Also links Node.js into
 * `node_modules/.bin`.
 */
export function linkTools(node, pnpm) {
  link(node, join(bin, 'node'))
  link(pnpm, join(bin, 'pnpm'))
  link(node, scriptsNode)
}

export function areToolsLinked() {
  const node = isOwnSuitable ? process.execPath : nodeFile(folderOf(nodeSpec() ?? ''))
  const pnpm = pnpmFile(folderOf(manifest.packageManager))
  return isLink(join(bin, 'node'), node) && isLink(join(bin, 'pnpm'), pnpm) && isLink(scriptsNode, node)
}

export function reportNode() {
  if (isOwnSuitable) return say(`using the installed Node.js ${process.versions.node}`)
  const version = nodeSpec().split('@')[1]
  say(`using Node.js ${version} in ${relative(root, bin)}; the installed version is ${process.versions.node}`)
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
