import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { dataDirAt, parleyServices, processEnvironment, type ServiceDefinition } from '@parley/local'
import { freePort } from '@parley/local/infrastructure'
import { eventually, freeze } from '@parley/testkit'
import { fleet, serverPid } from '../src/fleet.ts'
import { processOf, waitUntilHealthy } from '../src/processes.ts'

const services = parleyServices()
/** The services, and the compact process, which contains several deployables. */
const programs = [...services, ...parleyServices(undefined, 'compact').filter(({ holds }) => holds !== undefined)]

type Dependencies = { natsUrl: string; postgresPort: number; secret: (name: string) => string }

async function unreachableDependencies(): Promise<Dependencies> {
  const port = await freePort()
  return { natsUrl: `nats://127.0.0.1:${port}`, postgresPort: port, secret: (name) => name.padEnd(48, '.') }
}

function fleetDependencies(): Dependencies {
  const { secretsFile, portsFile } = dataDirAt(fleet().dataDir)
  const secrets = JSON.parse(readFileSync(secretsFile, 'utf8')) as Record<string, string>
  const ports = JSON.parse(readFileSync(portsFile, 'utf8')) as Record<string, number>
  const secret = (name: string) => secrets[name] ?? name.padEnd(48, '.')
  return { natsUrl: `nats://127.0.0.1:${ports['nats']}`, postgresPort: ports['postgres'] ?? 0, secret }
}

async function start(service: ServiceDefinition, dependencies: Dependencies) {
  const [redisPort, internalPort, ownPort] = await Promise.all([freePort(), freePort(), freePort()])
  const env = processEnvironment(
    service,
    {
      ...{ publicUrl: 'http://127.0.0.1', publicHost: '127.0.0.1', assetsFolder: join(fleet().dataDir, 'nobodys') },
      ...{ redisUrl: `redis://127.0.0.1:${redisPort}`, mailFolder: undefined, ...dependencies },
    },
    { PATH: process.env['PATH'], PARLEY_GATEWAY_ASSETS_URLS: 'http://127.0.0.1:1' },
  )
  const ports = Object.fromEntries((service.portVariables ?? []).map((name) => [name, String(ownPort)]))
  const child = spawn(process.execPath, [service.main], {
    env: { ...env, ...ports, PARLEY_INTERNAL_PORT: String(internalPort) },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  return {
    ended,
    async reasons(): Promise<string[]> {
      const response = await fetch(`http://127.0.0.1:${internalPort}/readyz`)
      const { reasons = [] } = (await response.json()) as { reasons?: string[] }
      return [...new Set(reasons.map((reason) => reason.replace(/^\w+: (?=waiting for )/, '')))]
    },
    end: () => child.kill('SIGTERM'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const withDatabase = programs.filter(({ migrate }) => migrate !== undefined)
const withPolicy = services.filter(({ name }) => !['admin', 'calls', 'notifications'].includes(name))

test.each(programs)(
  '$name waits without its dependencies, reports that it waits for NATS, and stops on request',
  async (service) => {
    await using waiting = await start(service, await unreachableDependencies())
    await eventually(async () => expect(await waiting.reasons()).toContain('waiting for nats'))
    waiting.end()
    expect(await waiting.ended).toEqual([0, null])
  },
)

test.each(withDatabase)(
  '$name waits for NATS, not for PostgreSQL, once its database is available, and stops on request',
  async (service) => {
    await using waiting = await start(service, {
      ...fleetDependencies(),
      natsUrl: (await unreachableDependencies()).natsUrl,
    })
    await eventually(async () => {
      const reasons = await waiting.reasons()
      expect(reasons).toContain('waiting for nats')
      expect(reasons).not.toContain('waiting for postgres')
    })
    waiting.end()
    expect(await waiting.ended).toEqual([0, null])
  },
)

test.each(withPolicy)('$name waits while no process of admin answers, and stops on request', async (service) => {
  using _one = freeze(processOf('admin', 0).pid)
  using _other = freeze(processOf('admin', 1).pid)
  await using waiting = await start(service, fleetDependencies())
  await eventually(async () => {
    const reasons = await waiting.reasons()
    expect(reasons.join()).toMatch(/policy|control feed/)
    expect(reasons).not.toContain('waiting for postgres')
    expect(reasons).not.toContain('waiting for nats')
  })
  waiting.end()
  expect(await waiting.ended).toEqual([0, null])
})

function logLinesOf({ name, pid }: { name: string; pid: number }): string {
  const { logs } = dataDirAt(fleet().dataDir)
  const files = readdirSync(logs).filter((file) => file.startsWith(name))
  const lines = files.flatMap((file) => readFileSync(join(logs, file), 'utf8').split('\n'))
  return lines.filter((line) => line.includes(`"pid":${pid},`)).join('\n')
}

afterEach(waitUntilHealthy)

test('every service stops within its time limit while PostgreSQL and NATS are frozen', async () => {
  const requested = services.map(({ name }) => processOf(name, 0))
  {
    using _postgres = freeze(serverPid('postgres'))
    using _nats = freeze(serverPid('nats'))
    for (const { pid } of requested) process.kill(pid, 'SIGTERM')
    await eventually(
      () => {
        for (const one of requested) expect(logLinesOf(one)).toMatch(/has stopped|exits now/)
      },
      { timeoutMs: 60_000 },
    )
  }
  expect(requested.filter((one) => logLinesOf(one).includes('exits now')).map(({ name }) => name)).toEqual([])
})
