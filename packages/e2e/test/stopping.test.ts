import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { dataDirAt, parleyServices, serviceEnvironment, type ServiceDefinition } from '@parley/local'
import { freePort } from '@parley/local/infrastructure'
import { eventually } from '@parley/testkit'
import { fleet, serverPid } from '../src/fleet.ts'
import { frozen, processOf, wholeAgain } from '../src/processes.ts'

const services = parleyServices()

/** A process of a service that finds nobody: no database, no NATS, no Redis. */
async function alone(service: ServiceDefinition): Promise<{ child: ChildProcess; readiness: () => Promise<string> }> {
  const [nobody, internalPort, ownPort] = await Promise.all([freePort(), freePort(), freePort()])
  const env = serviceEnvironment(
    service,
    {
      ...{ publicUrl: 'http://127.0.0.1', publicHost: '127.0.0.1', assetsFolder: join(fleet().dataDir, 'nobodys') },
      ...{ natsUrl: `nats://127.0.0.1:${nobody}`, redisUrl: `redis://127.0.0.1:${nobody}`, postgresPort: nobody },
      ...{ mailFolder: undefined, secret: (name) => name.padEnd(48, '.') },
    },
    { PATH: process.env['PATH'], PARLEY_GATEWAY_ASSETS_URLS: 'http://127.0.0.1:1' },
  )
  const ports = Object.fromEntries((service.portVariables ?? []).map((name) => [name, String(ownPort)]))
  const child = spawn(process.execPath, [service.main], {
    env: { ...env, ...ports, PARLEY_INTERNAL_PORT: String(internalPort) },
    stdio: 'ignore',
  })
  const readiness = async () => (await fetch(`http://127.0.0.1:${internalPort}/readyz`)).text()
  return { child, readiness }
}

test.each(services)('$name waits for what is away, says so, and ends when it is told to', async (service) => {
  const { child, readiness } = await alone(service)
  const ended = once(child, 'exit')
  try {
    await eventually(async () => expect(await readiness()).toContain('waiting for nats'))
    child.kill('SIGTERM')
    // Ended by force it would be 1.
    expect(await ended).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
  }
})

/** What a process wrote last. */
function lastWords({ name, pid }: { name: string; pid: number }): string {
  const { logs } = dataDirAt(fleet().dataDir)
  const files = readdirSync(logs).filter((file) => file.startsWith(name))
  const lines = files.flatMap((file) => readFileSync(join(logs, file), 'utf8').split('\n'))
  return lines.filter((line) => line.includes(`"pid":${pid},`)).join('\n')
}

afterEach(wholeAgain)

test('every service ends by itself while database and NATS have fallen silent', async () => {
  const asked = services.map(({ name }) => processOf(name, 0))
  {
    using _postgres = frozen(serverPid('postgres'))
    using _nats = frozen(serverPid('nats'))
    for (const { pid } of asked) process.kill(pid, 'SIGTERM')
    await eventually(
      () => {
        for (const one of asked) expect(lastWords(one)).toMatch(/has stopped|ended by force/)
      },
      { timeoutMs: 60_000 },
    )
  }
  expect(asked.filter((one) => lastWords(one).includes('ended by force')).map(({ name }) => name)).toEqual([])
})
