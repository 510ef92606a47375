import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import {
  AccountsParkedEventsService,
  AdminParkedEventsService,
  CallsParkedEventsService,
  MessagingParkedEventsService,
  NotificationsParkedEventsService,
  RoomsParkedEventsService,
  UploadsParkedEventsService,
} from '@parley/contracts/internal'
import type { ServiceRoutes } from '@parley/rpc'
import { useFakeServices } from './_fake-services.ts'
import { runParley } from './_parley.ts'

const services = {
  accounts: AccountsParkedEventsService,
  admin: AdminParkedEventsService,
  calls: CallsParkedEventsService,
  messaging: MessagingParkedEventsService,
  notifications: NotificationsParkedEventsService,
  rooms: RoomsParkedEventsService,
  uploads: UploadsParkedEventsService,
} as const
type Name = keyof typeof services
const names = Object.keys(services) as Name[]
const requests: unknown[] = []
const parked: Partial<Record<Name, number>> = {}

const fakeOf = (name: Name) => (router: ServiceRoutes) => {
  router.service(services[name], {
    listParkedEvents({ after, limit }) {
      const ids = Array.from({ length: parked[name] ?? 0 }, (_, n) => `E${String(n).padStart(4, '0')}`)
      const page = ids.filter((id) => id > (after?.eventId ?? '')).slice(0, limit)
      return { events: page.map((eventId) => entry(`${name}-posted`, eventId)) }
    },
    replayParkedEvents({ consumer, eventIds }) {
      requests.push({ name, consumer, eventIds })
      return { requested: name === 'uploads' ? 1 : 0 }
    },
  })
}
const { dataDir, nats } = useFakeServices(Object.fromEntries(names.map((name) => [name, fakeOf(name)])))

const entry = (consumer: string, eventId: string) => ({
  ...{ key: { consumer, eventId }, subject: 'evt.room.R1.message_posted', attempts: 10, lastError: 'Error: no' },
  ...{ parkedAt: timestampFromDate(new Date(0)) },
})

const parley = (...args: string[]) => runParley(args, { dir: dataDir })

test('reports that no event is parked', async () => {
  expect(await parley('events', 'parked')).toMatchObject({ code: 0, out: 'no events are parked\n' })
})

test('all parked events of every service are listed', async () => {
  Object.assign(parked, { rooms: 1, uploads: 501 })
  const { code, out } = await parley('events', 'parked', '--json')
  expect(code).toBe(0)
  const { events } = JSON.parse(out) as { events: { service: string; id: string }[] }
  expect(events).toHaveLength(502)
  expect(events[0]).toEqual({
    ...{ service: 'rooms', consumer: 'rooms-posted', id: 'E0000', subject: 'evt.room.R1.message_posted' },
    ...{ attempts: 10, reason: 'Error: no', parkedAt: '1970-01-01T00:00:00.000Z' },
    replayRequested: false,
  })
  expect(new Set(events.map(({ service, id }) => service + id)).size).toBe(502)
  expect((await parley('events', 'parked')).out).toContain(
    'rooms  rooms-posted  E0000  evt.room.R1.message_posted  since 1970-01-01T00:00:00.000Z  10 attempts\n  Error: no\n',
  )
})

test('a command that uses another bus user than operator fails and says so', async () => {
  const dir = join(dataDir, 'other')
  mkdirSync(join(dir, 'run'), { recursive: true })
  const access = { natsUrl: nats().url, natsUser: 'accounts', natsPassword: 'password-of-accounts' }
  writeFileSync(join(dir, 'run/operator.json'), JSON.stringify(access))
  for (const args of [
    ['events', 'parked'],
    ['session', 'list', '--login', 'alice'],
  ])
    expect(await runParley(args, { dir })).toMatchObject({
      code: 2,
      err: expect.stringContaining('needs the bus user operator, not accounts'),
    })
})

test('replays the chosen events, and all events only with --all', async () => {
  requests.length = 0
  const { code, out } = await parley('events', 'replay', '--consumer', 'uploads-posted', '--id', 'E1', 'E2')
  expect([code, out]).toEqual([0, expect.stringContaining('retrying 1 event')])
  expect(requests).toHaveLength(7)
  expect(requests).toContainEqual({ name: 'uploads', consumer: 'uploads-posted', eventIds: ['E1', 'E2'] })
  requests.length = 0
  expect((await parley('events', 'replay')).code).toBe(2)
  expect((await parley('events', 'replay', '--all', '--id', 'E1')).code).toBe(2)
  expect(requests).toEqual([])
  expect((await parley('events', 'replay', '--all', '--json')).out).toBe('{"requested":1}\n')
})
