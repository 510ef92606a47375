import { spawnSync } from 'node:child_process'
import { on } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { repositoryRoot } from '@parley/local'
import { deriveServiceEnvironment } from '@parley/local/known'
import { isAlive, identify, type ProcessIdentity } from '@parley/local/infrastructure'
import { eventually } from './_eventually.ts'
import { temporaryDataFolder, temporaryFolder } from './_folder.ts'
import { startSupervisor, type Supervised } from './_supervised.ts'

jest.setTimeout(300_000)

const folder = temporaryFolder()
const data = temporaryDataFolder()
const dataDir = join(data.path, 'data')
afterAll(() => {
  data[Symbol.dispose]()
  folder[Symbol.dispose]()
})

function processes(): ProcessIdentity[] {
  const run = join(dataDir, 'run')
  return readdirSync(run)
    .filter((file) => file.endsWith('.pid') && file !== 'supervisor.pid')
    .map((file) => JSON.parse(readFileSync(join(run, file), 'utf8')) as ProcessIdentity)
}

const pidOf = (fleet: Supervised, name: string) =>
  fleet.state().services.find((service) => service.name === name)?.pid ?? 0

const isRunning = (pid: number) => identify(pid) !== undefined

async function environmentOf(fleet: Supervised, name: string): Promise<NodeJS.ProcessEnv> {
  const url = fleet.state().services.find((service) => service.name === name)?.url ?? ''
  return (await (await fetch(url)).json()) as NodeJS.ProcessEnv
}

describe('a fleet that runs', () => {
  let fleet: Supervised
  const openedFile = join(folder.path, 'opened')
  beforeAll(async () => {
    writeFileSync(join(folder.path, 'xdg-open'), `#!/bin/sh\necho "$1" > ${openedFile}\n`, { mode: 0o755 })
    const PATH = `${folder.path}:${process.env['PATH']}`
    const env = { PARLEY_OWNER_LOGIN: 'first', PARLEY_MESSAGING_EDIT_WINDOW: '1h', PATH }
    fleet = startSupervisor(dataDir, env, ['--open'])
    await fleet.waitUntilReady()
    await eventually(() => fleet.output().includes('parley is ready'))
  })
  afterAll(async () => {
    await fleet[Symbol.asyncDispose]()
  })

  test('prints the owner, and the URL of the fleet as the last line', () => {
    const { url } = fleet.state()
    expect(fleet.output().trimEnd().split('\n').slice(-2)).toEqual([
      expect.stringMatching(/^owner: login first, password \w{24}$/),
      `parley is ready: ${url}`,
    ])
  })

  const onLinux = process.platform === 'linux' ? test : test.skip
  const why = process.platform === 'linux' ? '' : ' (skipped: opening a browser is tested only on Linux)'
  onLinux(`is opened in a browser on request${why}`, async () => {
    await eventually(async () => expect(readFileSync(openedFile, 'utf8').trim()).toBe(fleet.state().url))
  })

  test.each([
    ['1', / --open$/],
    ['', /main\.js$/],
  ])('make run passes --open if OPEN is set, here to "%s"', (OPEN, command) => {
    const { stdout } = spawnSync('make', ['--no-print-directory', '-n', 'run'], {
      ...{ cwd: repositoryRoot(), encoding: 'utf8' },
      env: { ...process.env, OPEN },
    })
    expect(stdout.trimEnd()).toMatch(command)
  })

  test('lists each process in the ready file', () => {
    const { ownerLogin, services } = fleet.state()
    expect(ownerLogin).toBe('first')
    expect(services.map(({ name }) => name).sort()).toEqual(['accounts', 'gateway', 'realtime'])
    for (const { pid, internalPort, url } of services) {
      expect(identify(pid)).toBeDefined()
      expect(internalPort).toBeGreaterThan(0)
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    }
  })

  test('gives commands the settings of the fleet instead of those in their own environment', () => {
    const known = deriveServiceEnvironment(dataDir, 'gateway', {
      PARLEY_PORT: '4000',
      PARLEY_MESSAGING_EDIT_WINDOW: '2h',
    })
    expect(known).toMatchObject({ PARLEY_WEBSERVER_URL: fleet.state().url, PARLEY_MESSAGING_EDIT_WINDOW: '1h' })
    expect(deriveServiceEnvironment(dataDir, 'gateway', { PARLEY_SEARCH: 'x' })).not.toHaveProperty('PARLEY_SEARCH')
    expect(readFileSync(join(dataDir, 'run/given.json'), 'utf8')).not.toContain('PARLEY_OWNER_PASSWORD')
  })

  test('shows mails at a URL with a secret part', async () => {
    const { mailUrl = '' } = fleet.state()
    expect(fleet.output()).toContain(`mails: ${mailUrl}`)
    expect((await environmentOf(fleet, 'accounts')).PARLEY_MAIL_DIR).toBe(join(dataDir, 'mail'))
    expect(await (await fetch(mailUrl)).text()).toContain('There is no mail yet')
    expect((await fetch(new URL('/', mailUrl))).status).toBe(404)
  })

  test('lets only the owner of the files read secrets', () => {
    const ofFleet = ['secrets.json', 'run/operator.json', 'run/given.json'].map((file) => join(dataDir, file))
    for (const file of [...ofFleet, fleet.readyFile]) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(join(dataDir, 'run/operator.json'), 'utf8'))).toEqual({
      natsUrl: expect.stringMatching(/^nats:/),
      natsUser: 'operator',
      natsPassword: expect.any(String),
    })
  })

  test('gives each service its own credentials and the settings of the operator', async () => {
    const env = await environmentOf(fleet, 'accounts')
    expect(env).toMatchObject({ PARLEY_NATS_USER: 'accounts', PARLEY_MESSAGING_EDIT_WINDOW: '1h' })
    expect(env.PARLEY_ACCOUNTS_DATABASE_URL).toContain('/parley_accounts')
    expect(env).not.toHaveProperty('PARLEY_OWNER_LOGIN')
    expect(await environmentOf(fleet, 'realtime')).not.toHaveProperty('PARLEY_ACCOUNTS_DATABASE_URL')
  })

  test('gives the gateway the address of the realtime node', async () => {
    const realtime = fleet.state().services.find(({ name }) => name === 'realtime')
    expect((await environmentOf(fleet, 'gateway')).PARLEY_GATEWAY_REALTIME_URLS).toBe(realtime?.url)
  })

  test('gives a service a migrated database and a role that is no superuser', async () => {
    const url = new URL((await environmentOf(fleet, 'accounts')).PARLEY_ACCOUNTS_DATABASE_URL ?? '')
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    expect((await client.query('select * from migrated')).rowCount).toBeGreaterThan(0)
    expect((await client.query<{ is_superuser: string }>('show is_superuser')).rows[0]?.is_superuser).toBe('off')
    await client.end()
  })

  test('a killed process is reported and restarted at the same address', async () => {
    const before = fleet.state().services.find(({ name }) => name === 'realtime')
    process.kill(pidOf(fleet, 'realtime'), 'SIGKILL')
    const after = await eventually(() => {
      const found = fleet.state().services.find(({ name }) => name === 'realtime')
      return found !== undefined && found.pid !== before?.pid && found
    })
    expect(after.url).toBe(before?.url)
    await eventually(() => /realtime \(process \d+\) was killed by SIGKILL; restarting it in/.test(fleet.output()))
    await eventually(() => fleet.output().includes('realtime is running again'))
  })

  test('starts and ends processes of a service when the parent of the supervisor requests it', async () => {
    const nodes = () => fleet.state().services.filter(({ name }) => name === 'realtime')
    const scaleTo = async (count: number) => {
      const request = { scale: { name: 'realtime', count } }
      fleet.process.send(request)
      for await (const [message] of on(fleet.process, 'message') as AsyncIterable<[{ scaled?: object }]>)
        if (message.scaled) return expect(message.scaled).toEqual(request.scale)
    }
    const [first] = nodes()
    await scaleTo(3)
    const three = nodes()
    expect(three[0]).toEqual(first)
    expect(new Set(three.map(({ url }) => url)).size).toBe(3)
    await scaleTo(1)
    expect(nodes()).toEqual([first])
    expect(three.map(({ pid }) => isRunning(pid))).toEqual([true, false, false])
    await scaleTo(2)
    expect(nodes()).toHaveLength(2)
    await scaleTo(1)
  })

  test('a second supervisor on the same data reports the first and ends', async () => {
    const second = startSupervisor(dataDir)
    expect(await second.waitForExit()).toBe(1)
    expect(second.output()).toContain(`another Parley runs on ${dataDir} (process ${fleet.process.pid})`)
    expect(fleet.state().services).toHaveLength(3)
  })

  const inContainer = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
  const canUnshare = spawnSync('unshare', [...inContainer.slice(1), 'true']).status === 0
  const asRoot = canUnshare ? test : test.skip
  asRoot(
    `a second supervisor in another container also reports the first and ends${canUnshare ? '' : ' (skipped: unshare is not allowed here)'}`,
    async () => {
      await using second = startSupervisor(dataDir, {}, [], inContainer)
      await eventually(() => second.output() !== '')
      expect(second.output()).toContain(`another Parley runs on ${dataDir} (in another container`)
      expect(await second.waitForExit()).toBe(1)
      expect(fleet.state().services).toHaveLength(3)
    },
  )

  test('ends every process on SIGTERM, and removes the files of the run', async () => {
    const all = processes()
    expect(all.length).toBe(6)
    fleet.process.kill('SIGTERM')
    expect(await fleet.waitForExit()).toBe(0)
    expect(all.filter(isAlive)).toEqual([])
    expect(existsSync(fleet.readyFile)).toBe(false)
    expect(existsSync(join(dataDir, 'run/operator.json'))).toBe(false)
    expect(existsSync(join(dataDir, 'run/given.json'))).toBe(false)
  })
})

describe('with the data of an earlier run', () => {
  test('a start finds the data, and shows no password if there is an owner already', async () => {
    await using fleet = startSupervisor(dataDir)
    await fleet.waitUntilReady()
    const url = (await environmentOf(fleet, 'accounts')).PARLEY_ACCOUNTS_DATABASE_URL
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    expect((await client.query('select * from migrated')).rowCount).toBe(2)
    await client.end()
    await eventually(() => fleet.output().includes('parley is ready'))
    expect(fleet.output()).not.toContain('password')
    await eventually(() => fleet.output().endsWith('OPEN=1 make run also opens it in a browser\n'))
  })

  test('a start works after kill -9 of the supervisor', async () => {
    const killed = startSupervisor(dataDir)
    await killed.waitUntilReady()
    const orphans = processes()
    killed.process.kill('SIGKILL')
    await killed.waitForExit()
    const known = deriveServiceEnvironment(dataDir, 'gateway', { PARLEY_PORT: '4000' })
    expect(known).toMatchObject({ PARLEY_WEBSERVER_URL: 'http://127.0.0.1:4000' })
    await using next = startSupervisor(dataDir)
    await next.waitUntilReady()
    expect(orphans.filter(isAlive)).toEqual([])
    expect(next.state().services).toHaveLength(3)
  })

  test('the services of a killed supervisor end by themselves', async () => {
    const killed = startSupervisor(dataDir)
    const { services } = await killed.waitUntilReady()
    killed.process.kill('SIGKILL')
    await eventually(() => services.every(({ pid }) => identify(pid) === undefined))
  })

  test('the next start removes the environment of a killed supervisor, even if that start fails', async () => {
    const killed = startSupervisor(dataDir)
    await killed.waitUntilReady()
    killed.process.kill('SIGKILL')
    await killed.waitForExit()
    expect(existsSync(join(dataDir, 'run/given.json'))).toBe(true)
    const next = startSupervisor(dataDir, { PARLEY_PORT: '8080', PARLEY_WEBSERVER_HOST: '192.0.2.1' })
    expect(await next.waitForExit()).toBe(1)
    expect(existsSync(join(dataDir, 'run/given.json'))).toBe(false)
  })
})

const onLinux = process.platform === 'linux' ? test : test.skip
const whyLinux = process.platform === 'linux' ? '' : ' (skipped: only Linux has /dev/full)'

onLinux(
  `while a log cannot be written because the disk is full, processes that end are restarted${whyLinux}`,
  async () => {
    const log = join(dataDir, 'logs/realtime.log')
    rmSync(log, { force: true })
    symlinkSync('/dev/full', log)
    await using fleet = startSupervisor(dataDir)
    await fleet.waitUntilReady()
    process.kill(pidOf(fleet, 'realtime'), 'SIGKILL')
    await eventually(() => fleet.output().includes('realtime is running again'))
    rmSync(log)
  },
)

test('the proxy that the environment sets is not used for local addresses', async () => {
  await using fleet = startSupervisor(dataDir, {
    NODE_USE_ENV_PROXY: '1',
    http_proxy: 'http://127.0.0.1:9',
    no_proxy: '',
  })
  await fleet.waitUntilReady()
})

test('closing the terminal ends the fleet, unless it is configured to keep running', async () => {
  const ended = startSupervisor(dataDir)
  await ended.waitUntilReady()
  ended.process.kill('SIGHUP')
  expect(await ended.waitForExit()).toBe(0)

  await using kept = startSupervisor(dataDir, { PARLEY_LOCAL_HANGUP: 'ignore' })
  await kept.waitUntilReady()
  kept.process.kill('SIGHUP')
  process.kill(pidOf(kept, 'realtime'), 'SIGKILL')
  await eventually(() => kept.output().includes('realtime is running again'))
  expect(kept.output()).not.toContain('stopping')
})

describe('a start that cannot succeed', () => {
  test('reports a port that is in use', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const fleet = startSupervisor(dataDir, { PARLEY_PORT: port })
    expect(await fleet.waitForExit()).toBe(1)
    expect(fleet.output()).toContain(`port ${port} on 127.0.0.1 is in use`)
    taken.close()
  })

  test('reports an address that this machine does not have', async () => {
    const fleet = startSupervisor(dataDir, { PARLEY_PORT: '8080', PARLEY_WEBSERVER_HOST: '192.0.2.1' })
    expect(await fleet.waitForExit()).toBe(1)
    expect(fleet.output()).toContain(
      '192.0.2.1 is not an address of this machine (EADDRNOTAVAIL); set PARLEY_WEBSERVER_HOST',
    )
  })

  test('reports a data folder that is not writable', async () => {
    const file = join(folder.path, 'file')
    writeFileSync(file, '')
    const fleet = startSupervisor(join(file, 'data'))
    expect(await fleet.waitForExit()).toBe(1)
    expect(fleet.output()).toMatch(/ENOTDIR.*\nparley: PARLEY_DATA_DIR must be a folder/)
  })

  test('shows why a service rejected its configuration, and stops what was started', async () => {
    const fleet = startSupervisor(dataDir, { PARLEY_FAKE_SETTING: 'many' })
    expect(await fleet.waitForExit()).toBe(1)
    expect(fleet.output()).toContain('rejected its configuration')
    expect(fleet.output()).toContain('PARLEY_FAKE_SETTING')
    expect(processes()).toEqual([])
  })

  test('lists invalid settings of the supervisor itself', async () => {
    const fleet = startSupervisor(dataDir, { PARLEY_PORT: 'http', PARLEY_REPLICAS: '0' })
    expect(await fleet.waitForExit()).toBe(78)
    expect(fleet.output()).toMatch(/PARLEY_PORT[^]*PARLEY_REPLICAS/)
  })
})

test('PARLEY_REPLICAS sets the number of processes of every service', async () => {
  await using fleet = startSupervisor(dataDir, { PARLEY_REPLICAS: '2' })
  const { services } = await fleet.waitUntilReady()
  expect(services.map(({ name }) => name).sort()).toEqual([
    'accounts',
    'accounts',
    'gateway',
    'gateway',
    'realtime',
    'realtime',
  ])
  expect(new Set(services.map(({ url }) => url)).size).toBe(6)
  const nodes = services.filter(({ name }) => name === 'realtime').map(({ url }) => url)
  expect((await environmentOf(fleet, 'gateway')).PARLEY_GATEWAY_REALTIME_URLS?.split(',').sort()).toEqual(nodes.sort())
})

test('public address, secrets and mail server of parley.toml are used', async () => {
  const file = join(folder.path, 'parley.toml')
  writeFileSync(
    file,
    '[smtp]\nenabled = true\n[webserver]\nurl = "https://chat.example.org"\n[core]\nsecret_key = "0123456789abcdef0123456789abcdef"\n',
  )
  await using fleet = startSupervisor(dataDir, { PARLEY_CONFIG_FILE: file })
  expect(await fleet.waitUntilReady()).not.toHaveProperty('mailUrl')
  expect(fleet.output()).not.toContain('mails:')
  expect(await environmentOf(fleet, 'accounts')).not.toHaveProperty('PARLEY_MAIL_DIR')
  expect(await environmentOf(fleet, 'gateway')).toMatchObject({
    PARLEY_WEBSERVER_URL: 'https://chat.example.org',
    PARLEY_CORE_SECRET_KEY: '0123456789abcdef0123456789abcdef',
  })
})

test('--help lists the settings', async () => {
  const help = startSupervisor(dataDir, {}, ['--help'])
  expect(await help.waitForExit()).toBe(0)
  expect(help.output()).toContain('PARLEY_DATA_DIR')
})
