import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { createPasswords, type HashingCaller } from './passwords.ts'

/** Cheap hashing, because the tests are about the queue. */
const cheap = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** Returns how many hashings are refused. */
async function countRefused(wanted: Promise<unknown>[]): Promise<number> {
  const answers = await Promise.allSettled(wanted)
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [ConnectError.from(answer.reason)] : []))
  for (const { code } of failures) expect(code).toBe(Code.ResourceExhausted)
  return failures.length
}

test('the customer of one /56 network cannot fill the queue of hashings', async () => {
  const passwords = await createPasswords(1, cheap)
  const check = (caller: HashingCaller) => passwords.matches('a guess', undefined, caller)
  const fromEachSubnet = Array.from({ length: 200 }, (_, n) =>
    check({ address: `2001:db8:1:2${(n % 256).toString(16).padStart(2, '0')}::1` }),
  )
  const others = [check({ address: '203.0.113.9' }), check({ address: '2001:db8:2::1' }), check({ userId: 'U1' })]
  // One runs, and 32 wait: half of the queue.
  expect(await countRefused(fromEachSubnet)).toBe(200 - 33)
  expect(await countRefused(others)).toBe(0)
})

test('one signed-in user cannot fill the queue of hashings', async () => {
  const passwords = await createPasswords(1, cheap)
  const check = () => passwords.matches('a guess', undefined, { userId: 'U1' })
  for (let round = 0; round < 2; round++) expect(await countRefused(Array.from({ length: 40 }, check))).toBe(40 - 33)
})
