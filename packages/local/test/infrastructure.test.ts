import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { freePort, identify, isPortFree, startNats, startPostgres, startRedis } from '@parley/local/infrastructure'
import { eventually } from './_eventually.ts'
import { temporaryDataFolder } from './_folder.ts'

jest.setTimeout(300_000)
const folder = temporaryDataFolder()
afterAll(() => folder[Symbol.dispose]())
const at = (name: string) => join(folder.path, name)

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

describe('PostgreSQL', () => {
  const dir = at('postgres')

  test('keeps its data over a restart, and requires its password', async () => {
    const first = await startPostgres({ dir, fsync: false })
    await query(first.adminUrl, 'create table kept as select 7 as value')
    await first.stop()
    expect(first.isRunning()).toBe(false)
    await using second = await startPostgres({ dir, fsync: false, port: first.port })
    expect(second.port).toBe(first.port)
    expect(await query(second.adminUrl, 'select * from kept')).toEqual([{ value: 7 }])
    expect(statSync(join(dir, 'password')).mode & 0o777).toBe(0o600)
    await expect(
      query(second.adminUrl.replace(/\/\/postgres:[^@]+@/, '//postgres:wrong@'), 'select 1'),
    ).rejects.toThrow(/password/)
  })

  test('can also be reached through a Unix socket, unless its path would be too long', async () => {
    await using server = await startPostgres({ dir, fsync: false })
    expect(decodeURIComponent(server.localHost)).toBe(realpathSync(dir))
    const url = server.adminUrl.replace('127.0.0.1', server.localHost)
    expect(await query(url, 'select inet_server_addr() as address')).toEqual([{ address: null }])
    await using deep = await startPostgres({ dir: at('x'.repeat(100)), fsync: false })
    expect(deep.localHost).toBe('127.0.0.1')
    expect(await query(deep.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('changes the case of non-ASCII letters on Linux, and uses UTC', async () => {
    await using server = await startPostgres({ dir, fsync: false })
    expect(await query(server.adminUrl, "select lower('ÄÖ') as low, current_setting('timezone') as zone")).toEqual([
      { low: process.platform === 'linux' ? 'äö' : 'ÄÖ', zone: 'UTC' },
    ])
  })

  test('starts although another process has the pid in its lock files', async () => {
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    writeFileSync(join(dir, 'data/postmaster.pid'), `${stranger.pid}\n${join(dir, 'data')}\n`)
    const port = await freePort()
    writeFileSync(join(dir, `.s.PGSQL.${port}.lock`), `${stranger.pid}\n`)
    await using server = await startPostgres({ dir, port, fsync: false })
    expect(await query(server.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
    stranger.kill()
  })

  test('does not start on a folder that a server in another container uses', async () => {
    await using server = await startPostgres({ dir, fsync: false })
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    const lockFile = join(dir, 'data/postmaster.pid')
    const before = readFileSync(lockFile, 'utf8')
    writeFileSync(lockFile, before.replace(/^\d+/, `${stranger.pid}`))
    const second = startPostgres({ dir, fsync: false, pidFile: at('second.pid'), logFile: at('second.log') })
    await expect(second).rejects.toThrow(/still runs on/)
    writeFileSync(lockFile, before)
    stranger.kill()
    expect(await query(server.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('starts over if an earlier start was killed before the folder was complete', async () => {
    const half = at('half')
    mkdirSync(join(half, 'data.new/base'), { recursive: true })
    await using server = await startPostgres({ dir: half, fsync: false })
    expect(await query(server.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('reports why it did not start', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    await expect(startPostgres({ dir, port, fsync: false })).rejects.toThrow(
      /PostgreSQL ended while it started:[^]*in use/,
    )
    taken.close()
  })
})

describe('Redis', () => {
  test('has its password in a private file, and frees its port when it is stopped', async () => {
    const dir = at(String.raw`redis "ö" \x`)
    const redis = await startRedis({ dir, password: 'letters' })
    expect(redis.url).toBe(`redis://:letters@127.0.0.1:${redis.port}`)
    expect(statSync(join(dir, 'redis.conf')).mode & 0o777).toBe(0o600)
    await redis.stop()
    expect(await isPortFree(redis.port)).toBe(true)
  })
})

describe('NATS', () => {
  test('reports what is wrong with its configuration', async () => {
    const conf = at('bad.conf')
    writeFileSync(conf, 'listen: [')
    await expect(startNats({ dir: at('bad-nats'), conf })).rejects.toThrow(
      /NATS ended while it started:[^]*Parse error/,
    )
  })
})

describe('a server whose parent was killed', () => {
  const script = fileURLToPath(new URL('./_redis-parent.ts', import.meta.url))
  const bundled = import.meta.resolve('@parley/tooling/run-bundled')
  const pidFile = at('orphan/server.pid')

  async function parent(): Promise<{ child: ChildProcess; pid: number }> {
    const child = spawn(process.execPath, ['--import', bundled, script, at('orphan')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    return { child, pid: Number(line.toString()) }
  }

  test('ends by itself on Linux, elsewhere at the next start', async () => {
    const { child, pid } = await parent()
    const server = identify(pid)
    expect(server).toBeDefined()
    child.kill('SIGKILL')
    await once(child, 'exit')
    if (process.platform === 'linux') await eventually(() => identify(pid)?.startedAt !== server?.startedAt)
    await using next = await startRedis({ dir: at('orphan') })
    expect(identify(pid)?.startedAt).not.toBe(server?.startedAt)
    expect(JSON.parse(readFileSync(pidFile, 'utf8'))).toMatchObject({ pid: next.pid })
  })

  test('has no pid file once the next server has stopped', () => {
    expect(existsSync(pidFile)).toBe(false)
    rmSync(at('orphan'), { recursive: true })
  })
})
