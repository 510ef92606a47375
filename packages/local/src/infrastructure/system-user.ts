import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs'

export type SystemUser = { name: string; uid: number; gid: number }

/**
 * The user as which PostgreSQL runs, because it refuses to run as root: the owner of `folder` if it exists and does not
 * belong to root, otherwise `postgres` if that user exists, otherwise `nobody`. Undefined if this process is not root.
 * Throws if there is no such user.
 */
export function postgresUser(folder: string): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = ownerOf(folder)
  if (owner !== undefined && owner.uid !== 0) return owner
  const user = lookUp('postgres') ?? lookUp('nobody')
  if (user === undefined)
    throw new Error('PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody"')
  return user
}

export function canEnter(user: SystemUser, folder: string): boolean {
  const result = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], {
    uid: user.uid,
    gid: user.gid,
    cwd: '/',
    stdio: 'ignore',
  })
  return result.status === 0
}

export function makeOpenFolder(path: string): void {
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o755)
}

export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function ownerOf(folder: string): SystemUser | undefined {
  const stat = statSync(folder, { throwIfNoEntry: false })
  return stat && { name: `#${stat.uid}`, uid: stat.uid, gid: stat.gid }
}

function lookUp(name: string): SystemUser | undefined {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }))
    return { name, uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}
