import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { declaredSettings } from '../declared-settings.mjs'
import { inWorkspace } from '../steps.mjs'

const settings = await declaredSettings()
const { ConfigError } = await import(inWorkspace('packages/config/src/index.ts'))
const { planMemory } = await import(inWorkspace('services/uploads/src/domain/memory.ts'))

const declared = Object.fromEntries(
  settings
    .filter(({ name }) => name !== 'make run')
    .map(({ name, readConfig, rows }) => [
      name,
      { readConfig, rows: rows.map(({ env, toml, kind }) => ({ names: env.split(', '), toml, kind })) },
    ]),
)

export const secretSettings = Object.values(declared).flatMap(({ rows }) =>
  rows.filter(({ kind }) => kind === 'secret'),
)

/** Variables of arrays of tables are left out, because they have no fixed names. */
export const plainVariables = new Set(
  Object.values(declared).flatMap(({ rows }) =>
    rows.filter(({ kind, toml }) => kind !== 'secret' && !toml.includes('[]')).flatMap(({ names }) => names),
  ),
)

export const settingsOf = (service) => declared[service].rows.flatMap(({ names }) => names)

export const knownKeys = new Set(Object.values(declared).flatMap(({ rows }) => rows.map(({ toml }) => toml)))

/**
 * An operator chooses settings of parley.toml, secrets, and settings that several programs share. Returns the names
 * of the environment variables of each. Arrays of tables are left out, because their variables have no fixed names.
 */
export function choicesOf(service) {
  return declared[service].rows
    .filter(({ names, toml, kind }) => !toml.includes('[]') && (toml || kind === 'secret' || isShared(names)))
    .map(({ names }) => names)
}

const perProcess = ['PARLEY_INTERNAL_HOST', 'PARLEY_INTERNAL_PORT', 'PARLEY_DRAIN_TIMEOUT', 'PARLEY_DATABASE_POOL']
const isShared = ([name]) =>
  !perProcess.includes(name) &&
  Object.values(declared).filter(({ rows }) => rows.some(({ names }) => names.includes(name))).length > 1

// Variables that are read outside the declared settings: the name of the process, the path of parley.toml, and the
// variables of telemetry and Node.js.
const isKnown = (name) => ['PARLEY_SERVICE', 'PARLEY_CONFIG_FILE'].includes(name) || /^(OTEL|NODE)_/.test(name)

/** A variable that the deployable does not read is a problem, too. */
export async function problemsOfEnvironment(where, service, env, toml = '') {
  const declaration = declared[service]
  if (!declaration) return [`${where}: there is no service ${service}`]
  const names = new Set(declaration.rows.flatMap((row) => row.names))
  const unknown = Object.keys(env)
    .filter((name) => !names.has(name) && !isKnown(name))
    .map((name) => `${where}: ${service} does not read ${name}`)
  const folder = await mkdtemp(join(tmpdir(), 'parley-deploy-'))
  try {
    const file = join(folder, 'parley.toml')
    await writeFile(file, toml)
    declaration.readConfig({ env, file })
    return unknown
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [...unknown, ...error.problems.map((problem) => `${where}: ${problem}`)]
  } finally {
    await rm(folder, { recursive: true })
  }
}

const units = { Mi: 1024 ** 2, Gi: 1024 ** 3 }

export function problemsOfMemory(where, service, limit, env) {
  const [, amount, unit] = /^(\d+)(Mi|Gi)$/.exec(limit) ?? []
  if (!unit) return [`${where}: cannot parse the memory limit ${limit}`]
  const worksOn = {
    images: service === 'uploads',
    videos: service === 'video-worker' || (env.PARLEY_VIDEO_ENABLED === 'true' && !env.PARLEY_VIDEO_WORKER_URLS),
  }
  const numberOf = (name) => (env[name] === undefined ? undefined : Number(env[name]))
  const requested = {
    imagesAtOnce: numberOf('PARLEY_UPLOADS_IMAGES_AT_ONCE'),
    videosAtOnce: numberOf('PARLEY_VIDEO_MAX_CONCURRENT'),
  }
  const given = Number(amount) * units[unit]
  const plan = planMemory(given, requested, worksOn)
  const usual = planMemory(undefined, requested, worksOn)
  const problems = []
  if (plan.bytes > given) problems.push(`${where}: needs ${plan.bytes} bytes of memory, but its limit is ${given}`)
  for (const what of ['imagesAtOnce', 'transformCacheBytes', 'videosAtOnce'])
    if (plan[what] < usual[what])
      problems.push(
        `${where}: ${limit} of memory is enough for ${what} ${plan[what]}, not for the default ${usual[what]}`,
      )
  return problems
}
