import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import { sql } from 'drizzle-orm'
import { openDatabase, type Database } from '@parley/postgres'
import { metricsText } from '@parley/telemetry'
import { eventually } from '@parley/tooling/eventually'
import { runJobs, type Job, type JobFailure, type JobRunnerOptions } from '../src/index.ts'
import { letters, newDatabase, queue } from './_letters.ts'

type Letter = Job<typeof letters>
let database: Database & { url: string }
beforeAll(async () => {
  database = await newDatabase()
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await database.db.execute(sql`truncate letters`)
})
afterEach(() => void jest.restoreAllMocks())

const write = async (...texts: string[]) => {
  await database.db.insert(letters).values(texts.map((text) => ({ text })))
  queue.announce(database.db)
}
const rows = () => database.db.select().from(letters).orderBy(letters.id)
/** Makes the first lease of each job expire now; later leases are unchanged. */
const expireFirstLease = () => database.db.execute(sql`update letters set due = now() where fence = 1`)

/** Starts a worker; collects the failures of its jobs. */
function work(
  run: (letter: Letter, signal: AbortSignal) => unknown,
  options: Partial<JobRunnerOptions<typeof letters>> = {},
) {
  const failed: (JobFailure & { text: string })[] = []
  const givenUp: (JobFailure & { text: string })[] = []
  const working = runJobs({
    ...{ name: 'letters', db: database.db, queue, everyMs: 50, signal: new AbortController().signal },
    retry: { initialMs: 1, maxMs: 10, maxAttempts: 4 },
    run: async (letter, signal) => (await run(letter, signal)) as object | 'ended' | undefined,
    onFailure: ({ text }, failure) => void failed.push({ text, ...failure }),
    giveUp: async ({ text }, failure) => void givenUp.push({ text, ...failure }),
    ...options,
  })
  return { failed, givenUp, [Symbol.asyncDispose]: () => working[Symbol.asyncDispose]() }
}

/** A `run` function that blocks until it is released or its signal is aborted. */
function blockingWork() {
  const started: string[] = []
  const aborted: string[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const run = ({ text }: Letter, signal: AbortSignal) => {
    started.push(text)
    const stopped = new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        aborted.push(text)
        reject(signal.reason as Error)
      }),
    )
    return Promise.race([released, stopped])
  }
  return { started, aborted, run, release: () => release() }
}

test('a job starts when its transaction commits, and is deleted when done', async () => {
  const done: string[] = []
  await using _ = work(({ text }) => done.push(text) && undefined, { everyMs: 3_600_000 })
  await write('first')
  await eventually(() => expect(done).toEqual(['first']))
  const rolledBack = database.db.transaction(async (tx) => {
    await tx.insert(letters).values({ text: 'never' })
    queue.announce(tx)
    throw new Error('rolled back')
  })
  await expect(rolledBack).rejects.toThrow('rolled back')
  await database.db.transaction(async (tx) => {
    await tx.insert(letters).values({ text: 'second' })
    queue.announce(tx)
  })
  await eventually(async () => expect(await rows()).toEqual([]))
  expect(done).toEqual(['first', 'second'])
})

test('a worker runs jobs in the order of the queue; of the workers of two processes, only one runs each job', async () => {
  await database.db.insert(letters).values(['a', 'b', 'c'].map((text) => ({ text, bulk: text === 'a' })))
  const order: string[] = []
  {
    await using _ = work(({ text }) => order.push(text) && undefined)
    await eventually(async () => expect(await rows()).toEqual([]))
  }
  expect(order).toEqual(['b', 'c', 'a'])
  await using other = await openDatabase({ url: database.url, pool: 10, name: 'other' })
  await database.db.insert(letters).values(Array.from({ length: 500 }, (_, n) => ({ text: String(n) })))
  const done: string[] = []
  let peak = 0
  const countingHandler = () => {
    let now = 0
    return async ({ text }: Letter) => {
      peak = Math.max(peak, ++now)
      done.push(text)
      await new Promise(setImmediate)
      now--
    }
  }
  await using _one = work(countingHandler(), { atOnce: 8 })
  await using _two = work(countingHandler(), { atOnce: 8, db: other.db })
  await eventually(async () => expect(await rows()).toEqual([]))
  expect(new Set(done).size).toBe(500)
  expect(done).toHaveLength(500)
  expect(peak).toBeGreaterThan(1)
  expect(peak).toBeLessThanOrEqual(8)
})

test('a failed job is retried, and given up with the error after the last attempt', async () => {
  const failure = new Error('no such address')
  await using worker = work(() => Promise.reject(failure))
  await write('lost')
  await eventually(async () => expect(await rows()).toEqual([]))
  expect(worker.failed.map(({ attempts }) => attempts)).toEqual([1, 2, 3])
  expect(worker.givenUp).toEqual([{ text: 'lost', error: failure, attempts: 4, isOutage: false }])
})

test('waiting time and duration of jobs are measured per queue', async () => {
  await database.db.insert(letters).values({ text: 'overdue', dueAt: new Date(Date.now() - 70_000) })
  await using _ = work(() => undefined)
  await eventually(async () => expect(await rows()).toEqual([]))
  const text = await metricsText()
  // Only this job waited for more than 60 s and less than 300 s.
  const waitsUpTo = (seconds: number) =>
    Number(
      new RegExp(`parley_jobs_wait_seconds_bucket\\{parley_queue="letters",le="${seconds}"\\} (\\d+)`).exec(text)?.[1],
    )
  expect(waitsUpTo(300) - waitsUpTo(60)).toBe(1)
  expect(text).toMatch(/parley_jobs_duration_seconds_count\{parley_queue="letters",parley_outcome="done"\} [1-9]/)
})

test('a late renewal does not postpone a job that was released', async () => {
  await write('released')
  const [claimed] = await queue.claim(database.db, { leaseMs: 60_000, limit: 1 })
  if (!claimed) throw new Error('nothing claimed')
  await queue.release(database.db, claimed, { pauseMs: 0, attempts: 0 })
  expect(await queue.renew(database.db, claimed, 60_000)).toBe(false)
  expect(await queue.nextMs(database.db)).toBeLessThanOrEqual(0)
})

test('the pause of a job has grown from 10 s to minutes after its sixth failure', async () => {
  await write('slow')
  const [claimed] = await queue.claim(database.db, { leaseMs: 1_000, limit: 1 })
  if (!claimed) throw new Error('nothing claimed')
  await queue.release(database.db, claimed, { pauseMs: 0, attempts: 5 })
  await using worker = work(() => Promise.reject(new Error('no')), { retry: { initialMs: 10_000, maxMs: 1_000_000 } })
  await eventually(() => expect(worker.failed).toHaveLength(1))
  // After the sixth failure the pause is 10 s doubled five times, of which up to half is random.
  await eventually(async () => expect(await queue.nextMs(database.db)).toBeGreaterThan(150_000))
  expect(await queue.nextMs(database.db)).toBeLessThanOrEqual(320_000)
})

test('a job that is too old when it fails is given up', async () => {
  await database.db.insert(letters).values({ text: 'old', createdAt: new Date(Date.now() - 60_000) })
  await using worker = work(() => Promise.reject(new Error('no')), {
    retry: { initialMs: 1, maxMs: 1, maxAgeMs: 50_000 },
  })
  await eventually(() => expect(worker.givenUp).toMatchObject([{ text: 'old', attempts: 1 }]))
})

test('a job whose process died at every attempt is given up without another attempt', async () => {
  await database.db.insert(letters).values({ text: 'deadly', attempts: 4 })
  const started: string[] = []
  await using worker = work(({ text }) => started.push(text))
  await eventually(async () => expect(await rows()).toEqual([]))
  expect(started).toEqual([])
  expect(worker.givenUp).toMatchObject([{ text: 'deadly' }])
})

test('an outage does not use up the attempts of a job', async () => {
  let isDown = true
  const calls: number[] = []
  await using worker = work(({ attempts }) => {
    calls.push(attempts)
    if (isDown) throw new ConnectError('nobody answers', Code.Unavailable)
  })
  await write('patient')
  await eventually(() => expect(calls.length).toBeGreaterThan(8))
  expect(worker.givenUp).toEqual([])
  expect(worker.failed.every(({ isOutage }) => isOutage)).toBe(true)
  expect(Math.max(...worker.failed.map(({ attempts }) => attempts))).toBe(1)
  isDown = false
  await eventually(async () => expect(await rows()).toEqual([]))
})

test('a lease is renewed while its job runs', async () => {
  const long = blockingWork()
  await using _ = work(long.run, { leaseMs: 900 })
  await write('long')
  await eventually(() => expect(long.started).toEqual(['long']))
  const [first] = await rows()
  await eventually(async () => {
    const [now] = await rows()
    expect(now?.dueAt.getTime()).toBeGreaterThan((first?.dueAt.getTime() ?? Infinity) + 900)
    expect(now?.fence).toBe(1)
  })
  long.release()
  await eventually(async () => expect(await rows()).toEqual([]))
})

test('a run whose lease another worker has taken is aborted by its signal and does not change the job', async () => {
  const [dead, next] = [blockingWork(), blockingWork()]
  await using worker = work(dead.run, { leaseMs: 1_500, everyMs: 3_600_000 })
  await write('contested')
  await eventually(() => expect(dead.started).toEqual(['contested']))
  await using other = await openDatabase({ url: database.url, pool: 10, name: 'other' })
  await using _ = work(next.run, { db: other.db })
  await eventually(async () => {
    if (next.started.length === 0) await expireFirstLease()
    expect(next.started).toEqual(['contested'])
  })
  await eventually(() => expect(dead.aborted).toEqual(['contested']))
  expect(worker.failed).toEqual([])
  expect(await rows()).toMatchObject([{ text: 'contested', fence: 2, attempts: 2 }])
  next.release()
  await eventually(async () => expect(await rows()).toEqual([]))
})

test('a worker that stops releases its jobs at once, without counting an attempt', async () => {
  const long = blockingWork()
  {
    await using _ = work(long.run)
    await write('unfinished')
    await eventually(() => expect(long.started).toEqual(['unfinished']))
  }
  expect(await rows()).toMatchObject([{ text: 'unfinished', attempts: 0 }])
  expect(await queue.nextMs(database.db)).toBeLessThanOrEqual(0)
})

test('a job that returns columns is updated, and runs again with its attempts reset', async () => {
  await database.db.insert(letters).values({ text: 'long', attempts: 2 })
  const turns: string[] = []
  await using _ = work(({ text, attempts }) => {
    turns.push(`${text} ${attempts}`)
    if (text === 'long') return { text: 'long again' }
  })
  await eventually(async () => expect(await rows()).toEqual([]))
  expect(turns).toEqual(['long 3', 'long again 1'])
})

test('finished jobs that stay in the table are not run, changed or deleted', async () => {
  await database.db.insert(letters).values({ text: 'sent', sent: true })
  await write('marked')
  await using _ = work(async ({ id }) => {
    await database.db
      .update(letters)
      .set({ sent: true })
      .where(sql`id = ${id}`)
    return 'ended'
  })
  await eventually(async () => expect(await queue.count(database.db)).toBe(0))
  await eventually(async () =>
    expect((await rows()).map(({ text, sent }) => [text, sent])).toEqual([
      ['sent', true],
      ['marked', true],
    ]),
  )
  expect(await queue.nextMs(database.db)).toBeUndefined()
})

test('an idle worker polls with one statement, and finds jobs that were not announced', async () => {
  const claims = jest.spyOn(queue, 'claim')
  const nextMs = jest.spyOn(queue, 'nextMs')
  const done: string[] = []
  await using _ = work(({ text }) => done.push(text) && undefined)
  await eventually(() => expect(nextMs.mock.calls.length).toBeGreaterThan(3))
  expect(claims).toHaveBeenCalledTimes(1)
  await database.db.insert(letters).values({ text: 'from another process' })
  await eventually(() => expect(done).toEqual(['from another process']))
})
