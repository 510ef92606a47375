import { expect, test } from '@jest/globals'
import { maxWaiting } from './look-up-gate.ts'
import { openCredentialAttempts } from './credential-attempts.ts'

const address = '203.0.113.9'

/** Look-ups that stay open until the test ends them, in the order in which they began. */
function lookUps(perMinute: number) {
  const attempts = openCredentialAttempts({ perMinute })
  const running: ((found: string | undefined) => void)[] = []
  let started = 0
  const lookUp = (from = address, isKnown = false, signal = new AbortController().signal) =>
    attempts.lookUp({ address: from, isKnown, signal: () => signal }, () => {
      started++
      return new Promise<string | undefined>((resolve) => running.push(resolve))
    })
  return {
    attempts,
    lookUp,
    burst: (count: number, from = address) => Array.from({ length: count }, () => lookUp(from)),
    /** Ends all running look-ups, and each later one at once. */
    async end(found: string | undefined) {
      await Promise.resolve()
      for (let resolve = running.shift(); resolve; resolve = running.shift()) {
        resolve(found)
        await new Promise(setImmediate)
      }
    },
    started: () => started,
  }
}

// Limits are counted per minute; a test that crosses into the next minute would fail.
const minuteEndsSoon = () => Date.now() % 60_000 > 58_000
const withinOneMinute = async () => {
  while (minuteEndsSoon()) await new Promise((resolve) => setTimeout(resolve, 100))
}

test('a burst of invalid credentials is looked up only up to the limit', async () => {
  await withinOneMinute()
  const { burst, end, started } = lookUps(10)
  const answers = burst(100)
  await end(undefined)
  const refused = (await Promise.all(answers)).filter(({ waitMs }) => waitMs > 0)
  expect([started(), refused.length]).toEqual([10, 90])
})

test('a burst of valid credentials waits and is admitted', async () => {
  const { burst, end, attempts } = lookUps(10)
  const answers = burst(100)
  await end('Ualice')
  expect(await Promise.all(answers)).toEqual(Array(100).fill({ found: 'Ualice', waitMs: 0 }))
  expect(attempts.wait(address)).toBe(0)
})

test('look-ups from other networks do not wait, but those from the same /56 do', async () => {
  await withinOneMinute()
  const { burst, end, started } = lookUps(10)
  const subnets = Array.from({ length: 8 }, (_, n) => burst(10, `2001:db8:1:${n + 1}::1`))
  await Promise.resolve()
  // A /56 has twice the limit of a /64.
  expect(started()).toBe(20)
  const elsewhere = burst(3, '203.0.113.9')
  await Promise.resolve()
  expect(started()).toBe(23)
  await end(undefined)
  const answers = await Promise.all([...subnets.flat(), ...elsewhere])
  expect(answers.filter(({ waitMs }) => waitMs > 0)).toHaveLength(60)
})

test('a look-up of a previously valid credential does not wait, and counts if the credential is now invalid', async () => {
  await withinOneMinute()
  const { burst, lookUp, end, started, attempts } = lookUps(2)
  const answers = [...burst(3), lookUp(address, true)]
  await Promise.resolve()
  expect(started()).toBe(3)
  await end(undefined)
  expect((await Promise.all(answers)).map(({ waitMs }) => waitMs > 0)).toEqual([false, false, true, false])
  expect(attempts.wait(address)).toBeGreaterThan(0)
})

test('a failed look-up does not count, and frees its slot', async () => {
  const attempts = openCredentialAttempts({ perMinute: 1 })
  const fail = () => Promise.reject(new Error('accounts does not answer'))
  const answers = await Promise.allSettled([1, 2, 3].map(() => attempts.lookUp({ address, isKnown: false }, fail)))
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(attempts.wait(address)).toBe(0)
})

test('a look-up that finds the queue full is refused with a time to retry, and does not count', async () => {
  await withinOneMinute()
  const { burst, lookUp, end, attempts } = lookUps(10)
  const answers = burst(10 + maxWaiting)
  await expect(lookUp()).resolves.toEqual({ found: undefined, waitMs: 1_000 })
  const elsewhere = lookUp('198.51.100.9')
  await end('Ualice')
  expect(new Set((await Promise.all([...answers, elsewhere])).map(({ found }) => found))).toEqual(new Set(['Ualice']))
  expect(attempts.wait(address)).toBe(0)
})

test('aborted callers leave the queue, and are not looked up', async () => {
  const { burst, lookUp, end, started } = lookUps(10)
  const answers = burst(10)
  const leaving = new AbortController()
  const gone = Array.from({ length: maxWaiting }, () => lookUp(address, false, leaving.signal))
  await expect(lookUp()).resolves.toMatchObject({ waitMs: 1_000 })
  leaving.abort()
  expect((await Promise.all(gone)).filter(({ waitMs }) => waitMs > 0)).toHaveLength(maxWaiting)
  const next = lookUp()
  await expect(lookUp(address, false, AbortSignal.abort())).resolves.toMatchObject({ waitMs: 1_000 })
  await end('Ualice')
  expect(await Promise.all([...answers, next])).toEqual(Array(11).fill({ found: 'Ualice', waitMs: 0 }))
  expect(started()).toBe(11)
})

test('an abort after a look-up has left the queue changes nothing', async () => {
  const { burst, lookUp, end, started } = lookUps(1)
  const leaving = new AbortController()
  const answers = [...burst(1), lookUp(address, false, leaving.signal)]
  await end('Ualice')
  leaving.abort()
  expect(await Promise.all(answers)).toEqual(Array(2).fill({ found: 'Ualice', waitMs: 0 }))
  await end('Ualice')
  const next = lookUp()
  await end('Ualice')
  await expect(next).resolves.toEqual({ found: 'Ualice', waitMs: 0 })
  expect(started()).toBe(3)
})

test('a limit of 0 means no limit', async () => {
  const { burst, end, started } = lookUps(0)
  const answers = burst(50)
  await end(undefined)
  expect((await Promise.all(answers)).filter(({ waitMs }) => waitMs > 0)).toEqual([])
  expect(started()).toBe(50)
})
