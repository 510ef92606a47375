import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirAt, type Fleet, repositoryRoot, startFleet } from '@parley/local'
import { Resources } from '@parley/runtime'
import { temporaryDataDir } from '../abandoned.ts'
import { ownerCredentials, readyFileOf, share } from '../fleet.ts'
import { Prometheus, type ScrapedJob } from '../prometheus.ts'
import { writeShorterRules } from './shorter-rules.ts'

/** A fleet whose alerts a Prometheus evaluates, with windows that are sixty times shorter. */
export type WatchedFleet = AsyncDisposable & {
  readonly prometheus: Prometheus
  readonly dataDir: string
  /** Starts all processes of a service again with more settings. */
  reconfigure(service: string, settings: NodeJS.ProcessEnv): Promise<void>
  /** What the processes of a service have logged. */
  logOf(service: string): string
}

/** Services with two processes: tests write through one and read through the other. */
const doubled = ['gateway', 'realtime']

/**
 * Starts one with settings, and makes it the fleet that the helpers of tests use: one process of each service, two of
 * gateway and realtime.
 */
export async function startWatchedFleet(program: string, settings: NodeJS.ProcessEnv): Promise<WatchedFleet> {
  const dataDir = temporaryDataDir()
  // PostgreSQL may run as another user, who must reach its folder in here.
  chmodSync(dataDir, 0o755)
  const opened = new Resources()
  opened.defer('files', () => rmSync(dataDir, { recursive: true, force: true }))
  const env = { ...withoutSettings(process.env), ...settings }
  const readyFile = readyFileOf(dataDir)
  const fleet = await startFleet({ ...{ dataDir, readyFile, env }, port: 0, owner: ownerCredentials, fsync: false })
  opened.defer('fleet', () => fleet.stop())
  for (const service of doubled) await fleet.scale(service, 2)
  share(dataDir)
  const rules = ['alerts', 'objectives'].map((name) =>
    writeShorterRules(join(repositoryRoot(), `helm/parley/files/${name}.yaml`), dataDir),
  )
  const prometheus = opened.use(await Prometheus.start(program, dataDir, jobsOf(fleet), rules))
  return {
    ...{ prometheus, dataDir },
    async reconfigure(service, more) {
      Object.assign(env, more)
      const count = fleet.services.filter(({ name }) => name === service).length
      for (let index = 0; index < count; index++) await fleet.restart(service, index)
      prometheus.scrape(jobsOf(fleet))
    },
    logOf: (service) =>
      [service, `${service}-2`]
        .filter((_, index) => index === 0 || doubled.includes(service))
        .map((name) => readFileSync(join(dataDirAt(dataDir).logs, `${name}.log`), 'utf8'))
        .join(''),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

/** All processes of a fleet, by service. */
const jobsOf = ({ services }: Fleet): ScrapedJob[] =>
  [...new Set(services.map(({ name }) => name))].map((job) => ({
    job,
    targets: services.filter(({ name }) => name === job).map(({ internalPort }) => `127.0.0.1:${internalPort}`),
  }))

const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(PARLEY|OTEL)_/.test(name)))
