import { setTimeout as sleep } from 'node:timers/promises'
import { MessageService } from '@parley/contracts/api'
import type { Fleet } from '@parley/local'
import pg from 'pg'
import { atAllMembers, addCrowdMembers } from '../load/crowd.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { createRoom } from '../load/rooms.ts'
import { summarize, type Timing } from '../load/timing.ts'
import { writeRows } from '../load/write-rows.ts'
import type { Report } from '../report.ts'

const pauseMs = 20
const mentions = 100

/**
 * Measures a mention, and @all in a large room. The crowd must have been created.
 */
export async function measureNotifications(fleet: Fleet, http: HttpCaller, report: Report): Promise<void> {
  const quiet = await createRoom(http, 'bench-mentions')
  const large = await createRoom(http, 'bench-everyone')
  await addCrowdMembers(fleet, quiet, 1)
  await addCrowdMembers(fleet, large, atAllMembers)
  await writeRows(fleet.postgresUrl('parley_accounts'), [
    [`insert into handles (key, kind, owner_id) values ('user1', 'login', 'Ucrowd1')`, []],
  ])
  const database = new pg.Client({ connectionString: fleet.postgresUrl('parley_notifications') })
  await database.connect()
  try {
    const idle = await mention(http, database, quiet, async (n) => n < mentions)
    report.add('from a message to its notification p50', idle.p50, 'ms')
    report.add('from a message to its notification p99', idle.p99, 'ms')

    console.error(`mentioning ${atAllMembers} users in one message`)
    const { message } = await post(http, large, '@all hear this')
    const start = performance.now()
    const countNotified = async () => {
      const { rows } = await database.query<{ count: number }>(
        'select count(*)::integer as count from notifications where message_id = $1',
        [message?.id],
      )
      return rows[0]?.count ?? 0
    }
    let seconds = Number.NaN
    const busy = await mention(http, database, quiet, async () => {
      if (Number.isNaN(seconds) && (await countNotified()) >= atAllMembers) seconds = (performance.now() - start) / 1000
      return Number.isNaN(seconds) && performance.now() - start < 60_000
    })
    report.add(`@all until ${atAllMembers.toLocaleString('en')} are notified`, seconds, 's')
    report.add('from a message elsewhere to its notification meanwhile p50', busy.p50, 'ms', idle.p50)
    report.add('from a message elsewhere to its notification meanwhile p99', busy.p99, 'ms', idle.p99)
  } finally {
    await database.end()
  }
}

const post = (http: HttpCaller, roomId: string, body: string) =>
  http.call(MessageService.method.createMessage, { roomId, body })

/** Posts while `goOn` returns true. Measures the time from each response until the notification is in the database. */
async function mention(
  http: HttpCaller,
  database: pg.Client,
  roomId: string,
  goOn: (n: number) => Promise<boolean>,
): Promise<Timing> {
  const took: number[] = []
  const begin = performance.now()
  for (let n = 0; await goOn(n); n++) {
    const { message } = await post(http, roomId, 'hello @user1')
    const start = performance.now()
    while (!(await exists(database, message?.id ?? ''))) await sleep(1)
    took.push(performance.now() - start)
    await sleep(pauseMs)
  }
  return summarize(took, (performance.now() - begin) / 1000)
}

async function exists(database: pg.Client, messageId: string): Promise<boolean> {
  const found = await database.query('select from notifications where message_id = $1', [messageId])
  return (found.rowCount ?? 0) > 0
}
