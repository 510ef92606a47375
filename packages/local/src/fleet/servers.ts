import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { busUsers } from '@parley/contracts/deployables'
import {
  type Child,
  moveStreamToItsAccount,
  installMissing,
  type Nats,
  type Postgres,
  type Redis,
  startNats,
  startPostgres,
  startRedis,
} from '../infrastructure/index.ts'
import { repositoryRoot } from '../repository.ts'
import { Backoff } from './backoff.ts'
import type { DataDir } from './data-dir.ts'
import { RememberedPorts } from './remembered-ports.ts'
import type { Secrets } from './secrets.ts'
import { natsPasswordVariable } from './service-env.ts'

export type Servers = {
  postgres: Postgres
  nats: Nats
  redis: Redis
  /** Ends PostgreSQL, NATS and Redis, in this order. */
  stop(): Promise<void>
}

export type ServersOptions = {
  dir: DataDir
  secrets: Secrets
  /** False: a crash of the machine may corrupt the database; for tests. */
  fsync: boolean
  say: (line: string) => void
  signal: AbortSignal
}

export async function startServers(options: ServersOptions): Promise<Servers> {
  const { dir, secrets, say, signal } = options
  await installMissing(['nats-server', 'redis-server'], say, signal)
  const ports = new RememberedPorts(dir.portsFile)
  const files = (name: string) => filesOf(dir, name, say)
  const conf = join(repositoryRoot(), 'deploy/nats/parley.conf')
  const env = Object.fromEntries(busUsers.map((user) => [natsPasswordVariable(user), secrets.get(`nats.${user}`)]))
  const password = secrets.get('redis')
  const port = { postgres: await ports.get('postgres'), nats: await ports.get('nats'), redis: await ports.get('redis') }
  const postgres = () =>
    startPostgres({ dir: dir.postgres, port: port.postgres, fsync: options.fsync, ...files('postgres') })
  if (moveStreamToItsAccount(join(dir.nats, 'store'))) say('moved the event stream into its own NATS account')
  const nats = () => startNats({ dir: dir.nats, port: port.nats, conf, env, ...files('nats') })
  const redis = () => startRedis({ dir: dir.redis, port: port.redis, password, ...files('redis') })

  const starting = [
    startAndRestart('PostgreSQL', postgres, say),
    startAndRestart('NATS', nats, say),
    startAndRestart('Redis', redis, say),
  ] as const
  const started = await Promise.allSettled(starting)
  const stop = async () => {
    for (const one of await Promise.allSettled(starting)) if (one.status === 'fulfilled') await one.value.stop()
  }
  const failure = started.find((one) => one.status === 'rejected')
  if (failure !== undefined) {
    await stop()
    throw failure.reason
  }
  const [p, n, r] = await Promise.all(starting)
  return { postgres: p.first, nats: n.first, redis: r.first, stop }
}

export function filesOf(dir: DataDir, name: string, say: (line: string) => void) {
  return { logFile: join(dir.logs, `${name}.log`), pidFile: join(dir.run, `${name}.pid`), say }
}

/** Restarts the server at the same address whenever it ends, until `stop` is called. */
export async function startAndRestart<T extends Child>(
  name: string,
  start: () => Promise<T>,
  say: (line: string) => void,
) {
  const first = await start()
  const backoff = new Backoff()
  let current: Child = first
  let isStopped = false
  const pause = new AbortController()
  const restartUntilStopped = async () => {
    for (;;) {
      const startedAt = Date.now()
      const { code, signal } = await current.exited
      if (isStopped) return
      const delayMs = backoff.nextDelayMs(Date.now() - startedAt)
      say(`${name} (process ${current.pid}) ended (${signal ?? code}); restarting it in ${delayMs / 1000} s`)
      await sleep(delayMs, undefined, { signal: pause.signal }).catch(() => undefined)
      if (isStopped) return
      current = await start().catch((error: unknown) => {
        say(error instanceof Error ? error.message : String(error))
        return current
      })
    }
  }
  const ended = restartUntilStopped()
  const stop = async () => {
    isStopped = true
    pause.abort()
    await current.stop()
    await ended
    await current.stop()
  }
  return { first, stop }
}
