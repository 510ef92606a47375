import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from '@jest/globals'
import { AdminEventLogService } from '@parley/contracts/admin'
import { ViewerService } from '@parley/contracts/api'
import { dataDirAt, repositoryRoot } from '@parley/local'
import { eventually, freeze } from '@parley/testkit'
import { fleet, serverPid } from '../src/fleet.ts'
import { newPerson, operate, type Person, signIn } from '../src/people.ts'
import { waitUntilHealthy } from '../src/processes.ts'
import { Socket } from '@parley/testkit/realtime-socket'

afterEach(waitUntilHealthy)

const direct = (args: string[], input = '') => operate([...args, '--direct'], input)

test('the command `session end --id` ends one of several sessions in the running fleet', async () => {
  const bea = await newPerson('bea')
  const again = await signIn(bea)
  const { sessions } = (await operate(['session', 'list', '--login', bea.login])) as {
    sessions: { id: string; kind: string }[]
  }
  const endedId = sessions.find(({ kind }) => kind === 'bearer')?.id ?? ''
  expect(await operate(['session', 'end', '--login', bea.login, '--id', endedId])).toMatchObject({ ended: 1 })
  const statuses = await Promise.all(
    [bea, again].map(async (one) => (await one.attempt(ViewerService.method.getViewer, {})).status),
  )
  expect(statuses.toSorted()).toEqual([200, 401])
})

test('the effective configuration is shown with its sources and without secrets', async () => {
  const { services } = (await operate(['config'])) as {
    services: Record<string, { env: string; value: unknown; source: string; mistake?: string }[]>
  }
  expect(Object.keys(services)).toHaveLength(9)
  const accounts = new Map(services.accounts?.map((row) => [row.env, row]))
  expect(accounts.get('PARLEY_CORE_SECRET_KEY')).toMatchObject({ value: '***', source: 'this fleet' })
  expect(accounts.get('PARLEY_AUTH_TOKEN_TTL')).toMatchObject({ value: '90d', source: 'default' })
  const gateway = new Map(services.gateway?.map((row) => [row.env, row]))
  expect(gateway.get('PARLEY_CORE_SECRET_KEY_PREVIOUS')).toMatchObject({ value: null, source: 'not set' })
  const text = JSON.stringify(services)
  expect(text).not.toMatch(/postgres:\/\//)
  expect(text).not.toMatch(/redis:\/\/[^*]*:[^*]+@/)
})

test('without the bus, --direct works, and the fleet applies the changes later', async () => {
  const ada = await newPerson('ada')
  const other = await signIn(ada)
  const socket = await Socket.subscribe(fleet().realtimeNodes[0], ada.token)
  const login = `direct-${randomBytes(4).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  {
    using _bus = freeze(serverPid('nats'))
    expect(await direct(['owner', 'create', '--login', login, '--password-stdin'], password)).toMatchObject({
      login,
      roleNames: ['owner'],
    })
    await expect(direct(['owner', 'create', '--login', login, '--password-stdin'], password)).rejects.toThrow(/taken/)
    const { sessions } = await direct(['session', 'list', '--login', ada.login])
    expect(sessions).toHaveLength(4)
    expect(await direct(['session', 'end', '--login', ada.login, '--all'])).toMatchObject({ ended: 4 })
    expect(await direct(['session', 'list', '--login', ada.login])).toMatchObject({ sessions: [] })
    await direct(['user', 'reset-password', '--login', ada.login, '--password-stdin'], `${password} new`)
  }
  await socket.waitUntilClosed()
  for (const session of [ada, other]) {
    await eventually(async () => {
      const { status } = await session.attempt(ViewerService.method.getViewer, {})
      expect(status).toBe(401)
    })
  }
  await signIn({ login: ada.login, password: `${password} new` })
  const owner = await signIn({ login, password })
  const viewer = await owner.call(ViewerService.method.getViewer, {})
  expect(viewer.viewerPermissions?.permissions.every(({ granted }) => granted)).toBe(true)
  await eventually(async () => {
    expect(await auditedOf(owner, owner.userId)).toEqual(
      expect.arrayContaining(['UserAccountCreatedEvent', 'UserRolesChangedEvent', 'RbacRoleAssignedEvent']),
    )
    expect(await auditedOf(owner, ada.userId)).toEqual(
      expect.arrayContaining(['UserCredentialsEndedEvent', 'UserPasswordHashChangedEvent']),
    )
  })
})

test('the command succeeds if the reader of its output stops early', async () => {
  const child = spawn(process.execPath, [join(repositoryRoot(), 'packages/cli/dist/main.js'), 'config'], {
    env: { ...process.env, PARLEY_DATA_DIR: fleet().dataDir },
    stdio: 'pipe',
  })
  child.stdout.destroy()
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  expect([await text(child.stderr), await exited]).toEqual(['', 0])
})

test('only their owner can access the files in the data folder', () => {
  const { operatorFile, secretsFile, run, logs, mail, nats, redis, assets } = dataDirAt(fleet().dataDir)
  for (const file of [operatorFile, secretsFile]) expect(statSync(file).mode & 0o077).toBe(0)
  for (const folder of [run, logs, nats, redis, assets]) expect(statSync(folder).mode & 0o077).toBe(0)
  expect((statSync(mail, { throwIfNoEntry: false })?.mode ?? 0) & 0o077).toBe(0)
})

async function auditedOf(owner: Person, userId: string): Promise<string[]> {
  const { entries } = await owner.call(AdminEventLogService.method.listEvents, { limit: 200 })
  return entries.filter((one) => one.aggregateId === userId && one.actorId === '').map(({ eventType }) => eventType)
}
