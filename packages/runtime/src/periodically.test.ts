import { afterEach, expect, jest, test } from '@jest/globals'
import { lastErrors } from '@parley/telemetry'
import { periodically } from './periodically.ts'

afterEach(() => void jest.useRealTimers())

test('a task runs repeatedly, even after a failure, and never concurrently', async () => {
  let running = 0
  let peak = 0
  let runs = 0
  await new Promise<void>((enough) => {
    const task = periodically({
      name: 'test',
      everyMs: 1,
      run: async () => {
        peak = Math.max(peak, ++running)
        await new Promise(setImmediate)
        running--
        if (++runs === 2) throw new Error('a failure')
        if (runs === 4) void task[Symbol.asyncDispose]().then(enough)
      },
    })
  })
  expect([runs, peak]).toEqual([4, 1])
})

/** The logged failures of tasks. Only the newest errors are kept, and earlier tests log errors too. */
const failures = () => lastErrors().filter(({ message }) => message === 'a periodic task failed')

/** Runs a task that fails or succeeds as given; returns how many errors were logged. */
async function errorsOf(outcomes: boolean[], pauses: { everyMs: number; afterFailureMs?: number }): Promise<number> {
  const before = failures()
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  let runs = 0
  await using task = periodically({
    ...{ name: 'flaky', ...pauses },
    run: () => {
      const isSuccess = outcomes[runs++]
      if (isSuccess === false) throw new Error('a failure')
      if (isSuccess === undefined) end()
    },
  })
  task.wake()
  await over
  return failures().filter((error) => !before.includes(error)).length
}

test('a failure is not logged as an error if the run before it did not fail and the next one follows within a minute', async () => {
  const everyMs = 1
  expect(await errorsOf([false, true, false, true], { everyMs })).toBe(0)
  expect(await errorsOf([false, false], { everyMs })).toBe(1)
  expect(await errorsOf([false], { everyMs: 61_000, afterFailureMs: 1 })).toBe(0)
})

test('disposing aborts the current run and waits for it', async () => {
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  let finished = false
  const task = periodically({
    name: 'test',
    everyMs: 1,
    run: async (signal) => {
      start()
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve)
      })
      await new Promise(setImmediate)
      finished = true
    },
  })
  await started
  await task[Symbol.asyncDispose]()
  expect(finished).toBe(true)
})

test('a task ends when its signal is aborted', async () => {
  const stop = new AbortController()
  let runs = 0
  const { promise: ran, resolve: first } = Promise.withResolvers<void>()
  const task = periodically({
    name: 'test',
    everyMs: 1,
    signal: stop.signal,
    run: () => {
      runs++
      stop.abort()
      first()
    },
  })
  await ran
  await task[Symbol.asyncDispose]()
  expect(runs).toBe(1)
})

const never = 3_600_000

test('a task runs when woken, and once more if woken during a run', async () => {
  const runs: number[] = []
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: going, resolve: goOn } = Promise.withResolvers<void>()
  const { promise: enough, resolve: end } = Promise.withResolvers<void>()
  await using task = periodically({
    name: 'test',
    everyMs: never,
    run: async () => {
      runs.push(runs.length)
      begin()
      await going
      if (runs.length === 2) end()
    },
  })
  task.wake()
  await begun
  for (let i = 0; i < 3; i++) task.wake()
  expect(runs).toHaveLength(1)
  goOn()
  await enough
  expect(runs).toHaveLength(2)
})

test('a task runs again before its usual pause is over if its run requested that or failed', async () => {
  let runs = 0
  const { promise: enough, resolve: end } = Promise.withResolvers<void>()
  await using _ = periodically({
    name: 'test',
    everyMs: never,
    afterFailureMs: 1,
    run: () => {
      runs++
      if (runs === 2) throw new Error('a failure')
      if (runs === 4) end()
      return 1
    },
  })
  await enough
  expect(runs).toBe(4)
})

test('a task woken for a time is not delayed by a wake for a later time', async () => {
  const { promise: ran, resolve: first } = Promise.withResolvers<void>()
  await using task = periodically({ name: 'test', everyMs: never, run: () => first() })
  task.wake(1)
  task.wake(never)
  await ran
})

test('a pause may be longer than the longest timer', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  const day = 24 * 3_600_000
  let runs = 0
  await using _ = periodically({ name: 'test', everyMs: 30 * day, run: () => void runs++ })
  // The first run starts within a second, and the pause after it may be short.
  await jest.advanceTimersByTimeAsync(3_000)
  runs = 0
  await jest.advanceTimersByTimeAsync(1_000)
  expect(runs).toBe(0)
  await jest.advanceTimersByTimeAsync(29 * day)
  expect(runs).toBe(0)
  await jest.advanceTimersByTimeAsync(day)
  expect(runs).toBe(1)
})

test('tasks with long pauses share timer ticks, and tasks with the same pause run together', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  const pauses = [5_000, 10_000, 15_000, 10_000]
  const ranAt = pauses.map((): number[] => [])
  const begin = (everyMs: number, at: number) =>
    periodically({ name: 'test', everyMs, run: () => void ranAt[at]?.push(performance.now()) })
  const tasks = pauses.slice(0, 3).map(begin)
  await jest.advanceTimersByTimeAsync(3_000)
  tasks.push(begin(10_000, 3))
  await jest.advanceTimersByTimeAsync(60_000)
  for (const task of tasks) await task[Symbol.asyncDispose]()
  // The first runs start at random times.
  const [often, usual, seldom, later] = ranAt.map((times) => times.slice(1).map(Math.round))
  const ticks = [often, usual, seldom, later].flatMap((times) => times ?? [])
  expect(ticks.length).toBeGreaterThan(20)
  const offsets = ticks.map((at) => (at - (ticks[0] ?? 0)) % 2_500)
  expect(offsets.every((offset) => Math.min(offset, 2_500 - offset) < 5)).toBe(true)
  expect(later?.every((at) => usual?.some((other) => Math.abs(other - at) < 5))).toBe(true)
})

test('of tasks due on the same tick, each starts when the one before has ended, or 0.1 s after it started', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  const started: [name: string, at: number][] = []
  let concurrent = 0
  let peak = 0
  const begin = (name: string, takesMs: number) =>
    periodically({
      name,
      everyMs: 10_000,
      run: async () => {
        started.push([name, performance.now()])
        peak = Math.max(peak, ++concurrent)
        await sleep(takesMs)
        concurrent--
      },
    })
  const tasks = [begin('a', 20), begin('b', 20), begin('c', 20)]
  await jest.advanceTimersByTimeAsync(3_000)
  started.length = peak = 0
  await jest.advanceTimersByTimeAsync(20_000)
  expect([started.length, peak]).toEqual([6, 1])

  tasks.push(begin('slow', 9_000))
  await jest.advanceTimersByTimeAsync(3_000)
  started.length = 0
  await jest.advanceTimersByTimeAsync(30_000)
  const waits = started.filter(([name]) => name !== 'slow').map(([, at]) => at - Math.min(...started.map(([, t]) => t)))
  expect(waits.every((ms) => ms % 10_000 <= 150)).toBe(true)
  await Promise.all([jest.advanceTimersByTimeAsync(10_000), ...tasks.map((task) => task[Symbol.asyncDispose]())])
})

test.each([0, 20])(
  'a task that waits for its turn on a tick and is woken for %s ms later starts then, and only once',
  async (inMs) => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] })
    const started: string[] = []
    const begin = (name: string) =>
      periodically({
        name,
        everyMs: 10_000,
        run: () => {
          started.push(name)
          return sleep(50)
        },
      })
    const tasks = [begin('a'), begin('b')]
    await jest.advanceTimersByTimeAsync(3_000)
    started.length = 0
    for (let i = 0; i < 2_000 && started.length === 0; i++) await jest.advanceTimersByTimeAsync(10)
    const [first] = started
    for (const [i, name] of ['a', 'b'].entries()) if (name !== first) tasks[i]?.wake(inMs)
    await jest.advanceTimersByTimeAsync(inMs)
    expect(started).toEqual([first, first === 'a' ? 'b' : 'a'])
    await Promise.all([jest.advanceTimersByTimeAsync(1_000), ...tasks.map((task) => task[Symbol.asyncDispose]())])
    expect(started).toHaveLength(2)
  },
)

test('a task woken for a certain time starts then, even if tasks of a tick take long', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  let slowAt = 0
  let wokenAt = 0
  const slow = ['a', 'b', 'c'].map((name) =>
    periodically({ name, everyMs: 10_000, run: () => ((slowAt ||= performance.now()), sleep(90)) }),
  )
  const woken = periodically({ name: 'woken', everyMs: never, run: () => void (wokenAt = performance.now()) })
  await jest.advanceTimersByTimeAsync(3_000)
  slowAt = 0
  for (let i = 0; i < 2_000 && slowAt === 0; i++) await jest.advanceTimersByTimeAsync(10)
  woken.wake(20)
  const at = performance.now() + 20
  await jest.advanceTimersByTimeAsync(400)
  expect(Math.abs(wokenAt - at)).toBeLessThan(5)
  await Promise.all([woken, ...slow].map((task) => task[Symbol.asyncDispose]()))
})

test('a task that was disposed while it waited for its turn is not started by a wake', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  const started: string[] = []
  const begin = (name: string) => periodically({ name, everyMs: 10_000, run: () => (started.push(name), sleep(50)) })
  const tasks = { a: begin('a'), b: begin('b') }
  await jest.advanceTimersByTimeAsync(3_000)
  started.length = 0
  for (let i = 0; i < 2_000 && started.length === 0; i++) await jest.advanceTimersByTimeAsync(10)
  const waiting = started[0] === 'a' ? tasks.b : tasks.a
  await waiting[Symbol.asyncDispose]()
  waiting.wake()
  await jest.advanceTimersByTimeAsync(1_000)
  expect(started).toHaveLength(1)
  for (const task of Object.values(tasks)) await task[Symbol.asyncDispose]()
})

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
