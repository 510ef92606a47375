import { expect, test } from '@jest/globals'
import { FairSemaphore } from './fair-semaphore.ts'

const refusal = () => new Error('too many')

test('a task that waits too long is refused, and takes no slot', async () => {
  const semaphore = new FairSemaphore({ atOnce: 1, maxWaiting: 9, refusal, maxWaitMs: 1 })
  const first = work()
  const outcomes = semaphore.run(() => first.done)
  await expect(semaphore.run(() => Promise.resolve())).rejects.toThrow('too many')
  first.finish()
  await outcomes
  expect(await semaphore.run(() => Promise.resolve('free again'))).toBe('free again')
})

function work() {
  const { promise: done, resolve: finish } = Promise.withResolvers<void>()
  return { done, finish }
}

/** `jobs`: those started so far, in order. */
function record(semaphore: FairSemaphore) {
  const jobs: { caller: string; finish: () => void }[] = []
  const request = (caller: string) =>
    semaphore.run(() => {
      const { done, finish } = work()
      jobs.push({ caller, finish })
      return done
    }, caller)
  return { jobs, request }
}

test('a limited number of tasks run at once, some wait, more are refused, and a freed slot goes to the next', async () => {
  const semaphore = new FairSemaphore({ atOnce: 2, maxWaiting: 1, refusal })
  const jobs = [work(), work(), work()]
  const started: number[] = []
  const outcomes = jobs.map(({ done }, index) =>
    semaphore.run(() => {
      started.push(index)
      return done
    }),
  )
  await expect(semaphore.run(() => Promise.resolve())).rejects.toThrow('too many')
  expect(started).toEqual([0, 1])
  jobs[1]?.finish()
  await outcomes[1]
  expect(started).toEqual([0, 1, 2])
  jobs.forEach(({ finish }) => finish())
  await Promise.all(outcomes)
  await expect(semaphore.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await semaphore.run(() => Promise.resolve('free again'))).toBe('free again')
})

test('a caller with very many tasks gets only a part of the queue, and others are served in between', async () => {
  const semaphore = new FairSemaphore({ atOnce: 2, maxWaiting: 64, maxWaitingPerCaller: 16, refusal })
  const { jobs, request } = record(semaphore)
  const outcomes = Array.from({ length: 66 }, () =>
    request('Umallory').then(
      () => 'passed',
      () => 'refused',
    ),
  )
  const alice = request('Ualice')
  jobs[0]?.finish()
  await outcomes[0]
  expect(jobs.map(({ caller }) => caller)).toEqual(['Umallory', 'Umallory', 'Ualice'])
  for (let n = 1; n < 19; n++) {
    jobs[n]?.finish()
    await new Promise(setImmediate)
  }
  await alice
  const all = await Promise.all(outcomes)
  expect([all.filter((one) => one === 'passed').length, all.filter((one) => one === 'refused').length]).toEqual([
    18, 48,
  ])
})

test('a new caller gets the next free slot, even if the callers that hold all slots have calls waiting', async () => {
  const semaphore = new FairSemaphore({ atOnce: 2, maxWaiting: 64, refusal })
  const { jobs, request } = record(semaphore)
  const outcomes = ['Umallory', 'Uoscar', 'Umallory', 'Uoscar', 'Umallory', 'Uoscar', 'Ualice'].map(request)
  for (const [n, outcome] of outcomes.slice(0, 2).entries()) {
    jobs[n]?.finish()
    await outcome
  }
  expect(jobs.map(({ caller }) => caller)).toEqual(['Umallory', 'Uoscar', 'Ualice', 'Umallory'])
  for (let n = 2; n < 7; n++) {
    jobs[n]?.finish()
    await new Promise(setImmediate)
  }
  await Promise.all(outcomes)
  expect(jobs.slice(4).map(({ caller }) => caller)).toEqual(['Uoscar', 'Umallory', 'Uoscar'])
})

test('in a full queue the caller with the most waiting tasks loses its newest to a caller with at least two fewer', async () => {
  const semaphore = new FairSemaphore({ atOnce: 1, maxWaiting: 4, maxWaitingPerCaller: 2, refusal })
  const { done, finish } = work()
  const ended: string[] = []
  const request = (caller: string, name = caller) =>
    semaphore
      .run(() => done, caller)
      .then(
        () => void ended.push(name),
        () => void ended.push(`${name} refused`),
      )
  const outcomes = [request('Ucarl'), request('Umallory', 'first'), request('Umallory', 'second')]
  outcomes.push(request('Uoscar', 'third'), request('Uoscar', 'fourth'))
  outcomes.push(request('Ualice'), request('Ubob'), request('Udave'))
  finish()
  await Promise.all(outcomes)
  expect(ended.slice(0, 3).sort()).toEqual(['Udave refused', 'fourth refused', 'second refused'])
  expect(ended.slice(3)).toEqual(['Ucarl', 'first', 'third', 'Ualice', 'Ubob'])
})

test('one caller runs a limited number of tasks at once, even if slots are free', async () => {
  const semaphore = new FairSemaphore({ atOnce: 9, atOncePerCaller: 2, maxWaiting: 9, maxWaitingPerCaller: 1, refusal })
  const jobs = [work(), work(), work()]
  const started: number[] = []
  const outcomes = jobs.map(({ done }, index) =>
    semaphore.run(() => {
      started.push(index)
      return done
    }, 'Umallory'),
  )
  await expect(semaphore.run(() => Promise.resolve(), 'Umallory')).rejects.toThrow('too many')
  expect(await semaphore.run(() => Promise.resolve('at once'), 'Ualice')).toBe('at once')
  expect(started).toEqual([0, 1])
  jobs[0]?.finish()
  await outcomes[0]
  expect(started).toEqual([0, 1, 2])
  jobs.forEach(({ finish }) => finish())
  await Promise.all(outcomes)
})
