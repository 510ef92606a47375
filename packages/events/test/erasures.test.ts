import { expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import { RoomService } from '@parley/contracts/api'
import type { Bus } from '@parley/rpc'
import { eventually } from '@parley/tooling/eventually'
import {
  countOnStream,
  enqueue,
  removeFromStream,
  refuseErased,
  startErasures,
  startRelay,
  type ErasureOptions,
  type ErasureReport,
} from '../src/index.ts'
import { newBus, newDatabase, withStream, type TestServer } from './_servers.ts'

type TestDatabase = Awaited<ReturnType<typeof newDatabase>>

let server: TestServer
let bus: Bus
withStream((stream) => ({ server, bus } = stream))

async function requestPass(database: TestDatabase, userId: string, pass: number): Promise<void> {
  const kind = 'erasure_requested'
  const about = { aggregateType: 'user', aggregateId: userId, version: BigInt(pass), occurredAt: new Date() } as const
  await database.db.transaction((tx) =>
    enqueue(tx, { ...about, kind, actorId: '', fact: { case: 'erasureRequested', value: { pass } } }),
  )
}

/** `left`: the data not yet erased, one user id per row. Reports caused by requests of other tests are ignored. */
function startEraser(
  database: TestDatabase,
  userId: string,
  options: Partial<Pick<ErasureOptions, 'erase' | 'report'>> & { left: string[] },
) {
  const reports: ErasureReport[] = []
  const erase = async (owner: string) => {
    const mine = options.left.filter((one) => one === owner).length
    options.left.splice(0, options.left.length, ...options.left.filter((one) => one !== owner))
    return mine
  }
  const storeReport = options.report ?? (async (report) => void reports.push(report))
  const started = startErasures({
    ...database,
    bus,
    service: userId,
    // Too long to elapse: passes run only when announced.
    pollMs: 3_600_000,
    erase: options.erase ?? erase,
    report: async (report, signal) => (report.userId === userId ? await storeReport(report, signal) : undefined),
  })
  return { reports, started }
}

test('each requested pass erases the data of the account and reports how much it found', async () => {
  await using database = await newDatabase()
  await using _relay = await startRelay({ ...database, bus, service: 'passes' })
  const left = ['Upasses', 'Upasses', 'Utwo']
  const { reports, started } = startEraser(database, 'Upasses', { left })
  await using _erasures = await started
  await requestPass(database, 'Upasses', 1)
  await eventually(() => expect(reports).toEqual([{ userId: 'Upasses', pass: 1, found: 2n }]))
  await requestPass(database, 'Upasses', 2)
  await eventually(() => expect(reports[1]).toEqual({ userId: 'Upasses', pass: 2, found: 0n }))
  expect(left).toEqual(['Utwo'])
  await requestPass(database, 'Upasses', 2)
  await eventually(() => expect(reports[2]).toEqual({ userId: 'Upasses', pass: 2, found: 0n }))
})

test('a report that failed is sent again and still counts what its pass found', async () => {
  await using database = await newDatabase()
  await using _relay = await startRelay({ ...database, bus, service: 'failing' })
  const left = ['Ufailing']
  let tries = 0
  const stored: ErasureReport[] = []
  const { started } = startEraser(database, 'Ufailing', {
    left,
    report: async (report) => {
      if (++tries < 3) throw new ConnectError('unavailable', Code.Unavailable)
      stored.push(report)
    },
  })
  await using _erasures = await started
  await requestPass(database, 'Ufailing', 1)
  await eventually(() => expect(stored).toEqual([{ userId: 'Ufailing', pass: 1, found: 1n }]))
})

test('a process that starts later finishes a pass that a stopped process began', async () => {
  await using database = await newDatabase()
  await using _relay = await startRelay({ ...database, bus, service: 'crashing' })
  const hang = (_: string, signal: AbortSignal) =>
    new Promise<number>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))))
  const first = startEraser(database, 'Ucrashing', { left: [], erase: hang })
  const crashed = await first.started
  await requestPass(database, 'Ucrashing', 1)
  await eventually(async () => {
    const { rows } = await database.pool.query("select from erasures where user_id = 'Ucrashing'")
    expect(rows).toHaveLength(1)
  })
  await crashed[Symbol.asyncDispose]()
  expect(first.reports).toEqual([])
  const second = startEraser(database, 'Ucrashing', { left: ['Ucrashing'] })
  await using _erasures = await second.started
  await eventually(() => expect(second.reports).toEqual([{ userId: 'Ucrashing', pass: 1, found: 1n }]))
})

test('failing passes do not block others', async () => {
  await using database = await newDatabase()
  await using _relay = await startRelay({ ...database, bus, service: 'starving' })
  await database.pool.query(`
    insert into erasures (user_id, pass, requested_at)
    select 'Ustuck' || n, 1, now() - interval '1 hour' from generate_series(1, 70) n`)
  const tried = new Set<string>()
  const erase = async (userId: string) => {
    tried.add(userId)
    if (userId.startsWith('Ustuck')) throw new Error('cannot be erased')
    return 0
  }
  const { reports, started } = startEraser(database, 'Ulater', { left: [], erase })
  await using _erasures = await started
  await requestPass(database, 'Ulater', 1)
  await eventually(() => expect(reports).toEqual([{ userId: 'Ulater', pass: 1, found: 0n }]))
  await eventually(() => expect([...tried].filter((userId) => userId.startsWith('Ustuck'))).toHaveLength(70))
})

test('parked events about the account are deleted, except erasure requests', async () => {
  await using database = await newDatabase()
  const insert = `insert into parked_events (consumer, event_id, subject, payload, attempts, last_error)
    values ('x', $1, $2, '', 10, 'why')`
  await database.pool.query(insert, ['E1', 'evt.user.Uparked.user_profile_updated'])
  await database.pool.query(insert, ['E2', 'evt.user.Uparked.erasure_requested'])
  await database.pool.query(insert, ['E3', 'evt.user.Uother.user_profile_updated'])
  await database.pool.query(insert, ['E4', 'evt.notification.Uparked.people_called'])
  await database.pool.query(insert, ['E5', 'evt.notification.Uother.people_called'])
  await using _relay = await startRelay({ ...database, bus, service: 'parked' })
  const { reports, started } = startEraser(database, 'Uparked', { left: [] })
  await using _erasures = await started
  await requestPass(database, 'Uparked', 1)
  await eventually(() => expect(reports).toEqual([{ userId: 'Uparked', pass: 1, found: 2n }]))
  const { rows } = await database.pool.query('select event_id from parked_events order by event_id')
  expect(rows).toEqual([{ event_id: 'E2' }, { event_id: 'E3' }, { event_id: 'E5' }])
})

test('a user who is being erased may call reads and methods that check erasures themselves, but no others', async () => {
  await using database = await newDatabase()
  await database.pool.query(`insert into erasures (user_id, pass) values ('Uone', 1)`)
  const guard = refuseErased(database.db, new Set(['LeaveRoom']))
  const { createRoom, listMembers, leaveRoom } = RoomService.method
  await expect(guard({ method: createRoom, userId: 'Uone' })).rejects.toMatchObject({ code: Code.Unauthenticated })
  await guard({ method: createRoom, userId: 'Uother' })
  expect(guard({ method: listMembers, userId: 'Uone' })).toBeUndefined()
  expect(guard({ method: leaveRoom, userId: 'Uone' })).toBeUndefined()
})

test('accounts can count the events of a subject and remove only them; another service cannot remove them', async () => {
  await using accounts = await newBus(server, 'accounts')
  for (let version = 1; version < 12; version++)
    await bus.nc.jetstream().publish(`evt.user.gone.user_${version % 2 ? 'updated' : 'archived'}`, String(version))
  await bus.nc.jetstream().publish('evt.notification.gone.people_called', 'with a name')
  expect(await countOnStream(accounts, ['evt.notification.gone.people_called'])).toBe(1)
  const subjects = ['evt.user.gone.user_updated', 'evt.user.gone.user_archived', 'evt.user.never.user_updated']
  const { signal } = new AbortController()
  expect(await countOnStream(accounts, subjects)).toBe(11)
  await expect(removeFromStream(bus, subjects, signal)).rejects.toThrow('only accounts may erase events')
  await removeFromStream(accounts, ['evt.user.gone.user_updated'], signal)
  expect(await countOnStream(accounts, subjects)).toBe(5)
  await removeFromStream(accounts, ['evt.user.gone.user_archived'], signal)
  expect(await countOnStream(accounts, subjects)).toBe(0)
})

test.each([
  'evt.room.R1.message_posted',
  'evt.notification.*.people_called',
  'evt.user.>',
  'evt.user.*.user_updated',
  'evt.control.user.U1.roles_changed',
])('removing the events of the subject %s is refused', async (subject) => {
  await using accounts = await newBus(server, 'accounts')
  const removing = removeFromStream(accounts, [subject], new AbortController().signal)
  await expect(removing).rejects.toThrow(/subjects of a user's events/)
})
