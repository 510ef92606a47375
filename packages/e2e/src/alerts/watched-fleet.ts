import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirAt, repositoryRoot, startFleet } from '@parley/local'
import { Resources } from '@parley/runtime'
import { temporaryDataDir } from '../abandoned.ts'
import { ownerCredentials, readyFileOf, shareFleet, withoutSettings } from '../fleet.ts'
import { jobsOf, Prometheus } from '../prometheus.ts'
import { writeShorterRules } from './shorter-rules.ts'

/** Tests write through one process and read through the other. */
const doubled = ['gateway', 'realtime']

/**
 * The started fleet becomes the tested fleet (`fleet()`). It has two processes of gateway and realtime and one of
 * each other service. `program` is the path of Prometheus.
 */
export async function startWatchedFleet(program: string, settings: NodeJS.ProcessEnv) {
  const dataDir = temporaryDataDir()
  const resources = new Resources()
  resources.defer('files', () => rmSync(dataDir, { recursive: true, force: true }))
  const env = { ...withoutSettings(process.env), ...settings }
  const readyFile = readyFileOf(dataDir)
  const fleet = await startFleet({ ...{ dataDir, readyFile, env }, port: 0, owner: ownerCredentials, fsync: false })
  resources.defer('fleet', () => fleet.stop())
  for (const service of doubled) await fleet.scale(service, 2)
  shareFleet(dataDir)
  const rules = ['alerts', 'objectives'].map((name) =>
    writeShorterRules(join(repositoryRoot(), `helm/parley/files/${name}.yaml`), dataDir),
  )
  const prometheus = resources.use(await Prometheus.start(program, dataDir, jobsOf(fleet.services), rules))
  const restart = async (service: string, index: number) => {
    await fleet.restart(service, index)
    prometheus.scrape(jobsOf(fleet.services))
  }
  return {
    ...{ prometheus, dataDir },
    restart,
    async reconfigure(service: string, more: NodeJS.ProcessEnv) {
      Object.assign(env, more)
      const count = fleet.services.filter(({ name }) => name === service).length
      for (let index = 0; index < count; index++) await restart(service, index)
    },
    logOf: (service: string) =>
      (doubled.includes(service) ? [service, `${service}-2`] : [service])
        .map((name) => readFileSync(join(dataDirAt(dataDir).logs, `${name}.log`), 'utf8'))
        .join(''),
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  }
}

export type WatchedFleet = Awaited<ReturnType<typeof startWatchedFleet>>
