import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { createPasswords, type HashingCaller } from './passwords.ts'

/** The tests are about the queue, not about the cost of hashing. */
const cheap = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** How many of this many concurrent hashings are refused. */
async function refused(wanted: Promise<unknown>[]): Promise<number> {
  const answers = await Promise.allSettled(wanted)
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [ConnectError.from(answer.reason)] : []))
  for (const { code } of failures) expect(code).toBe(Code.ResourceExhausted)
  return failures.length
}

test('one network cannot fill the queue of hashings, however large it is', async () => {
  const passwords = await createPasswords(1, cheap)
  const check = (caller: HashingCaller) => passwords.fits('a guess', undefined, caller)
  const fromEachLine = Array.from({ length: 200 }, (_, n) =>
    check({ address: `2001:db8:1:2${(n % 256).toString(16).padStart(2, '0')}::1` }),
  )
  const others = [check({ address: '203.0.113.9' }), check({ address: '2001:db8:2::1' }), check({ userId: 'U1' })]
  // One runs, and half of the queue waits.
  expect(await refused(fromEachLine)).toBe(200 - 33)
  expect(await refused(others)).toBe(0)
})

test('a signed-in user cannot fill it either, and afterwards everybody can sign in', async () => {
  const passwords = await createPasswords(1, cheap)
  const check = () => passwords.fits('a guess', undefined, { userId: 'U1' })
  for (let round = 0; round < 2; round++) expect(await refused(Array.from({ length: 40 }, check))).toBe(40 - 33)
})
